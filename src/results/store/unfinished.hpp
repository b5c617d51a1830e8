// Reads the attempts of dead runs that have no recorded end. Looks at no process. Private to
// src/results/store.
#pragma once

#include "run/schedule/unfinished.hpp"

#include <vector>

namespace orch::store {

struct Core;

// Oldest first.
Result<std::vector<schedule::Unfinished>> read_unfinished(Core& core);

}  // namespace orch::store
