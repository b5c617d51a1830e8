// In which order the stages of a plan stand.
#pragma once

#include "plan/plan.hpp"

namespace orch::plan {

// Points that share a build or a server stand together, at every level of what servers need, and
// the group with the cheapest point comes first; where a time is unknown the order of the axes
// stays. Moves PLAN's stages and nothing else: every stage follows what it needs.
void order(Plan& plan, const runner::Manifest& manifest);

}  // namespace orch::plan
