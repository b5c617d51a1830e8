// What a runner needs of this machine and does not find, by the first point of its first preset:
// programs, versions of its engine, and the rules that read facts of the host.
#pragma once

#include "doctor/asking.hpp"
#include "doctor/finding.hpp"
#include "experiment/project.hpp"
#include "experiment/site.hpp"
#include "matrix/facts.hpp"

#include <map>
#include <string>

namespace orch::doctor {

// What a runner meets here.
struct Here {
  const std::map<std::string, matrix::Value>& host;  // facts, host_*
  const experiment::ContainerSite& container;
  bool slurm = false;  // nodes of a cluster run it, and not this machine
};

// RUNNER's manifest has no errors, else these are the findings.
Section runner_section(const Asking& asking, const experiment::RunnerFile& runner,
                       const Here& here);

}  // namespace orch::doctor
