// `orchestrate check --runner NAME`: a runner's manifest, files, scripts and command lines, then a
// run of its smallest point.
#pragma once

#include "app/session/experiment.hpp"

#include <string>

namespace orch::cli {

struct RunnerCheck {
  std::string name;
  session::ExperimentOptions options;  // without a matrix
  bool json = false;
  bool no_smoke = false;
};

// The exit status. 0: nothing is wrong, though stages may be skipped; 1: a stage failed; 2: the
// runner has errors; 130: interrupted.
int check_runner(const RunnerCheck& check);

}  // namespace orch::cli
