// What the container of a planned stage is given, in symbols: {stage:ID}, {out}, {work} and {tmp}
// become paths, and {token} a name, where the stage is started or written into a script.
#pragma once

#include "plan/plan.hpp"

namespace orch::plan {

// The outputs of all stages that STAGE needs, directly or not, in the order of PLAN: an output may
// name those that it was made from.
std::vector<StageId> upstream_of(const Plan& plan, const Stage& stage);

// Mounts, working folder, name and labels of STAGE, whose container has an image by name. The
// folders of its runner, its variables, GPUs and user are those of a machine: the caller's part.
container::Start container_start(const Plan& plan, const Stage& stage);

}  // namespace orch::plan
