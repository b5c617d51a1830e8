#include "plan/resources/host_resources.hpp"

namespace orch::resources {

Inventory plain_inventory(int cores, int gpus) {
  Inventory inventory;
  for (int core = 0; core < cores; ++core) inventory.cores.push_back({.cpus = {core}});
  for (int gpu = 0; gpu < gpus; ++gpu) {
    Gpu one{.index = gpu, .node = 0};
    for (int other = 0; other < gpus; ++other)
      if (other != gpu) one.linked.insert(other);
    inventory.gpus.push_back(std::move(one));
  }
  return inventory;
}

}  // namespace orch::resources
