// Chooses GPUs that are near each other. Pure.
#pragma once

#include "plan/resources/host_resources.hpp"

#include <vector>

namespace orch::resources {

// COUNT of FREE, which has at least as many, by index: a group with the fewest pairs that NVLink
// does not join, then with the fewest pairs on different NUMA nodes. Among equal groups the one on
// the nodes with the fewest free GPUs, so that large groups stay together; then the lowest indices.
std::vector<int> nearest_gpus(const std::vector<Gpu>& free, std::size_t count);

}  // namespace orch::resources
