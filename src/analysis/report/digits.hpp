// How many digits of a figure are meaningful. Knows no metric.
#pragma once

#include "core/statistics/verdict.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::report {

// Of an interval: both, one, or neither.
using statistics::Limits;

// VALUE to the second significant digit of half the width of its interval, but with no fewer than
// two digits; without both limits to four significant digits, and a whole number as it is. A digit
// before the point is never rounded away.
std::string figure(double value, const Limits& limits = {});
// "9.8 to 10.4" with the digits of figure(); "≥ 9.8" and "≤ 10.4" for one limit; "" for none.
std::string interval(double value, const Limits& limits);

// Whether the warnings of a measurement report that something else used the machine or the server
// meanwhile. Knows no measurement.

// WARNINGS: one or many, in any form.
bool tells_disturbance(std::string_view warnings);

// Whether they report that the stream arrived in bursts, so that TTFT and ITL are those of a buffer
// on the way.
bool tells_bursts(std::string_view warnings);

// The Pareto front: candidates that no other candidate beats. Knows no metric.

enum class Direction { lower_is_better, higher_is_better };

// The figures of a candidate, one for each direction. A nullopt or NaN figure is unknown.
using Candidate = std::vector<std::optional<double>>;

// One flag for each candidate: true unless another is nowhere worse and at least once better. Equal
// candidates do not beat each other, so ties stay. A candidate with an unknown figure is not on the
// front and beats none.
std::vector<bool> front_of(std::span<const Candidate> candidates,
                           std::span<const Direction> directions);

}  // namespace orch::report
