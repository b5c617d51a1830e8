// A Slurm cluster as it is seen from here: its commands, its controller, its nodes, its MPI.
#pragma once

#include "app/doctor/asking.hpp"
#include "app/doctor/finding.hpp"
#include "app/session/site.hpp"

#include <string>
#include <vector>

namespace orch::doctor {

struct Node {
  std::string name, state;  // "idle", as sinfo names it

  // A job can start there now.
  bool is_free() const { return state == "idle" || state == "mixed"; }
};

struct Cluster {
  Section section;
  std::vector<Node> nodes;  // of the site's partition, each once
  std::string unknown;      // why its nodes are not known; ""
};

// The lines of `sinfo --Node --format "%N|%T"`: a node of several partitions counts once.
std::vector<Node> parse_nodes(std::string_view text);

// IS_ASKED_FOR: a machine without Slurm lacks it; otherwise that is only noted.
Cluster look_at_cluster(const Asking& asking, const session::SlurmSite& site, bool is_asked_for);

}  // namespace orch::doctor
