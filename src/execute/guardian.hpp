// The parent of what runs: owns the log pipe and blacks out secrets, waits, writes the exit record
// by rename, ends the tree when it is asked to or when its orchestrator has been gone for the grace
// period, and lets a new orchestrator take over. Knows launches; nothing of stages or the store's
// rows.
#pragma once

namespace orch::execute {

inline constexpr int k_guardian_control =
    3;  // the descriptor that a guardian is given: the socket to whoever started it

// `orchestrate guardian`: serves until it is let go. CONTROL is that socket. The exit status.
int serve_as_guardian(int control);

}  // namespace orch::execute
