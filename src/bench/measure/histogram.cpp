#include "bench/measure/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace orch::measure {

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
