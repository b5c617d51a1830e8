// What runs that died left without an end. Reads only; asks no process. Private to src/store.
#pragma once

#include "schedule/unfinished.hpp"

#include <vector>

namespace orch::store {

struct Core;

// Oldest first.
Result<std::vector<schedule::Unfinished>> read_unfinished(Core& core);

}  // namespace orch::store
