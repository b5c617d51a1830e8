// The container engines of this machine, and the one that the site file names.
#pragma once

#include "doctor/asking.hpp"
#include "doctor/finding.hpp"
#include "experiment/site.hpp"

namespace orch::doctor {

Section containers_section(const Asking& asking, const experiment::ContainerSite& site,
                           bool has_gpus);

}  // namespace orch::doctor
