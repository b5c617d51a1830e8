#include "bench/measure/interval.hpp"

#include "bench/measure/metrics.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bench/measure/statistics.hpp"
#include "core/statistics/student.hpp"

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
// Batches with a variance below this share of the expected one were made equal by a cycle.
constexpr double k_no_variance = 1e-9;
// Of inflation_of: always taking the greater estimate would widen the limits of percentiles by a
// tenth; found by simulation.
constexpr double k_more_than_chance = 1.5;
constexpr double k_upper = 0.975;  // of a 95 % interval

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

// The variance of the sum of all deviations / sqrt(their number), and its degrees of freedom.
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

// The batches of a run, as many as possible, and the spread that follows from them.
struct Estimate {
  double variance_of_many = 0;
  Spread spread;
};

// Of DEVIATIONS from their mean, which ROUNDS divides. The estimate from few batches replaces that
// from many if its variance is more than MORE times as large.
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

// The interval of the mean of DEVIATIONS. The mean is zero.
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
      std::ranges::find_if(metrics, [&](const Metric& one) { return one.row->name == name; });
  if (metric == metrics.end() || !metric->interval) return {};
  return 100 * metric->interval->relative_to(metric->mean());
}

}  // namespace orch::measure
