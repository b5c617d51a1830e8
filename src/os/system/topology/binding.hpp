// Keeps this process, and the processes that it starts later, on some CPUs and some memory.
#pragma once

#include "core/base/result.hpp"
#include "os/system/topology/cpus.hpp"

#include <vector>

namespace orch::system {

// Threads of this process use CPUS and no others; empty: those that it had when it was started.
// Memory that the calling thread's children allocate comes from NODES (NUMA); empty: from anywhere.
// On error nothing has changed but the memory.
Status bind_to(const CpuSet& cpus, const std::vector<int>& nodes);

}  // namespace orch::system
