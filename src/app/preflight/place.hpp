// Where a plan is to run, and how preflight asks about it.
#pragma once

#include "run/attempt/container_host.hpp"
#include "app/doctor/asking.hpp"
#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"

#include <string>
#include <vector>

namespace orch::preflight {

// Borrows everything but the last.
struct Place {
  const doctor::Asking& asking;
  const session::Experiment& experiment;
  const attempt::Layout& layout;
  const plan::Plan& plan;
  attempt::ContainerHost containers = {};
};

// WORDS with the paths of the files of RUNNER in place of {file:...}, and with MORE.
std::vector<std::string> filled(const Place& place, const std::vector<std::string>& words,
                                const std::string& runner,
                                const std::map<std::string, std::string>& more = {});

}  // namespace orch::preflight
