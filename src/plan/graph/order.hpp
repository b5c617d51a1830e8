// Orders the stages of a plan. Knows their estimates and nothing of their content.
#pragma once

#include "plan/graph/plan.hpp"

namespace orch::plan {

// Points that share a build or a server are adjacent, at every level of the servers' needs, and the
// group with the cheapest point comes first. Without known times, and where points are measured
// again, the order of the axes stays. The servers of several runners take turns, and every server
// has its first session (repeats.serve) before any has its second. Moves the stages of PLAN only;
// every stage follows those that it needs.
void order(Plan& plan, std::span<const Inputs> all);

}  // namespace orch::plan
