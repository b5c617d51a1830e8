// How far a run has come, for the status line.
#pragma once

#include "run/schedule/run_state.hpp"
#include "run/schedule/scheduler.hpp"

namespace orch::schedule {

Progress progress_of(const RunState& run);

}  // namespace orch::schedule
