#include "bench/measure/statistics.hpp"

#include <cassert>
#include <cmath>
#include <numeric>

namespace orch::measure {

double percentile(std::span<const double> sorted, double share) {
  assert(!sorted.empty() && share >= 0 && share <= 1);
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = rank - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

Statistics statistics(std::vector<double> values) {
  assert(!values.empty());
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  Statistics out;
  out.n = static_cast<std::int64_t>(values.size());
  out.min = values.front();
  out.max = values.back();
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.sd = std::sqrt(squares / n);
  for (const StatisticField& field : k_statistic_fields)
    if (field.per_mille > 0) out.*field.value = percentile(values, field.per_mille / 1000.0);
  return out;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace orch::measure
