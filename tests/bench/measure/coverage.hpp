// Coverage of intervals by simulation, and their width relative to that for a known spread.
#pragma once

#include "bench/measure/interval.hpp"
#include "processes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

namespace orch::measure {

inline double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Half widths are those to the farther limit, in units of an oracle's: 1.96 standard deviations of
// the mean from run to run.
struct Coverage {
  double percent = 0;        // of the intervals that were given
  double given_percent = 0;  // of the runs
  double median_width = 0;
  double widest = 0;
};

template <class Make>
Coverage coverage(double truth, int replications, std::int64_t cycle, Make make) {
  Draws draws(20261121);
  std::vector<double> means;
  std::vector<double> widths;
  int held = 0;
  for (int i = 0; i < replications; ++i) {
    const std::vector<double> values = make(draws);
    means.push_back(mean_of(values));
    const auto interval = interval_of_mean(values, cycle);
    if (!interval) continue;
    widths.push_back(std::max(interval->high - means.back(), means.back() - interval->low));
    if (interval->low <= truth && truth <= interval->high) ++held;
  }
  const double mean = mean_of(means);
  double squares = 0;
  for (const double one : means) squares += (one - mean) * (one - mean);
  const double oracle = 1.96 * std::sqrt(squares / (replications - 1));
  const auto given = static_cast<double>(widths.size());
  if (widths.empty()) return {};
  std::sort(widths.begin(), widths.end());
  return {.percent = 100 * held / given,
          .given_percent = 100 * given / replications,
          .median_width = widths[widths.size() / 2] / oracle,
          .widest = widths.back() / oracle};
}

}  // namespace orch::measure
