// The front (Pareto): candidates that no other candidate beats. Knows no metric.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace orch::report {

enum class Direction { lower_is_better, higher_is_better };

// The figures of a candidate, one for each direction. An empty or NaN figure is not known.
using Candidate = std::vector<std::optional<double>>;

// One flag for each candidate: true unless another one is nowhere worse and better at least once.
// Equal candidates do not beat each other, so ties stay. A candidate with an unknown figure is not
// on the front and beats none.
std::vector<bool> front_of(std::span<const Candidate> candidates,
                           std::span<const Direction> directions);

}  // namespace orch::report
