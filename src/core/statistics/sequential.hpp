// When a growing comparison may be tested, at which level, and when it may stop.
//
// Testing after each round at the level of a single test gives 18 % false alarms over 2 to 10
// sessions per side. Therefore looks() divides the level among the tests.
#pragma once

#include "core/statistics/session_difference.hpp"

#include <optional>
#include <span>
#include <vector>

namespace orch::statistics {

struct Look {
  int sessions = 0;  // per side
  double alpha = 0;  // the level of this look; its interval has level 1 - alpha

  bool operator==(const Look&) const = default;
};

inline constexpr int k_first_look = 3;
inline constexpr double k_look_shape = 0.35;
// The level for which looks() computes its boundary, assuming normal statistics. In simulated
// comparisons 4.7 % are false alarms, and 6 % if sessions are normal (docs/statistics.md).
inline constexpr double k_look_alpha = 0.0525;

// The looks of a comparison: at 3 sessions per side and after each later round up to MOST, which is
// at least 2; below 3, one look at the end. The boundary is that of Wang and Tsiatis (Biometrics
// 43, 1987) with the shape k_look_shape, so later looks have a higher level; ALPHA is the level of
// all looks together. It assumes normal statistics and is applied to the p values of Student's t
// (Pocock, Biometrika 64, 1977), which simulation confirms: see docs/statistics.md.
//
// The level holds even if something else, such as a budget, ends the rounds between two looks. A
// shared spread must not be used: its error is common to all looks.
std::vector<Look> looks(int most, double alpha = k_look_alpha);

enum class Step {
  go_on,
  differs,  // significant: stop
  same,     // the whole interval is within +-size: stop
  ended,    // undecided at the last look
};

// DIFFERENCE is that at the current look, computed with level 1 - Look::alpha; its interval holds
// despite optional stopping (a repeated confidence interval: Jennison, Turnbull, Journal of the
// Royal Statistical Society B 51, 1989). SIZE: the smallest difference that matters, positive, in
// the unit of DIFFERENCE. LAST: no look follows.
Step step(const SessionDifference& difference, double size, bool last);

// The constant c for which a Brownian motion observed at SIZES (ascending numbers of sessions)
// leaves |z_k| < c (size_k / last size)^(shape - 0.5) with probability ALPHA: by recursive
// numerical integration (Armitage, McPherson, Rowe: Journal of the Royal Statistical Society A 132,
// 1969). Shape 0.5 is Pocock's boundary, 0 that of O'Brien and Fleming. Accurate to three digits.
double boundary_constant(std::span<const int> sizes, double shape, double alpha);

// The smallest difference that can be detected, and the sessions that it takes;
// session_difference.hpp estimates the spread (LentSpread).

struct DetectableOptions {
  double level = 0.95;      // of the interval
  double power = 0.8;       // the probability of detecting the difference
  double lent_degrees = 0;  // degrees of freedom of earlier sessions whose spread is pooled in
};

// The smallest difference that a comparison with SESSIONS per side detects with the given power:
// (t[(1 + level) / 2] + t[power]) * sd * sqrt(2 / sessions), both quantiles with 2 * sessions - 2 +
// lent_degrees degrees of freedom. In the unit of SD, the spread between sessions: for logarithms
// 0.03 is 3 %. nullopt without degrees of freedom, that is one session per side and no shared
// spread.
std::optional<double> detectable_difference(double sd, int sessions,
                                            const DetectableOptions& options = {});

// The fewest sessions per side that detect a difference of SIZE, which is positive and in the unit
// of SD. At least 2, or 1 with lent_degrees. nullopt above MOST.
std::optional<int> sessions_needed(double size, double sd, const DetectableOptions& options = {},
                                   int most = 10000);

// P values adjusted for the number of comparisons made at once.

// The result has the size and order of P_VALUES, whose entries are within 0..1. Its values may be
// compared with the level of a single test; none is below the original or above 1.

// Bounds the probability that any of the comparisons is a false alarm, however they depend on each
// other (Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of
// Statistics 6, 1979).
std::vector<double> holm(std::span<const double> p_values);

// The winner's curse: the best of many noisy estimates is too good on average. Shrinks estimates
// towards their mean by the fraction of their spread that is noise.

struct Estimate {
  double value = 0;  // a logarithm if errors are in percent
  double standard_error = 0;
};

// Empirical Bayes with a normal prior: mean + v / (v + se^2) * (value - mean), where v = max(0,
// variance of the values - mean of se^2) is the true spread (Efron, Morris: Journal of the American
// Statistical Association 70, 1975). In the order of ESTIMATES; fewer than three are returned
// unchanged, because they cannot separate spread from noise.
std::vector<double> shrunk(std::span<const Estimate> estimates);

}  // namespace orch::statistics
