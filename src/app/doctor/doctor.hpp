// What this machine or cluster has, what runners lack here, and what fixes it. Starts only short
// programs with a time limit, and leaves nothing behind.
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

// What a command line asks for.
struct Asked {
  std::string runner = {};  // a section of this one only; "": of every runner
  bool slurm = false;       // the cluster, and the paths on its nodes
  std::string store = "results";
  bool names_store = false;    // the command line names it
  std::string site_file = {};  // "": the user's own
  std::string runners = {};    // a folder of runners that comes first
  double patience_s = 20;      // for one answer
};

struct With {
  session::World& world;
  IsShared is_shared;
  std::vector<Version> versions;
};

// Appends to ERRORS: a faulty site file, a runner that there is not.
std::vector<Section> examine(const With& with, const Asked& asked, Errors& errors);

// What a runner needs of this machine and does not find, by the first point of its first preset:
// programs, versions of its engine, and the rules that read facts of the host.

// What a runner meets here.
struct Here {
  const std::map<std::string, matrix::Value>& host;  // facts, host_*
  const session::ContainerSite& container;
  bool slurm = false;  // nodes of a cluster run it, and not this machine
};

// RUNNER's manifest has no errors, else these are the findings.
Section runner_section(const Asking& asking, const session::RunnerFile& runner, const Here& here);

}  // namespace orch::doctor
