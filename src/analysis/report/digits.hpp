// The meaningful digits of a figure.
#pragma once

#include "core/statistics/verdict.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::report {

// The limits of an interval: both, one, or neither may be known.
using statistics::Limits;

// VALUE rounded to the second significant digit of half the width of its interval, but to two
// digits at least. If a limit is missing, to four significant digits; a whole number is then
// unchanged. Digits before the point are never rounded.
std::string figure(double value, const Limits& limits = {});
// "9.8 to 10.4" with the digits of figure(); "≥ 9.8" and "≤ 10.4" for one limit; "" for none.
std::string interval(double value, const Limits& limits);

// Whether the warnings of a measurement report that something else used the machine or the server
// meanwhile.

// WARNINGS is a text with any number of warnings.
bool tells_disturbance(std::string_view warnings);

// Whether WARNINGS report that the stream arrived in bursts, so that TTFT and ITL are those of a
// buffer on the way.
bool tells_bursts(std::string_view warnings);

// The Pareto front: the candidates that no other candidate beats.

enum class Direction { lower_is_better, higher_is_better };

// The figures of a candidate, one for each direction. A nullopt or NaN figure is unknown.
using Candidate = std::vector<std::optional<double>>;

// A flag for each candidate: true unless another candidate is nowhere worse and at least once
// better. Equal candidates do not beat each other, so all of them stay. A candidate with an unknown
// figure is not on the front, and does not beat others.
std::vector<bool> front_of(std::span<const Candidate> candidates,
                           std::span<const Direction> directions);

}  // namespace orch::report
