// Which CPUs of this host share a core and a NUMA node, as the kernel says.
#pragma once

#include "os/system/topology/cpus.hpp"

#include <set>
#include <string>
#include <vector>

namespace orch::system {

struct HostCore {
  std::vector<int> cpus;  // its hardware threads that this process may use, sorted
  int node = 0;           // its NUMA node; 0 where the kernel names none
};

// The cores of OWN, by their first CPU. Where SYS, the folder /sys/devices/system, says nothing,
// each CPU is a core of its own.
std::vector<HostCore> detect_cores(const CpuSet& own,
                                   const std::string& sys = "/sys/devices/system");

// The NUMA nodes that have memory; empty where SYS says nothing.
std::set<int> memory_nodes(const std::string& sys = "/sys/devices/system");

}  // namespace orch::system
