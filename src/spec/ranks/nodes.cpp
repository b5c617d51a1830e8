#include "spec/ranks/nodes.hpp"

namespace orch::ranks {

std::optional<int> nodes_for(int ranks, int gpus, const Nodes& nodes) {
  if (nodes.gpus <= 0 || gpus <= nodes.gpus) return 1;
  for (int count = 2; count <= nodes.count && count <= ranks; ++count)
    if (ranks % count == 0 && gpus % count == 0 && gpus / count <= nodes.gpus) return count;
  return std::nullopt;
}

}  // namespace orch::ranks
