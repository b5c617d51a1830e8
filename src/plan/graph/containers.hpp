// What the container of a planned stage gets, in symbols that are replaced when the stage is
// started or written into a script: {stage:ID}, {out}, {work}, {jobs}, {tmp} and {token} as in
// commands, {gpu:N} and {variables:PREFIX} of container.hpp, and those of k_container below.
#pragma once

#include "plan/graph/plan.hpp"

#include <string_view>
#include <vector>

namespace orch::plan {

// Whether the manifest itself chooses the GPUs that CUDA shows to a stage that holds none.
bool chooses_gpus(const Spec& spec);

// The tasks that STAGE needs, directly or indirectly, in the order of PLAN: an output may refer to
// the outputs that it was made from.
std::vector<StageId> upstream_of(const Plan& plan, const Stage& stage);

// {container:NAME}: `runner` and `common`, the folders of the manifest's files; `shm`, the stage's
// folder for shared memory; `image`, the id of an image that a stage has built; `user`, UID:GID.
inline constexpr std::string_view k_container = "container:";

// The container of STAGE. The caller adds the settings of the host and its site.
container::Start container_start(const Plan& plan, const Stage& stage);

// For a container that runs on every node: removes the mounts of folders that only one node has.
void share_among_nodes(container::Start& start);

}  // namespace orch::plan
