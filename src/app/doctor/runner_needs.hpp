// What a runner needs of this machine and does not find, by the first point of its first preset:
// programs, versions of its engine, and the rules that read facts of the host.
#pragma once

#include "app/doctor/asking.hpp"
#include "app/doctor/finding.hpp"
#include "app/session/project.hpp"
#include "app/session/site.hpp"
#include "spec/matrix/facts.hpp"

#include <map>
#include <string>

namespace orch::doctor {

// What a runner meets here.
struct Here {
  const std::map<std::string, matrix::Value>& host;  // facts, host_*
  const session::ContainerSite& container;
  bool slurm = false;  // nodes of a cluster run it, and not this machine
};

// RUNNER's manifest has no errors, else these are the findings.
Section runner_section(const Asking& asking, const session::RunnerFile& runner, const Here& here);

}  // namespace orch::doctor
