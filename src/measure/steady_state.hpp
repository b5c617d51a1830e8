// Whether the values of a run, in their order, kept to one level, decided by the values themselves.
// It knows nothing of requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch::measure {

struct SteadyState {
  bool steady = true;
  // Of a run that was not: how many values came before the rest was. Empty: the rest of at least
  // half a run never was.
  std::optional<std::int64_t> settled;
  std::string sentence;  // for a human; empty when it was steady
};

inline constexpr std::int64_t k_steady_least = 100;

// Of VALUES, of which none may be negative; WHAT names them in the sentence, their unit included.
// Empty for fewer than k_steady_least values, of which nothing can be said.
//
// Method: the logarithms of 20 batch means, since levels of waiting times differ by factors, are
// held against one straight line and against every split into two levels. Student's t of the slope
// and of the greatest step, with the residuals' correlation from batch to batch as a first-order
// autoregression, must stay below limits that were set by simulation, and a change of less than 5
// %, from level to level or from half to half, is none. Where a run was not steady, batches are
// left out from its begin until the rest is.
//
// Simulated (tests/measure/steady_state_test.cpp): M/M/1 sojourn times, 2,000 a run, are called
// steady in 97 % of the runs at a utilisation of 0.5 and in 94 % at 0.8; ramps, steps, a drift of
// 20 %, a cold start and an overloaded queue unsteady in over 95 %.
std::optional<SteadyState> steady_state(std::string_view what, std::span<const double> values);

}  // namespace orch::measure
