// What a run would do and when, as text for people and as JSON.
#pragma once

#include "plan/graph/plan.hpp"
#include "run/simulate/simulate.hpp"

#include <string>

namespace orch::cli {

// A lane per GPU, a line per attempt, then how long it all takes beside the shortest possible time.
std::string schedule_text(const plan::Plan& plan, const simulate::Conditions& conditions,
                          const simulate::Timeline& timeline);
std::string schedule_json(const plan::Plan& plan, const simulate::Conditions& conditions,
                          const simulate::Timeline& timeline);

}  // namespace orch::cli
