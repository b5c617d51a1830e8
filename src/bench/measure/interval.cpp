#include "bench/measure/interval.hpp"

#include "bench/measure/metrics.hpp"
#include "core/statistics/student.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace orch::measure {

namespace {

constexpr std::size_t k_most_batches = 100;
constexpr std::size_t k_few_batches = 20;
constexpr std::size_t k_least_to_correlate = 12;  // batches
constexpr double k_least_correlation = 0.2;
constexpr double k_most_correlation_of_few = 0.5;
constexpr double k_least_degrees = 6;
constexpr double k_most_skewness = 0.6;  // of the mean
// The factor by which a sample underestimates skewness; found by simulation.
constexpr double k_skewness_bias = 2.0;
// If the variance of batches is below this share of the expected one, a cycle has made them equal.
constexpr double k_no_variance = 1e-9;
// For inflation_of: the estimate from few batches is used if it exceeds the other by this factor.
// Always using the greater one would widen the limits of percentiles by a tenth (by simulation).
constexpr double k_more_than_chance = 1.5;
constexpr double k_upper = 0.975;  // for a 95 % interval

double sum_of_squares(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

// Divides deviations from a mean into batches of whole rounds. The value of a batch is its sum /
// sqrt(its size), so that the variance does not depend on the size.
class Rounds {
 public:
  Rounds(std::span<const double> deviations, std::int64_t cycle)
      : deviations_(deviations), cycle_(static_cast<std::size_t>(cycle)) {}

  std::size_t count() const { return deviations_.size() / cycle_; }

  std::vector<double> batches(std::size_t wanted) const {
    std::vector<double> out(wanted);
    for (std::size_t i = 0; i < wanted; ++i) {
      const std::size_t begin = i * count() / wanted * cycle_;
      const std::size_t end =
          i + 1 == wanted ? deviations_.size() : (i + 1) * count() / wanted * cycle_;
      const auto batch = deviations_.subspan(begin, end - begin);
      out[i] = std::accumulate(batch.begin(), batch.end(), 0.0) /
               std::sqrt(static_cast<double>(batch.size()));
    }
    return out;
  }

 private:
  std::span<const double> deviations_;
  std::size_t cycle_;
};

double variance(std::span<const double> batches) {
  return sum_of_squares(batches) / static_cast<double>(batches.size() - 1);
}

// The correlation of successive batches. The estimate from few batches is too small, by (1 + 3 r) /
// n on average.
double correlation(std::span<const double> batches) {
  if (batches.size() < k_least_to_correlate) return 0;
  const auto n = static_cast<double>(batches.size());
  const double biased =
      std::inner_product(batches.begin() + 1, batches.end(), batches.begin(), 0.0) /
      sum_of_squares(batches);
  const double unbiased = (biased * n + 1) / (n - 3);
  return unbiased < k_least_correlation ? 0 : unbiased;
}

// The variance of S / sqrt(n), where S is the sum of all n deviations, and its degrees of freedom.
struct Spread {
  double variance = 0;
  double degrees = 0;
};

Spread spread_of(std::span<const double> batches, double correlation) {
  const auto n = static_cast<double>(batches.size());
  const double inflation = (1 + correlation) / (1 - correlation);
  // Correlated batches also differ less from their own mean than from the true one.
  const double hidden = std::min(0.5, (inflation - 1) / n);
  return {.variance = variance(batches) * inflation / (1 - hidden), .degrees = (n - 1) / inflation};
}

// The skewness of the mean, from batches about as long as the correlation lasts.
double skewness(const Rounds& rounds, double variance_of_many, const Spread& spread) {
  const std::size_t most = std::min(rounds.count(), k_most_batches);
  const auto independent =
      static_cast<std::size_t>(static_cast<double>(most) * variance_of_many / spread.variance);
  const std::vector<double> batches =
      rounds.batches(std::clamp(independent, std::min(most, k_few_batches), most));
  const auto n = static_cast<double>(batches.size());
  double cubes = 0;
  for (const double batch : batches) cubes += batch * batch * batch;
  const double one = n / ((n - 1) * (n - 2)) * cubes / std::pow(variance(batches), 1.5);
  const double inflation_left = std::clamp(spread.variance / variance(batches), 1.0, 4.0);
  return std::clamp(k_skewness_bias * one * std::sqrt(inflation_left / n), -k_most_skewness,
                    k_most_skewness);
}

// The variance of as many batches of a run as possible, and the spread.
struct Estimate {
  double variance_of_many = 0;
  Spread spread;
};

// Estimates from DEVIATIONS, which ROUNDS divides into batches. The estimate from few batches
// replaces that from many if its variance is more than MORE times as large. nullopt without an
// estimate.
std::optional<Estimate> estimate(std::span<const double> deviations, const Rounds& rounds,
                                 double more) {
  if (rounds.count() < static_cast<std::size_t>(k_cycles_least)) return {};
  const auto n = static_cast<double>(deviations.size());
  const std::vector<double> many = rounds.batches(std::min(rounds.count(), k_most_batches));
  if (!(variance(many) > k_no_variance * sum_of_squares(deviations) / n)) return {};
  const double batch_correlation = correlation(many);
  if (batch_correlation >= 1) return {};
  Estimate out{.variance_of_many = variance(many), .spread = spread_of(many, batch_correlation)};
  if (batch_correlation > 0 && out.spread.degrees < k_least_degrees) return {};
  if (rounds.count() >= 2 * k_few_batches) {
    const std::vector<double> few = rounds.batches(k_few_batches);
    const Spread slow = sum_of_squares(few) > 0
                            ? spread_of(few, std::min(correlation(few), k_most_correlation_of_few))
                            : Spread{};
    if (slow.variance > more * out.spread.variance) out.spread = slow;
  }
  return out;
}

// The interval of the mean of DEVIATIONS, which is zero.
std::optional<Interval> interval_about_zero(std::span<const double> deviations,
                                            std::int64_t cycle) {
  const Rounds rounds(deviations, cycle);
  const std::optional<Estimate> found = estimate(deviations, rounds, 1);
  if (!found) return {};
  const double error = std::sqrt(found->spread.variance / static_cast<double>(deviations.size()));
  const double t = statistics::student_quantile(k_upper, std::floor(found->spread.degrees));
  const double shift =
      skewness(rounds, found->variance_of_many, found->spread) * (1 + 2 * t * t) / 6;
  return Interval{-error * (t - (shift > 0 ? shift / 2 : shift)),
                  error * (t + (shift < 0 ? shift / 2 : shift))};
}

// The range of the ratios of single pairs. The ratio of the sums lies within it.
struct RatioRange {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  std::int64_t parts = 0;
};

RatioRange range_of(std::span<const double> above, std::span<const double> below) {
  RatioRange out;
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (above[i] == 0 && below[i] == 0) continue;
    out.least = std::min(out.least, above[i] / below[i]);
    out.most = std::max(out.most, above[i] / below[i]);
    ++out.parts;
  }
  return out;
}

constexpr double k_upper_share = 0.975;
constexpr double k_z = 1.959963984540054;  // the normal quantile of k_upper_share
constexpr double k_most_correlation = 0.98;
// The inflation of a share is estimated at the percentile itself, or at the last one with this many
// values beyond it.
constexpr double k_beyond_least = 50;
// With fewer values, batches are shorter than the correlation lasts; the inflation of the share
// below the median then follows from that of the ranks.
constexpr std::size_t k_indicators_least = 250;

// The values of a run, sorted, with their positions in sending order.
class Sorted {
 public:
  explicit Sorted(std::span<const std::optional<double>> values) : positions_(values.size()) {
    values_.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i]) values_.emplace_back(*values[i], i);
    std::ranges::sort(values_);
  }

  std::size_t size() const { return values_.size(); }
  double least() const { return values_.front().first; }
  bool equal() const { return values_.front().first == values_.back().first; }

  // The value of rank SHARE * (n + 1), interpolated.
  double at(double share) const {
    const double rank = share * static_cast<double>(size() + 1) - 1;
    const double inside = std::clamp(rank, 0.0, static_cast<double>(size() - 1));
    const auto below = std::min(static_cast<std::size_t>(inside), size() - 2);
    const double part = inside - static_cast<double>(below);
    return values_[below].first + part * (values_[below + 1].first - values_[below].first);
  }

  // Deviations of the ranks from their mean, in sending order; equal values share a rank.
  std::vector<double> ranks() const {
    std::vector<double> out(positions_);
    const double mean = static_cast<double>(size() - 1) / 2;
    for (std::size_t i = 0; i < size();) {
      std::size_t end = i;
      while (end < size() && values_[end].first == values_[i].first) ++end;
      const double rank = static_cast<double>(i + end - 1) / 2;
      for (; i < end; ++i) out[values_[i].second] = rank - mean;
    }
    return out;
  }

  // The indicator "is among the least SHARE of the values" minus its mean, in sending order.
  std::vector<double> indicators(double share) const {
    std::vector<double> out(positions_);
    const auto count = static_cast<std::size_t>(share * static_cast<double>(size()));
    const double mean = static_cast<double>(count) / static_cast<double>(size());
    for (std::size_t i = 0; i < size(); ++i) out[values_[i].second] = (i < count ? 1 : 0) - mean;
    return out;
  }

 private:
  std::vector<std::pair<double, std::size_t>> values_;
  std::size_t positions_;
};

// The effective number of values for each percentile.
class EffectiveCount {
 public:
  EffectiveCount(const Sorted& sorted, std::int64_t cycle)
      : sorted_(sorted), cycle_(cycle), of_ranks_(inflation_of(sorted.ranks(), cycle)) {}

  // nullopt if the inflation is unknown.
  std::optional<double> at(double p) {
    if (!of_ranks_) return {};
    const Inflation found = inflation(p);
    const double degrees = std::max(1.0, std::floor(found.degrees));
    const double wider = statistics::student_quantile(k_upper_share, degrees) / k_z;
    return static_cast<double>(sorted_.size()) / (found.factor * wider * wider);
  }

 private:
  // The inflation at a percentile where it is observed, and how much of an autoregression's
  // correlation is left there.
  struct Observed {
    double p;
    double share;
    Inflation inflation;
  };

  double correlation() const {
    const double factor = std::max(1.0, of_ranks_->factor);
    return std::min(k_most_correlation, (factor - 1) / (factor + 1));
  }

  Inflation inflation(double p) {
    const double at = sorted_.size() < k_indicators_least
                          ? 0.5
                          : std::min(p, 1 - k_beyond_least / static_cast<double>(sorted_.size()));
    if (!last_ || last_->p != at) last_ = observe(at);
    if (at == p) return last_->inflation;
    // Farther out, correlations fall: those of a queue hardly, those of an autoregression by the
    // quotient of the shares. Takes the geometric mean of both.
    const double falls = std::sqrt(statistics::indicator_share(p, correlation()) / last_->share);
    return {.factor = 1 + (last_->inflation.factor - 1) * falls,
            .degrees = last_->inflation.degrees};
  }

  Observed observe(double p) const {
    const double r = correlation();
    const double share = statistics::indicator_share(p, r);
    if (sorted_.size() >= k_indicators_least)
      if (const auto found = inflation_of(sorted_.indicators(p), cycle_))
        return {p, share, {.factor = std::max(1.0, found->factor), .degrees = found->degrees}};
    return {p, share, {.factor = 1 + 2 * share * r / (1 - r), .degrees = of_ranks_->degrees}};
  }

  const Sorted& sorted_;
  std::int64_t cycle_;
  std::optional<Inflation> of_ranks_;
  std::optional<Observed> last_{};  // the next percentile often needs the same
};

}  // namespace

double Interval::relative_to(double mean) const {
  const double half = std::max(high - mean, mean - low);
  if (half <= 0) return 0;
  return mean == 0 ? std::numeric_limits<double>::infinity() : half / std::abs(mean);
}

std::optional<Inflation> inflation_of(std::span<const double> deviations, std::int64_t cycle) {
  assert(cycle >= 1);
  const double squares = sum_of_squares(deviations);
  if (!(squares > 0)) return {};
  const std::optional<Estimate> found =
      estimate(deviations, Rounds(deviations, cycle), k_more_than_chance);
  if (!found) return {};
  return Inflation{
      .factor = found->spread.variance * static_cast<double>(deviations.size()) / squares,
      .degrees = found->spread.degrees};
}

std::optional<Interval> interval_of_mean(std::span<const double> values, std::int64_t cycle) {
  return interval_of_ratio(values, std::vector<double>(values.size(), 1), cycle);
}

std::optional<Interval> interval_of_ratio(std::span<const double> above,
                                          std::span<const double> below, std::int64_t cycle) {
  assert(above.size() == below.size() && cycle >= 1);
  if (above.empty() || !(mean_of(below) > 0)) return {};
  const RatioRange range = range_of(above, below);
  if (range.parts < k_interval_least) return {};
  if (range.least == range.most) return Interval{range.least, range.most};
  const double ratio = mean_of(above) / mean_of(below);
  std::vector<double> deviations(above.size());
  for (std::size_t i = 0; i < deviations.size(); ++i) deviations[i] = above[i] - ratio * below[i];
  const std::optional<Interval> interval = interval_about_zero(deviations, cycle);
  if (!interval) return {};
  return Interval{std::max(range.least, ratio + interval->low / mean_of(below)),
                  std::min(range.most, ratio + interval->high / mean_of(below))};
}

std::optional<double> interval_percent(std::span<const Metric> metrics, std::string_view name) {
  const auto metric =
      std::ranges::find(metrics, name, [](const Metric& one) { return one.row->name; });
  if (metric == metrics.end() || !metric->interval) return {};
  return 100 * metric->interval->relative_to(metric->mean());
}

LimitsOfPercentiles limits_of_percentiles(std::span<const std::optional<double>> values,
                                          std::int64_t cycle) {
  const Sorted sorted(values);
  LimitsOfPercentiles out;
  if (sorted.size() == 0) return out;
  std::optional<EffectiveCount> effective;
  if (sorted.size() >= static_cast<std::size_t>(k_interval_least) && !sorted.equal())
    effective.emplace(sorted, cycle);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int per_mille = k_percentiles[i].per_mille;
    if (static_cast<std::int64_t>(sorted.size()) < records_needed(per_mille)) break;
    PercentileLimits& limits = out[i].emplace();
    if (sorted.equal()) limits = {.low = sorted.least(), .high = sorted.least()};
    const double p = per_mille / 1000.0;
    const std::optional<double> n = effective ? effective->at(p) : std::nullopt;
    if (!n) continue;
    if (const auto share = statistics::order_share(*n, p, k_upper_share))
      limits.low = sorted.at(*share);
    if (const auto share = statistics::order_share(*n, p, 1 - k_upper_share))
      limits.high = sorted.at(*share);
  }
  return out;
}

std::optional<Percentile> percentile_of(std::string_view column) {
  for (const Percentile& one : k_percentiles)
    if (column.ends_with(fmt::format("_{}", to_string(one.value)))) return one;
  return std::nullopt;
}

std::int64_t values_for_upper_limit(int per_mille) {
  constexpr double k_beyond = 0.025;  // on each side of a 95 % interval
  return static_cast<std::int64_t>(std::ceil(std::log(k_beyond) / std::log(per_mille / 1000.0)));
}

std::vector<std::string> unsupported_percentiles(std::span<const Metric> metrics) {
  std::vector<std::string> out;
  for (const Metric& metric : metrics) {
    const auto* all = std::get_if<Statistics>(&metric.value);
    if (all == nullptr) continue;
    for (const StatisticField& field : k_statistic_fields)
      if (field.per_mille > 0 && all->n < records_needed(field.per_mille))
        out.push_back(fmt::format("{}_{}", metric.row->name, field.name()));
  }
  return out;
}

}  // namespace orch::measure
