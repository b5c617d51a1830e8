// One metric of a point over its repeats and server sessions: the mean, the spread, and the 95 %
// limits of the mean and of each percentile.
#pragma once

#include "bench/measure/metric_names.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch::measure {

// A metric in one measurement.
struct Repeat {
  std::int64_t session = 0;         // measurements of one server session have the same number
  std::optional<double> mean = {};  // or the single value
  StatisticValues statistics = {};
};

// REPEATS must not be empty; the session of the result is that of the first.
//
// The mean and the percentiles are the means over sessions of the means within each, `sd` is that
// of all samples with equal weight per repeat, `min` and `max` are those of all samples, `n` is the
// sum.
//
// A single value keeps its own limits. With two or more, a limit is as far from the mean as the
// farther of these two:
// - Student's t over the means of the sessions, or over the repeats if all have one session.
//   Sessions are independent, however correlated the values within each, so this interval alone
//   covers the true mean in 95 % of all cases. It contains the variance between sessions, between
//   repeats and within them. With one session it says nothing about other starts of the server.
// - What the repeats' own limits imply, as if nothing else made them differ: sqrt(sum of the
//   squared distances) / n. A repeat without a limit counts with the average of the others. Few
//   repeats sometimes agree by chance and make Student's t too narrow, although each reports a wide
//   interval. The own interval of a mean may use Student's t with few degrees of freedom (2.3646
//   with 7); the repeats together have many (1.9600), so the distance is multiplied by
//   1.9600 / 2.3646.
// A limit of a percentile exists only if at least one repeat has it: if the tail is too thin in
// each repeat, their agreement does not bound the percentile.
// Simulated in tests/bench/measure/over_repeats_test.cpp: with variance between repeats, 95 % of
// the intervals cover the true mean; without it, 99 % do, and the intervals are wider than
// Student's t alone by 3 % with two repeats, 12 % with three and 34 % with ten. No limit is below
// zero unless a value is.
Repeat over_repeats(std::span<const Repeat> repeats);

// Decides from a run's values, in order, whether the run reached steady state: no drift and no
// step.

struct SteadyState {
  bool steady = true;
  // For a run that is not steady: the number of values before its steady rest. nullopt if no rest
  // of at least half of the run is steady.
  std::optional<std::int64_t> settled = {};
  std::string sentence = {};  // a warning for users; "" if steady
};

inline constexpr std::int64_t k_steady_least = 100;

// VALUES must not be negative. NAME: their name in the sentence, with the unit. nullopt for fewer
// than k_steady_least values, which are too few to decide.
//
// Method: the logarithms of 20 batch means (levels of waiting times differ by factors) are compared
// with one straight line and with every split into two levels. Student's t of the slope and of the
// greatest step, with the correlation of the residuals modelled as a first-order autoregression,
// must stay below limits found by simulation; a change of less than 5 %, from level to
// level or from half to half, is ignored. For a run that is not steady, batches are dropped from
// its beginning until the rest is.
//
// By simulation (tests/bench/measure/steady_state_test.cpp): 2,000 M/M/1 sojourn times are reported
// steady in 97 % of the runs at a utilisation of 0.5 and in 94 % at 0.8; ramps, steps, a drift of
// 20 %, a cold start and an overloaded queue are reported unsteady in over 95 %.
std::optional<SteadyState> steady_state(std::string_view name, std::span<const double> values);

}  // namespace orch::measure
