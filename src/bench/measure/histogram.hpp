// A histogram of durations; a bucket is 1/32 of its value wide, so that memory is bounded for any
// length of a run. Does not know what is measured.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace orch::measure {

class Histogram {
 public:
  // Negative durations count as zero.
  void add(std::int64_t ns);

  std::int64_t count() const { return count_; }
  // Calls EACH(upper edge in ns, count) for every bucket that is not empty, ascending.
  template <class Each> void for_each(Each each) const {
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket)
      if (counts_[bucket] > 0)
        each(std::min(upper_edge_ns(bucket), max_ns_), static_cast<std::int64_t>(counts_[bucket]));
  }
  std::int64_t max_ns() const { return max_ns_; }
  // The upper edge of the bucket that holds the percentile, at most 1/32 above the true value; 0
  // when nothing was added.
  std::int64_t percentile_ns(double share) const;

 private:
  static constexpr int k_sub_bits = 5;
  static constexpr int k_sub = 1 << k_sub_bits;
  static std::size_t bucket_of(std::uint64_t ns);
  static std::int64_t upper_edge_ns(std::size_t bucket);

  std::array<std::uint32_t, (64 - k_sub_bits + 1) * k_sub> counts_{};
  std::int64_t count_ = 0;
  std::int64_t max_ns_ = 0;
};

}  // namespace orch::measure
