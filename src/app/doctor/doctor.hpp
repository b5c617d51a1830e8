// What this machine or cluster has, what runners lack here, and what fixes it. Starts only short
// programs with a time limit, and leaves nothing behind.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/doctor/store_place.hpp"
#include "app/doctor/this_machine.hpp"
#include "app/session/world.hpp"

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

}  // namespace orch::doctor
