// What earlier runs tell a plan: what the store holds, what attempts took, what stages were. Reads
// only. Private to src/store.
#pragma once

#include "plan/explain.hpp"
#include "plan/plan.hpp"

namespace orch::store {

struct Core;

// Usable outputs, and what attempts took.
Result<plan::Done> read_done(Core& core);
// Every stage of RUNNER that was ever planned with a digest, with the components of that digest.
Result<plan::Ancestors> read_ancestors(Core& core, const std::string& runner);

}  // namespace orch::store
