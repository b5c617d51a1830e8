// Servers with more GPUs than a node has: whether their ranks can be divided among nodes.
#pragma once

#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"

namespace orch::session {

// The nodes of EXPERIMENT as they are stated.
ranks::Nodes nodes_of(const Experiment& experiment);

// Appends an error for each stage of PLAN whose GPUs are those of several nodes, and whose command
// cannot be divided among them.
void refuse_undivided(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

// The same for those in containers whose engine starts them on one node only.
void refuse_contained(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

}  // namespace orch::session
