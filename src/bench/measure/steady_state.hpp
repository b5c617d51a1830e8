// Decides from a run's values, in their order, whether the run reached steady state: no drift and
// no step. Knows no requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch::measure {

struct SteadyState {
  bool steady = true;
  // Of a run that is not steady: the number of values before its steady rest. Empty when no rest of
  // at least half of the run is steady.
  std::optional<std::int64_t> settled;
  std::string sentence;  // a warning for users; empty when steady
};

inline constexpr std::int64_t k_steady_least = 100;

// VALUES must not be negative. NAME is their name in the sentence, with the unit. Empty for fewer
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
