#include "bench/measure/percentile_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/measure/interval.hpp"
#include "bench/measure/metrics.hpp"
#include "core/statistics/order_statistic.hpp"
#include "core/statistics/student.hpp"

namespace orch::measure {
namespace {

constexpr double k_upper_share = 0.975;
constexpr double k_z = 1.959963984540054;  // the normal quantile of k_upper_share
constexpr double k_most_correlation = 0.98;
// The inflation of a share is estimated at the percentile itself, or at the last one that has so
// many values beyond it.
constexpr double k_beyond_least = 50;
// With fewer values, batches are shorter than the correlation, and the inflation of the share below
// the median follows from that of the ranks.
constexpr std::size_t k_indicators_least = 250;

// The values of a run, sorted, with their positions in the order of sending.
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

  // Deviations of the ranks from their mean, in the order of sending; equal values share a rank.
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

  // Deviations of "is among the SHARE of the least values" from its mean, in the order of sending.
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

  // Empty where the inflation is unknown.
  std::optional<double> at(double p) {
    if (!of_ranks_) return {};
    const Inflation found = inflation(p);
    const double degrees = std::max(1.0, std::floor(found.degrees));
    const double wider = statistics::student_quantile(k_upper_share, degrees) / k_z;
    return static_cast<double>(sorted_.size()) / (found.factor * wider * wider);
  }

 private:
  // The inflation at a percentile where it is observed, and what is left there of the correlation
  // of an autoregression.
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
    // quotient of the shares. The middle of both.
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

LimitsOfPercentiles limits_of_percentiles(std::span<const std::optional<double>> values,
                                          std::int64_t cycle) {
  const Sorted sorted(values);
  LimitsOfPercentiles out;
  if (sorted.size() == 0) return out;
  std::optional<EffectiveCount> effective;
  if (sorted.size() >= static_cast<std::size_t>(k_interval_least) && !sorted.equal())
    effective.emplace(sorted, cycle);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int per_mille = k_percentiles_per_mille[i];
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

std::string percentile_name(int per_mille) {
  return fmt::format("p{}", per_mille % 10 == 0 ? per_mille / 10 : per_mille);
}

std::optional<int> percentile_of(std::string_view column) {
  for (const int per_mille : k_percentiles_per_mille)
    if (column.ends_with("_" + percentile_name(per_mille))) return per_mille;
  return std::nullopt;
}

std::int64_t values_for_upper_limit(int per_mille) {
  constexpr double k_beyond = 0.025;  // on one side of a 95 % interval
  return static_cast<std::int64_t>(std::ceil(std::log(k_beyond) / std::log(per_mille / 1000.0)));
}

std::vector<std::string> unsupported_percentiles(std::span<const Metric> metrics) {
  std::vector<std::string> out;
  for (const Metric& metric : metrics) {
    const auto* all = std::get_if<Statistics>(&metric.value);
    if (all == nullptr) continue;
    for (const StatisticField& field : k_statistic_fields)
      if (field.per_mille > 0 && all->n < records_needed(field.per_mille))
        out.push_back(fmt::format("{}_{}", metric.row->name, field.name));
  }
  return out;
}

}  // namespace orch::measure
