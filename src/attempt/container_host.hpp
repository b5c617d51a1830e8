// What a host and its site say about containers, beside what a plan does: the commands of the
// engines, who the user is, whether there are GPUs.
#pragma once

#include "container/container.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::attempt {

struct ContainerHost {
  // The command of an engine where it is not the engine's name, and words behind its `run`.
  std::map<container::Engine, std::vector<std::string>> commands = {}, options = {};
  std::map<std::string, std::string> labels = {};  // of every container
  bool has_gpus = false;
  // The root of a container is this user: rootless docker, or podman of a user that is not root.
  bool rootless = false;
  std::set<int> memory_nodes = {};  // NUMA nodes of this host that have memory

  std::vector<std::string> command_of(container::Engine engine) const;
};

// Variables of this process by which the client of an engine finds its daemon and its files.
std::map<std::string, std::string> client_variables(
    const std::map<std::string, std::string>& inherited);

// "UID:GID" that is this user in a container of SETTINGS under docker or podman: root where that is
// this user. "" where the image decides, or the engine by a `--userns` among the options.
std::string user_option(const container::Settings& settings, const ContainerHost& host);

// SETTINGS with the options of the site, and with limits that can be had here.
container::Settings settings_here(container::Settings settings, const ContainerHost& host);

// ULIMITS as far as this process may raise them: of an engine without a daemon, the hard limits are
// those of the caller.
std::map<std::string, std::string> within_hard_limits(std::map<std::string, std::string> ulimits);

}  // namespace orch::attempt
