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

// Usable outputs, final failures, the durations of attempts, and the finished runs.
Result<plan::Done> read_done(Core& core);
// Every stage of RUNNER that was planned with a digest, with the components of the digest.
Result<plan::Ancestors> read_ancestors(Core& core, const std::string& runner);

struct Core;

// The attempts of dead runs without a recorded end, in the order in which they were recorded. Does
// not look at processes.
Result<std::vector<schedule::Unfinished>> read_unfinished(Core& core);

}  // namespace orch::store
