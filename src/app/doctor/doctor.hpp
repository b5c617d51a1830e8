// Examines what this machine or cluster has, what runners lack here, and how to fix that. Starts
// only short programs with a time limit, and leaves nothing behind.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/doctor/this_machine.hpp"
#include "app/session/project.hpp"
#include "app/session/site.hpp"
#include "app/session/world.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::doctor {

// The options of the command line.
struct Asked {
  std::string runner = {};  // a section only for this runner; "": for every runner
  bool slurm = false;       // examine the cluster, and the paths on its nodes
  std::string store = "results";
  bool names_store = false;    // the store is given on the command line
  std::string site_file = {};  // "": the user's own
  std::string runners = {};    // a folder of runners that takes precedence
  double patience_s = 20;      // seconds to wait for one answer
};

struct With {
  session::World& world;
  IsShared is_shared;
  std::vector<Version> versions;
};

// Returns {} and appends to ERRORS if the site file has errors or the named runner does not exist.
std::vector<Section> examine(const With& with, const Asked& asked, Errors& errors);

// Finds what a runner needs but does not have on this machine, judged by the first point of its
// first preset or by its smallest point: programs, versions of its engine, and the rules that read
// facts of the host.

// The machine or the nodes for which a runner is examined.
struct Here {
  const std::map<std::string, matrix::Value>& host;  // facts, host_*
  const session::ContainerSite& container;
  bool slurm = false;  // the runner runs on nodes of a cluster, not on this machine
};

// The section about RUNNER. If its manifest has errors, the finding is the first of them.
Section runner_section(const Asking& asking, const session::RunnerFile& runner, const Here& here);

}  // namespace orch::doctor
