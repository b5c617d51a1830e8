// Settings for containers that a host and its site add to those of a plan: the engines' commands,
// and the identity of the user.
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
  // The command of each engine, if that is not the engine's name, and additional arguments of its
  // `run`.
  std::map<container::Engine, std::vector<std::string>> commands = {}, options = {};
  std::map<std::string, std::string> labels = {};  // for every container
  // Root in a container is this user: docker is rootless, or a user other than root uses podman.
  bool rootless = false;
  std::set<int> memory_nodes = {};  // NUMA nodes of this host that have memory

  std::vector<std::string> command_of(container::Engine engine) const;
};

// The variables, by NAME or PREFIX_*, by which an engine's client finds its daemon and its files.
inline constexpr const char* k_client_variables[] = {"CONTAINERS_*",    "CONTAINER_HOST",
                                                     "DOCKER_*",        "XDG_CONFIG_HOME",
                                                     "XDG_RUNTIME_DIR", "XDG_DATA_HOME"};

// Those variables in INHERITED, the environment of this process.
std::map<std::string, std::string> client_variables(
    const std::map<std::string, std::string>& inherited);

// A command that prints the names of the containers with the label of STORE, and one that removes
// the containers NAMES and prints their names. Empty for an ENGINE that leaves no containers, and
// without NAMES.
std::vector<std::string> leftover_list(const ContainerHost& host, container::Engine engine,
                                       const std::string& store);
std::vector<std::string> leftover_removal(const ContainerHost& host, container::Engine engine,
                                          const std::vector<std::string>& names);

// A container as started by a run, a script or a job.
struct Contained {
  container::Settings settings;
  container::Start start;  // with the symbols of plan/graph/containers.hpp
};

// How HOST starts the container of STAGE, which must have one. Shared by runs, scripts and jobs.
Contained contained(const plan::Plan& plan, const plan::Stage& stage, const ContainerHost& host);

// "UID:GID" of this process.
std::string own_user();

// The user in a container of SETTINGS under docker or podman: root if root in the container is this
// user, else {container:user}. "" if the image or a `--userns` option of the engine decides.
std::string user_option(const container::Settings& settings, const ContainerHost& host);

// SETTINGS with the site's options, and with limits lowered to what is possible here.
container::Settings settings_here(container::Settings settings, const ContainerHost& host);

// ULIMITS lowered to what this process may set, because an engine without a daemon has its caller's
// hard limits.
std::map<std::string, std::string> within_hard_limits(std::map<std::string, std::string> ulimits);

// The resources that a stage requests from a cluster.

// A site's requests for the jobs of a stage; they replace the stage's own.
struct SiteRequest {
  std::optional<int> cpus;           // 0: no request; the cluster's default applies
  std::optional<double> memory_gib;  // the same
};
// The requests for stages of a kind ("task", "service"), and those for a stage's name, whose values
// take precedence.
using SiteRequests = std::map<std::string, SiteRequest>;

struct PlaceOptions {
  double grace_s = 120;      // see execute::Place
  double server_s = 14400;   // the longest that a server and its measurements may take
  std::string mpi = "pmix";  // see execute::Place
  SiteRequests requests = {};
};

// What STAGE of PLAN requires of a cluster. For a server's job, CPUs and memory include those of
// its largest measurement. For a server that has a node to itself they are not stated: the job gets
// those of the whole node.
execute::Place place_of(const plan::Plan& plan, const plan::Stage& stage,
                        const PlaceOptions& options);

}  // namespace orch::attempt
