// One metric of a point over its repeats and server sessions: the mean, the spread, and the 95 %
// limits of the mean and of each percentile. It knows no store and no name of a metric.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/measure/statistic_names.hpp"

namespace orch::measure {

// A metric as one measurement has it. Statistics are in the order of k_suffixed_statistics.
struct Repeat {
  std::int64_t session = 0;    // measurements of one server session have the same number
  std::optional<double> mean;  // or the single value
  std::array<std::optional<double>, k_suffixed_statistics.size()> statistics = {};
};

// REPEATS must not be empty; the session of the result is that of the first.
//
// The mean and the percentiles are the means over sessions of the means within each, `sd` is that
// of all samples with equal weight per repeat, `min` and `max` are those of all, `n` is their sum.
//
// A single value keeps its own limits. From two on, a limit is as far from the mean as the farther
// of two:
// - Student's t over the means of the sessions, or over the repeats where all have one session.
//   Sessions are independent, whatever correlation exists within each, so that this interval alone
//   covers the true mean in 95 % of all cases. It contains the variance between sessions, between
//   repeats and within them. With one session it says nothing about other starts of the server.
// - What the repeats' own limits imply, as if they differed by nothing else: sqrt(sum of the
// squared
//   distances) / n. A repeat without a limit counts with the average of the others. Few repeats
//   sometimes agree by chance and make Student's t too narrow, although each reports a wide
//   interval. The own interval of a mean uses Student's t with 7 degrees of freedom, 2.3646
//   (interval.hpp); many repeats have more together, so that the distance is multiplied by 1.9600 /
//   2.3646.
// A limit of a percentile exists only where at least one repeat has it: if the tail is too thin in
// each of them, repeats that agree do not bound it.
// Simulated in tests/bench/measure/over_repeats_test.cpp: with variance between repeats, 95 % of
// the intervals cover the true mean; without it, 99 % do, and the intervals are wider by 3 % with
// two repeats, 12 % with three and 34 % with ten. No limit is below zero unless a value is.
Repeat over_repeats(std::span<const Repeat> repeats);

}  // namespace orch::measure
