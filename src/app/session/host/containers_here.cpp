#include "app/session/host/containers_here.hpp"

#include "os/system/topology/topology.hpp"

#include <unistd.h>

namespace orch::session {

attempt::ContainerHost containers_here(const Experiment& experiment,
                                       const std::map<std::string, std::string>& environment) {
  const ContainerSite& site = experiment.site.container;
  attempt::ContainerHost host;
  if (!site.command.empty()) host.commands[site.engine] = site.command;
  if (!site.options.empty()) host.options[site.engine] = site.options;
  // The daemon of a user has its socket in the user's runtime folder.
  const auto daemon = environment.find("DOCKER_HOST");
  const bool own_daemon =
      daemon != environment.end() && daemon->second.find("/run/user/") != std::string::npos;
  host.rootless = site.rootless.value_or(
      site.engine == container::Engine::docker ? own_daemon : ::geteuid() != 0);
  host.memory_nodes = system::memory_nodes();
  return host;
}

}  // namespace orch::session
