// What a host has that stages share out among themselves. Values only: nothing here asks the host.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::resources {

// A physical core. A node is a NUMA node.
struct Core {
  std::vector<int> cpus;  // its hardware threads, by the numbers of the kernel
  int node = 0;
};

struct Gpu {
  int index = 0;           // as in system::GpuUse
  int node = -1;           // the NUMA node that it is attached to; -1: not known
  std::set<int> linked{};  // the GPUs that NVLink joins it with
};

struct Inventory {
  std::vector<Core> cores;  // empty: not known, and none are assigned
  std::vector<Gpu> gpus;    // by index
  double memory_gib = 0;    // 0: not known, and not counted
  // Of the disk, what stages may write; empty: not known, and not counted.
  std::optional<std::uint64_t> disk_bytes{};
  // Named things of which only so many stages may hold one at a time: a licence, a network share.
  std::map<std::string, int> tokens;
};

// A host of which only numbers are known: CORES cores of one hardware thread each and GPUS GPUs,
// all near each other.
Inventory plain_inventory(int cores, int gpus);

}  // namespace orch::resources
