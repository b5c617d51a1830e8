// Examines a Slurm cluster from here: its commands, controller, nodes and MPI.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/site.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::doctor {

struct Node {
  std::string name, state;  // "idle", as reported by sinfo

  // Whether a job can start there now.
  bool is_free() const { return state == "idle" || state == "mixed"; }
};

struct Cluster {
  Section section;
  std::vector<Node> nodes = {};  // the nodes of the site's partition, each once
  std::string unknown = {};      // why its nodes are unknown; otherwise ""
};

// Parses the lines of `sinfo --Node --format "%N|%T"`. A node of several partitions is included
// once.
std::vector<Node> parse_nodes(std::string_view text);

// With IS_ASKED_FOR, the absence of Slurm is "missing"; otherwise it is only a note.
Cluster look_at_cluster(const Asking& asking, const session::SlurmSite& site, bool is_asked_for);

// Whether the nodes of a cluster see the program, the project and the folders of a run under the
// same paths as here: runs one short job step per node, and writes small files into the folders,
// which it removes.

// A folder that this machine and the nodes must be able to read and write.
struct SharedFolder {
  std::string what;    // "the results folder"
  std::string path;    // the folder's path, or that of the nearest existing folder above it
  std::string choice;  // how the user selects another one: "--store DIR"
};

struct SharedPaths {
  std::string program;                     // the orchestrate binary
  std::vector<std::string> projects = {};  // one file of each runners folder, such as a manifest
  std::vector<SharedFolder> folders;
};

// Examines at most a few free nodes of CLUSTER, and states how many were not examined. If none can
// be examined, that is "missing".
Section paths_section(const Asking& asking, const session::SlurmSite& site, const Cluster& cluster,
                      const SharedPaths& paths);

}  // namespace orch::doctor
