// Mean, spread and percentiles of a list of numbers, with NumPy's defaults (and so genai-perf's).
#pragma once

#include "bench/measure/metric_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orch::measure {

struct Statistics {
  double mean = 0;
  double sd = 0;  // of the population (ddof 0)
  double min = 0;
  double max = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  std::int64_t n = 0;
};

// VALUES must not be empty. Each statistic is divided by SCALE last, as in genai-perf, so that both
// agree to the last digit.
Statistics statistics(std::vector<double> values, double scale = 1);

// VALUES must not be empty.
double mean_of(std::span<const double> values);

// Linear interpolation between the two nearest ranks of SORTED, which must not be empty; SHARE is
// within 0..1.
double percentile(std::span<const double> sorted, double share);

// A statistic by name, for code that prints or stores all of them.
struct StatisticField {
  Statistic statistic;
  double Statistics::*value;
  int per_mille;  // of a percentile; 0 for the others

  constexpr std::string_view name() const { return to_string(statistic); }
};
inline constexpr std::array<StatisticField, 9> k_statistic_fields{{
    {Statistic::mean, &Statistics::mean, 0},
    {Statistic::sd, &Statistics::sd, 0},
    {Statistic::min, &Statistics::min, 0},
    {Statistic::max, &Statistics::max, 0},
    {Statistic::p50, &Statistics::p50, 500},
    {Statistic::p90, &Statistics::p90, 900},
    {Statistic::p95, &Statistics::p95, 950},
    {Statistic::p99, &Statistics::p99, 990},
    {Statistic::p999, &Statistics::p999, 999},
}};

// The fewest records that support a percentile: with n < 1 / (1 - p) not even one record is
// expected beyond it, and the figure hardly differs from the maximum. p50 needs 2, p90 10, p95 20,
// p99 100, p999 1000.
constexpr std::int64_t records_needed(int per_mille) {
  const int beyond = 1000 - per_mille;
  return (1000 + beyond - 1) / beyond;
}

// A histogram of durations. The width of a bucket is at most 1/32 of its durations, so memory is
// bounded however long the run is.

class Histogram {
 public:
  // Negative durations count as zero.
  void add(std::int64_t ns);

  std::int64_t count() const { return count_; }
  // Calls EACH(upper edge in ns, count) for every non-empty bucket, ascending.
  template <class Each> void for_each(Each each) const {
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket)
      if (counts_[bucket] > 0)
        each(std::min(upper_edge_ns(bucket), max_ns_), static_cast<std::int64_t>(counts_[bucket]));
  }
  std::int64_t max_ns() const { return max_ns_; }
  // The upper edge of the percentile's bucket, at most 1/32 above the true value; 0 if nothing was
  // added.
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
