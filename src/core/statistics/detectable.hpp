// How small a difference can be found, and how many sessions it takes. Knows no data; the spread
// is measured elsewhere (LentSpread of session_difference.hpp).
#pragma once

#include <optional>

namespace orch::statistics {

struct DetectableOptions {
  double level = 0.95;      // of the interval
  double power = 0.8;       // the probability that the difference is found
  double lent_degrees = 0;  // of freedom, of earlier sessions whose spread is pooled in
};

// The smallest difference that a comparison with SESSIONS on each side finds with the given power:
// (t[(1 + level) / 2] + t[power]) * sd * sqrt(2 / sessions), both quantiles with 2 * sessions - 2 +
// lent_degrees degrees of freedom. In the unit of SD, the spread from session to session: for
// logarithms 0.03 is 3 %. Empty without degrees of freedom: one session a side, nothing lent.
std::optional<double> detectable_difference(double sd, int sessions,
                                            const DetectableOptions& options = {});

// The fewest sessions on each side that find a difference of SIZE, which is positive and in the
// unit of SD. At least 2, or 1 with lent degrees. Empty above MOST.
std::optional<int> sessions_needed(double size, double sd, const DetectableOptions& options = {},
                                   int most = 10000);

}  // namespace orch::statistics
