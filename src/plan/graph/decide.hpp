// Decides which stages of a graph run, which are reused and which wait for facts, and why. Goes
// from the measurements backwards: a stage that no other waits for stays idle.
#pragma once

#include "plan/graph/plan.hpp"

namespace orch::plan {

// Sets status and why of every stage and point. An unknown name in the options is an error.
void decide(Plan& plan, std::span<const Inputs> all, Errors& errors);

}  // namespace orch::plan
