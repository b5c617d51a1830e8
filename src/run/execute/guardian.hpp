// The guardian process, parent of a launch: redacts its log, waits for it, writes its exit record,
// and ends its tree on request or when no orchestrator comes back within the grace period. A new
// orchestrator can attach to it. Knows nothing of stages or the store.
#pragma once

namespace orch::execute {

// The descriptor on which a guardian inherits the socket to the process that started it.
inline constexpr int k_guardian_control = 3;

// Runs as a guardian until it is dismissed; CONTROL is the inherited socket. Returns the exit
// status of the process.
int serve_as_guardian(int control);

}  // namespace orch::execute
