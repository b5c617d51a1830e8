// What a host and its site say about containers, beside what a plan does: the commands of the
// engines, and who the user is.
#pragma once

#include "plan/graph/plan.hpp"
#include "run/execute/executor.hpp"
#include "spec/container/container.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::attempt {

struct ContainerHost {
  // The command of an engine where it is not the engine's name, and words behind its `run`.
  std::map<container::Engine, std::vector<std::string>> commands = {}, options = {};
  std::map<std::string, std::string> labels = {};  // of every container
  // The root of a container is this user: rootless docker, or podman of a user that is not root.
  bool rootless = false;
  std::set<int> memory_nodes = {};  // NUMA nodes of this host that have memory

  std::vector<std::string> command_of(container::Engine engine) const;
};

// NAME or PREFIX_* of the variables by which the client of an engine finds its daemon and its
// files.
inline constexpr const char* k_client_variables[] = {"CONTAINERS_*",    "CONTAINER_HOST",
                                                     "DOCKER_*",        "XDG_CONFIG_HOME",
                                                     "XDG_RUNTIME_DIR", "XDG_DATA_HOME"};

// Variables of this process by which the client of an engine finds its daemon and its files.
std::map<std::string, std::string> client_variables(
    const std::map<std::string, std::string>& inherited);

// A command that prints the names of containers with the label of STORE, and one that removes those
// of NAMES and prints the names; empty for an ENGINE that leaves none.
std::vector<std::string> leftover_list(const ContainerHost& host, container::Engine engine,
                                       const std::string& store);
std::vector<std::string> leftover_removal(const ContainerHost& host, container::Engine engine,
                                          const std::vector<std::string>& names);

// A container as a run, a script or a job starts it.
struct Contained {
  container::Settings settings;
  container::Start start;  // with the symbols of plan/graph/containers.hpp
};

// How the container of STAGE, which has one, is started by HOST: the one source of its mounts,
// devices and variables.
Contained contained(const plan::Plan& plan, const plan::Stage& stage, const ContainerHost& host);

// "UID:GID" of this process.
std::string own_user();

// In a container of SETTINGS under docker or podman, root where that is this user, else
// {container:user}. "" where the image decides, or the engine by a `--userns` among the options.
std::string user_option(const container::Settings& settings, const ContainerHost& host);

// SETTINGS with the options of the site, and with limits that can be had here.
container::Settings settings_here(container::Settings settings, const ContainerHost& host);

// ULIMITS as far as this process may raise them: of an engine without a daemon, the hard limits are
// those of the caller.
std::map<std::string, std::string> within_hard_limits(std::map<std::string, std::string> ulimits);

// What a stage requests of the cluster that runs it.

// What a site requests for the jobs of a stage in place of what the stage states.
struct SiteRequest {
  std::optional<int> cpus;           // 0: nothing, so that the cluster's default counts
  std::optional<double> memory_gib;  // the same
};
// By the name of a stage or, for all others, its kind: "task", "service".
using SiteRequests = std::map<std::string, SiteRequest>;

struct PlaceOptions {
  double grace_s = 120;      // see execute::Place
  double server_s = 14400;   // the longest that a server may take with its measurements
  std::string mpi = "pmix";  // see execute::Place
  SiteRequests requests = {};
};

// Of STAGE in PLAN. Of the job of a server, the CPUs and the memory include those of its largest
// measurement; of a server with a node to itself they are those of the node, and not stated.
execute::Place place_of(const plan::Plan& plan, const plan::Stage& stage,
                        const PlaceOptions& options);

}  // namespace orch::attempt
