// The ports that a matrix pins, compared with those that its servers have.
#pragma once

#include "plan/graph/plan.hpp"

namespace orch::plan {

PinnedPorts pinned_ports(const matrix::Matrix& matrix);
// Appends to ERRORS: names that no server of its runners has, and servers of PLAN with more ports
// of a name than are pinned.
void check_pinned_ports(const Plan& plan, std::span<const Inputs> all, Errors& errors);

}  // namespace orch::plan
