// What the container of a planned stage is given, in symbols that become words where the stage is
// started or written into a script: {stage:ID}, {out}, {work}, {jobs}, {tmp} and {token} as in
// commands, {gpu:N} and {variables:PREFIX} of container.hpp, and those of k_container below.
#pragma once

#include "plan/graph/plan.hpp"

#include <string_view>
#include <vector>

namespace orch::plan {

// Whether the manifest says by itself which GPUs CUDA shows to a stage that holds none.
bool chooses_gpus(const Spec& spec);

// The outputs of all stages that STAGE needs, directly or not, in the order of PLAN: an output may
// name those that it was made from.
std::vector<StageId> upstream_of(const Plan& plan, const Stage& stage);

// {container:NAME}: `runner` and `common`, the folders of the files that its manifest names; `shm`,
// its folder for shared memory; `image`, the id of an image that a stage has built; `user`,
// UID:GID.
inline constexpr std::string_view k_container = "container:";

// The container of STAGE. What a host or its site says about containers is the caller's part.
container::Start container_start(const Plan& plan, const Stage& stage);

// For a container of which every node has one: without the folders that exist on one node only.
void share_among_nodes(container::Start& start);

}  // namespace orch::plan
