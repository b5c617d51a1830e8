// Commands around a launch, for what belongs to it and is not in its process tree: the clocks of a
// GPU, a container of a daemon. What they change is taken back after any death: the list of the
// commands that do so is on disk before the first one runs. Knows nothing of what they do.
#pragma once

#include "run/execute/executor.hpp"
#include "os/system/host_parts.hpp"

#include <string>

namespace orch::execute {

// Writes the list of LAUNCH.after to LAUNCH.undo, then runs LAUNCH.before. Each command gets the
// part of the environment of LAUNCH that says where programs and daemons are. After an error
// everything is taken back.
Status run_before(const system::Host& host, const Launch& launch);

// Runs the commands of the list that LAUNCH has on disk, all of them, and removes it once all have
// succeeded; the first error. No list, or one of another launch or boot: does nothing. (A list of
// this boot was written here, and not brought by a copy of a store.)
Status take_back(const system::Host& host, const Launch& launch);

}  // namespace orch::execute
