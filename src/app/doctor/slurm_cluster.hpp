// A Slurm cluster as it is seen from here: its commands, its controller, its nodes, its MPI.
#pragma once

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

// Whether the nodes of a cluster see the program, the project and the folders of a run by the paths
// that they have here: one short job step per node, and small files in the folders, which are
// removed.

// A folder that this machine and the nodes are to read and write.
struct SharedFolder {
  std::string what;    // "the results folder"
  std::string path;    // of the folder, or of one above it that exists
  std::string choice;  // how the user names another one: "--store DIR"
};

struct SharedPaths {
  std::string program;                // the orchestrate binary
  std::vector<std::string> projects;  // a file of each folder of runners, such as a manifest
  std::vector<SharedFolder> folders;
};

// Looks at free nodes of CLUSTER, at most a few; others are counted. Where it can look at none,
// that is missing.
Section paths_section(const Asking& asking, const session::SlurmSite& site, const Cluster& cluster,
                      const SharedPaths& paths);

}  // namespace orch::doctor
