#include "bench/measure/statistics.hpp"

#include <bit>
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

Statistics statistics(std::vector<double> values, double scale) {
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
  for (const StatisticField& field : k_statistic_fields) out.*field.value /= scale;
  return out;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::size_t Histogram::bucket_of(std::uint64_t ns) {
  if (ns < k_sub) return ns;
  const int shift = static_cast<int>(std::bit_width(ns)) - 1 - k_sub_bits;
  return static_cast<std::size_t>(shift + 1) * k_sub + ((ns >> shift) - k_sub);
}

std::int64_t Histogram::upper_edge_ns(std::size_t bucket) {
  if (bucket < k_sub) return static_cast<std::int64_t>(bucket);
  const auto shift = bucket / k_sub - 1;
  const auto base = static_cast<std::int64_t>(bucket % k_sub + k_sub);
  return ((base + 1) << shift) - 1;
}

void Histogram::add(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  ++counts_[bucket_of(static_cast<std::uint64_t>(ns))];
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
}

std::int64_t Histogram::percentile_ns(double share) const {
  if (count_ == 0) return 0;
  const auto wanted = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_))));
  std::int64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= wanted) return std::min(upper_edge_ns(bucket), max_ns_);
  }
  return max_ns_;
}

}  // namespace orch::measure
