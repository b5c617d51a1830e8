#include "core/statistics/separation.hpp"

#include <cmath>

namespace orch::statistics {

Separation separation_from(const Limits& limits, double value) {
  if (limits.high && *limits.high < value) return Separation::below;
  if (limits.low && *limits.low > value) return Separation::above;
  return Separation::not_separated;
}

Limits limits_of_difference(const BoundedEstimate& a, const BoundedEstimate& b) {
  const double difference = a.value - b.value;
  Limits out;
  if (a.limits.low && b.limits.high)
    out.low = difference - std::hypot(a.value - *a.limits.low, *b.limits.high - b.value);
  if (a.limits.high && b.limits.low)
    out.high = difference + std::hypot(*a.limits.high - a.value, b.value - *b.limits.low);
  return out;
}

Separation separation_between(const BoundedEstimate& a, const BoundedEstimate& b) {
  return separation_from(limits_of_difference(a, b), 0);
}

}  // namespace orch::statistics
