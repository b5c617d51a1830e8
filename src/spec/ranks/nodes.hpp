// How a server of several ranks is divided among nodes. Pure: knows no cluster.
#pragma once

#include <optional>

namespace orch::ranks {

// The nodes that there are: all alike.
struct Nodes {
  int count = 1;
  int gpus = 0;  // of each; 0: not known
};

// The fewest of NODES on which RANKS ranks with GPUS in all can be, as many on each; empty: they
// cannot.
std::optional<int> nodes_for(int ranks, int gpus, const Nodes& nodes);

}  // namespace orch::ranks
