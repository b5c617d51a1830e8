// The container engines of this machine, and the one that the site file names.
#pragma once

#include "app/doctor/asking.hpp"
#include "app/doctor/finding.hpp"
#include "app/session/site.hpp"

namespace orch::doctor {

Section containers_section(const Asking& asking, const session::ContainerSite& site, bool has_gpus);

}  // namespace orch::doctor
