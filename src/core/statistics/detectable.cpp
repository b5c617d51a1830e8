#include "core/statistics/detectable.hpp"

#include <cassert>
#include <cmath>

#include "core/statistics/student.hpp"

namespace orch::statistics {

std::optional<double> detectable_difference(double sd, int sessions,
                                            const DetectableOptions& options) {
  assert(sd >= 0 && sessions >= 1 && options.lent_degrees >= 0);
  assert(options.level > 0 && options.level < 1 && options.power > 0 && options.power < 1);
  const double degrees = 2.0 * sessions - 2 + options.lent_degrees;
  if (!(degrees > 0)) return {};
  return (student_quantile((1 + options.level) / 2, degrees) +
          student_quantile(options.power, degrees)) *
         sd * std::sqrt(2.0 / sessions);
}

std::optional<int> sessions_needed(double size, double sd, const DetectableOptions& options,
                                   int most) {
  assert(size > 0);
  const auto found = [&](int sessions) {
    const std::optional<double> detectable = detectable_difference(sd, sessions, options);
    return detectable && *detectable <= size;
  };
  // The detectable difference falls as sessions are added.
  int too_few = 0;
  int enough = 1;
  while (enough < most && !found(enough)) {
    too_few = enough;
    enough = std::min(most, 2 * enough);
  }
  if (!found(enough)) return {};
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (found(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace orch::statistics
