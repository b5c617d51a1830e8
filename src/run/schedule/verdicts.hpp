// Why an attempt failed: from how its process ended, its log, the state of the machine at its end,
// and its inputs. Does not know what follows from it.
#pragma once

#include "run/schedule/run_state.hpp"

#include <string_view>

namespace orch::schedule {

// The failure that ENDED amounts to, of a process that nobody stopped.
AttemptFailure failure_of(RunState& run, const ActiveProcess& process, const execute::Ended& ended);

// FAILURE, or the fault of the machine or the harness that explains it better: an input that
// vanished explains every failure of the system, a full disk those that say no reason.
AttemptFailure explained(RunState& run, const ActiveProcess& process, const execute::Ended& ended,
                         AttemptFailure failure);

// The failure that an error of our own work is. OTHERWISE: its class when the error number says too
// little.
AttemptFailure failure_to(std::string_view otherwise, const Error& error);

}  // namespace orch::schedule
