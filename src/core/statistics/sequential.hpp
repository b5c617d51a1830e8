// When a growing comparison may be looked at, at which level, and when it may stop. Knows no clock
// and no budget.
//
// Looking after each round with the level of one look gives 18 % false alarms over 2 to 10 sessions
// a side. A plan divides the level among its looks instead.
#pragma once

#include <span>
#include <vector>

#include "core/statistics/session_difference.hpp"

namespace orch::statistics {

struct Look {
  int sessions = 0;  // on each side
  double alpha = 0;  // the level of this look; its interval has the level 1 - alpha

  bool operator==(const Look&) const = default;
};

inline constexpr int k_first_look = 3;
inline constexpr double k_look_shape = 0.35;
// Of the boundary for normal statistics. In the simulated comparisons 4.7 % are false alarms, and
// 6 % if sessions are normally distributed (docs/statistics.md).
inline constexpr double k_look_alpha = 0.0525;

// A look at 3 sessions a side and after each round up to MOST, which is at least 2; below 3 one
// look at the end. The boundary is that of Wang and Tsiatis (Biometrics 43, 1987) with the shape
// k_look_shape, so later looks have a higher level; ALPHA is the level of all looks together. The
// boundary assumes normal statistics and is applied to the p values of Student's t (Pocock,
// Biometrika 64, 1977), which a simulation confirms: see docs/statistics.md.
//
// The level holds whatever stops the rounds between two looks, a budget included. A lent spread
// must not be used: its error is common to all looks.
std::vector<Look> looks(int most, double alpha = k_look_alpha);

enum class Step {
  go_on,
  differs,  // significant: stop
  same,     // the whole interval is within +-size: stop
  ended,    // undecided at the last look
};

// DIFFERENCE is that at LOOK, computed with the level 1 - look.alpha; its interval holds in spite
// of the stopping (a repeated confidence interval: Jennison, Turnbull, Journal of the Royal
// Statistical Society B 51, 1989). SIZE: the difference that matters, positive, in its unit.
Step step(const SessionDifference& difference, double size, bool last);

// The constant c for which a Brownian motion that is observed at SIZES (ascending numbers of
// sessions) leaves |z_k| < c (size_k / last size)^(shape - 0.5) with probability ALPHA: by
// recursive numerical integration (Armitage, McPherson, Rowe: Journal of the Royal Statistical
// Society A 132, 1969). Shape 0.5 is Pocock's boundary, 0 that of O'Brien and Fleming. Right to
// three digits.
double boundary_constant(std::span<const int> sizes, double shape, double alpha);

}  // namespace orch::statistics
