// Reads what planning needs from earlier runs: usable outputs, durations, failures, and previously
// planned stages. Private to src/results/store.
#pragma once

#include "plan/graph/explanation/explain.hpp"
#include "plan/graph/plan.hpp"
#include "run/schedule/journal.hpp"

#include <string>
#include <vector>

namespace orch::store {

struct Core;

// Usable outputs, final failures, and the durations of attempts.
Result<plan::Done> read_done(Core& core);
// Every stage of RUNNER that was planned with a digest, with the components of the digest.
Result<plan::Ancestors> read_ancestors(Core& core, const std::string& runner);

// Reads the attempts of dead runs that have no recorded end. Does not inspect processes. Private to
// src/results/store.

struct Core;

// The attempts of dead runs without a recorded end, in the order in which they were recorded.
Result<std::vector<schedule::Unfinished>> read_unfinished(Core& core);

}  // namespace orch::store
