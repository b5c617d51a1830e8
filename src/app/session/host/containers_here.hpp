// How containers are started on this host, by its site file, its GPUs and its user.
#pragma once

#include "run/attempt/container_host.hpp"
#include "app/session/experiment.hpp"

#include <map>
#include <string>

namespace orch::session {

// ENVIRONMENT: of this process.
attempt::ContainerHost containers_here(const Experiment& experiment,
                                       const std::map<std::string, std::string>& environment);

}  // namespace orch::session
