#include "run/attempt/container_host.hpp"

#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "spec/ranks/mpi_ranks.hpp"

#include <algorithm>
#include <cmath>

#include <sys/resource.h>
#include <unistd.h>

namespace orch::attempt {

namespace {

using container::Engine;

bool has_daemon_state(Engine engine) {
  return engine == Engine::docker || engine == Engine::podman;
}

struct Limit {
  const char* name;
  decltype(RLIMIT_STACK) resource;
};
constexpr Limit k_limits[] = {
    {"as", RLIMIT_AS},         {"core", RLIMIT_CORE},   {"cpu", RLIMIT_CPU},
    {"data", RLIMIT_DATA},     {"fsize", RLIMIT_FSIZE}, {"memlock", RLIMIT_MEMLOCK},
    {"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC}, {"stack", RLIMIT_STACK},
};

// The value of one side of "SOFT:HARD"; "-1" and "unlimited" mean no limit.
rlim_t number_of(std::string_view text) {
  if (text == "-1" || text == "unlimited") return RLIM_INFINITY;
  const auto number = to_integer(text);
  return number && *number >= 0 ? static_cast<rlim_t>(*number) : RLIM_INFINITY;
}

std::string text_of(rlim_t number) {
  return number == RLIM_INFINITY ? "-1" : std::to_string(number);
}

// The highest limit up to WANTED that this process can get; raises its hard limit if it may.
rlim_t most_of(decltype(RLIMIT_STACK) resource, rlim_t wanted) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0 || now.rlim_max == RLIM_INFINITY) return wanted;
  if (wanted != RLIM_INFINITY && wanted <= now.rlim_max) return wanted;
  rlimit raised{.rlim_cur = now.rlim_cur, .rlim_max = wanted};
  return ::setrlimit(resource, &raised) == 0 ? wanted : now.rlim_max;
}

bool maps_users(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& word) {
    return word == "--userns" || word.starts_with("--userns=");
  });
}

struct Wanted {
  int cpus = 0;  // 0: not stated
  double memory_gib = 0;
};

Wanted stated_by(const plan::Stage& stage) {
  if (!stage.share) return {};
  return {.cpus = stage.share->cores.value_or(stage.share->cpus),
          .memory_gib = stage.share->memory_gib};
}

// The resources of SERVER together with its largest measurement. A total is stated only if the
// server states its part.
Wanted with_measurements(const plan::Plan& plan, const plan::Stage& server) {
  Wanted most;
  for (const plan::Stage& stage : plan.stages) {
    if (stage.spec.kind != runner::Kind::measure) continue;
    const bool is_inside = std::ranges::any_of(
        stage.needs, [&](const auto& need) { return need.second == server.id; });
    if (!is_inside) continue;
    const Wanted one = stated_by(stage);
    most.cpus = std::max(most.cpus, one.cpus);
    most.memory_gib = std::max(most.memory_gib, one.memory_gib);
  }
  if (server.spec.server) return most;
  const Wanted own = stated_by(server);
  return {.cpus = own.cpus > 0 ? own.cpus + most.cpus : 0,
          .memory_gib = own.memory_gib > 0 ? own.memory_gib + most.memory_gib : 0};
}

Wanted wanted_by(const plan::Plan& plan, const plan::Stage& stage, const SiteRequests& requests) {
  Wanted wanted =
      stage.spec.kind == runner::Kind::service ? with_measurements(plan, stage) : stated_by(stage);
  for (const std::string& name : {std::string(to_string(stage.spec.kind)), stage.spec.name}) {
    const auto site = requests.find(name);
    if (site == requests.end()) continue;
    wanted.cpus = site->second.cpus.value_or(wanted.cpus);
    wanted.memory_gib = site->second.memory_gib.value_or(wanted.memory_gib);
  }
  return wanted;
}

}  // namespace

std::vector<std::string> ContainerHost::command_of(Engine engine) const {
  const auto own = commands.find(engine);
  if (own != commands.end()) return own->second;
  return {engine == Engine::cluster ? "srun" : std::string(to_string(engine))};
}

std::map<std::string, std::string> client_variables(
    const std::map<std::string, std::string>& inherited) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : inherited)
    for (const char* pattern : k_client_variables)
      if (container::is_like(name, pattern)) variables[name] = value;
  return variables;
}

std::vector<std::string> leftover_list(const ContainerHost& host, Engine engine,
                                       const std::string& store) {
  if (!has_daemon_state(engine)) return {};
  std::vector<std::string> words = host.command_of(engine);
  words.insert(words.end(), {"ps", "--all", "--filter", "label=orchestrate.store=" + store,
                             "--format", "{{.Names}}"});
  return words;
}

std::vector<std::string> leftover_removal(const ContainerHost& host, Engine engine,
                                          const std::vector<std::string>& names) {
  if (!has_daemon_state(engine) || names.empty()) return {};
  std::vector<std::string> words = {
      "/bin/sh", "-c",
      "names=$1; shift; for name in $names; do for try in 1 2 3; do \"$@\" rm --force --volumes "
      "\"$name\" >/dev/null && echo \"$name\" && break; done; done",
      "sh", join(names, " ")};
  const auto command = host.command_of(engine);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Contained contained(const plan::Plan& plan, const plan::Stage& stage, const ContainerHost& host) {
  Contained made{.settings = settings_here(*stage.spec.container, host),
                 .start = plan::container_start(plan, stage)};
  auto& [settings, start] = made;
  start.engine = host.command_of(settings.engine);
  start.labels.insert(host.labels.begin(), host.labels.end());
  start.user = user_option(settings, host);
  return made;
}

std::string own_user() { return fmt::format("{}:{}", ::geteuid(), ::getegid()); }

std::string user_option(const container::Settings& settings, const ContainerHost& host) {
  if (!settings.as_user) return "";
  const bool is_root = host.rootless || ::geteuid() == 0;
  if (is_root && maps_users(settings.options)) return "";
  // Otherwise the user is a symbol, because a script may be run by a user other than the one who
  // generated it.
  const bool is_known = host.rootless || (is_root && settings.engine == Engine::podman);
  return is_known ? "0:0" : fmt::format("{{{}user}}", plan::k_container);
}

container::Settings settings_here(container::Settings settings, const ContainerHost& host) {
  if (const auto more = host.options.find(settings.engine); more != host.options.end())
    settings.options.insert(settings.options.begin(), more->second.begin(), more->second.end());
  if (settings.engine == Engine::podman || host.rootless)
    settings.ulimits = within_hard_limits(std::move(settings.ulimits));
  return settings;
}

std::map<std::string, std::string> within_hard_limits(std::map<std::string, std::string> ulimits) {
  for (auto& [name, limit] : ulimits) {
    const auto known = std::ranges::find_if(
        k_limits, [&name = name](const Limit& one) { return name == one.name; });
    if (known == std::end(k_limits)) continue;
    const std::size_t colon = limit.find(':');
    const rlim_t soft = number_of(std::string_view(limit).substr(0, colon));
    const rlim_t hard =
        colon == std::string::npos ? soft : number_of(std::string_view(limit).substr(colon + 1));
    const rlim_t most = most_of(known->resource, hard);
    limit = fmt::format("{}:{}", text_of(std::min(soft, most)), text_of(most));
  }
  return ulimits;
}

execute::Place place_of(const plan::Plan& plan, const plan::Stage& stage,
                        const PlaceOptions& options) {
  const bool is_server = stage.spec.kind == runner::Kind::service;
  const int gpus = static_cast<int>(std::ceil(stage.gpus));
  const auto ranks =
      is_server ? ranks::mpi_ranks(container::put_in(stage.spec.argv, {})) : std::nullopt;
  const int nodes = ranks ? ranks::nodes_for(ranks->count, gpus, plan.nodes).value_or(1) : 1;
  const bool is_alone = is_server && plan.isolation == matrix::Isolation::strict;
  const Wanted wanted = is_alone ? Wanted{} : wanted_by(plan, stage, options.requests);
  return {.gpus = gpus,
          .cores = wanted.cpus,
          .memory_gib = wanted.memory_gib,
          .ranks = nodes > 1 ? ranks->count : 1,
          .nodes = nodes,
          .mpi = options.mpi,
          .seconds = is_server ? options.server_s : stage.spec.timeout_s,
          .stop_s = stage.spec.stop_s,
          .grace_s = options.grace_s,
          .alone = is_alone,
          .is_server = is_server,
          .ports = stage.spec.ports};
}

}  // namespace orch::attempt
