// Whether the nodes of a cluster see the program, the project and the results folder by the paths
// that they have here: one short job step per node, and small files in the results folder, which
// are removed.
#pragma once

#include "doctor/asking.hpp"
#include "doctor/finding.hpp"
#include "doctor/slurm_cluster.hpp"

#include <string>
#include <vector>

namespace orch::doctor {

struct SharedPaths {
  std::string program;                // the orchestrate binary
  std::vector<std::string> projects;  // a file of each folder of runners, such as a manifest
  std::string store;                  // the results folder, or a folder above it that exists
};

// Looks at free nodes of CLUSTER, at most a few; others are counted. Where it can look at none,
// that is missing.
Section paths_section(const Asking& asking, const experiment::SlurmSite& site,
                      const Cluster& cluster, const SharedPaths& paths);

}  // namespace orch::doctor
