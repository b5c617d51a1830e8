// Whether the nodes of a cluster see the program, the project and the folders of a run by the paths
// that they have here: one short job step per node, and small files in the folders, which are
// removed.
#pragma once

#include "app/doctor/asking.hpp"
#include "app/doctor/finding.hpp"
#include "app/doctor/slurm_cluster.hpp"

#include <string>
#include <vector>

namespace orch::doctor {

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
