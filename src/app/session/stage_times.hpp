// The file of --times: what stages take on a machine that has not run them yet, so that a plan can
// say how long it will take. Enters no digest and no store.
#pragma once

#include "core/base/result.hpp"
#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"
#include "os/system/files.hpp"

#include <string>
#include <vector>

namespace orch::session {

// FILE is a map from the names of stages to seconds, or to a list of maps: `seconds`, and values of
// parameters of the points (plan::StageTime). Appends every error; stages and parameters that no
// runner of EXPERIMENT has are errors.
std::vector<plan::StageTime> read_stage_times(system::Files& files, const std::string& file,
                                              const Experiment& experiment, Errors& errors);

}  // namespace orch::session
