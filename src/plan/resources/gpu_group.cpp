#include "plan/resources/gpu_group.hpp"

#include <algorithm>
#include <tuple>

namespace orch::resources {

namespace {

// Compared in this order.
struct Distance {
  int unlinked = 0;    // pairs without NVLink
  int apart = 0;       // pairs on different nodes
  int neighbours = 0;  // free GPUs on the nodes of the group, counted for each of its members

  auto operator<=>(const Distance&) const = default;
};

class Chooser {
 public:
  explicit Chooser(const std::vector<Gpu>& free) : free_(free) {
    for (const Gpu& gpu : free) ++on_node_[gpu.node];
  }

  // A group that begins with SEED and grows by its nearest GPU.
  std::pair<Distance, std::vector<const Gpu*>> grow(const Gpu& seed, std::size_t count) const {
    std::vector<const Gpu*> group = {&seed};
    Distance total{.unlinked = 0, .apart = 0, .neighbours = on_node_.at(seed.node)};
    while (group.size() < count) {
      const Gpu* nearest = nullptr;
      Distance least;
      for (const Gpu& gpu : free_) {
        if (std::ranges::find(group, &gpu) != group.end()) continue;
        const Distance distance = added(group, gpu);
        if (!nearest || distance < least) {
          nearest = &gpu;
          least = distance;
        }
      }
      group.push_back(nearest);
      total = {total.unlinked + least.unlinked, total.apart + least.apart,
               total.neighbours + least.neighbours};
    }
    return {total, group};
  }

 private:
  Distance added(const std::vector<const Gpu*>& group, const Gpu& gpu) const {
    Distance distance{.unlinked = 0, .apart = 0, .neighbours = on_node_.at(gpu.node)};
    for (const Gpu* other : group) {
      if (!gpu.linked.contains(other->index)) ++distance.unlinked;
      if (gpu.node != other->node) ++distance.apart;
    }
    return distance;
  }

  const std::vector<Gpu>& free_;
  std::map<int, int> on_node_;
};

}  // namespace

std::vector<int> nearest_gpus(const std::vector<Gpu>& free, std::size_t count) {
  if (count == 0) return {};
  const Chooser chooser(free);
  std::vector<int> best;
  Distance least;
  for (const Gpu& seed : free) {
    const auto [distance, group] = chooser.grow(seed, count);
    if (!best.empty() && !(distance < least)) continue;
    least = distance;
    best.clear();
    for (const Gpu* gpu : group) best.push_back(gpu->index);
  }
  std::ranges::sort(best);
  return best;
}

}  // namespace orch::resources
