// Whether an estimate is told apart from a limit or from another estimate. Knows no metric.
#pragma once

#include "core/statistics/limits.hpp"

namespace orch::statistics {

enum class Separation {
  below,          // significantly
  above,          // significantly
  not_separated,  // the interval includes the limit, or no difference
};

// Of LIMITS, an interval of one estimate, from VALUE, which is exact: that of a constraint.
Separation separation_from(const Limits& limits, double value);

struct BoundedEstimate {
  double value = 0;
  Limits limits{};  // on both sides of VALUE, or equal to it
};

// The interval of A - B for independent estimates, from their own intervals, at the same level: the
// distances to the limits that face each other add up in squares (MOVER: Zou, Donner, Statistics in
// Medicine 27, 2008). Two intervals may overlap although the estimates are told apart.
Limits limits_of_difference(const BoundedEstimate& a, const BoundedEstimate& b);

// Whether A is above or below B.
Separation separation_between(const BoundedEstimate& a, const BoundedEstimate& b);

}  // namespace orch::statistics
