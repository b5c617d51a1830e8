// Reads what earlier runs left, for planning: usable outputs, durations, failures, and previously
// planned stages. Writes nothing. Private to src/results/store.
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
// Every stage of RUNNER that was ever planned with a digest, with the components of that digest.
Result<plan::Ancestors> read_ancestors(Core& core, const std::string& runner);

// Reads the attempts of dead runs that have no recorded end. Inspects no process. Private to
// src/results/store.

struct Core;

// Oldest first.
Result<std::vector<schedule::Unfinished>> read_unfinished(Core& core);

}  // namespace orch::store
