// Attempts whose command runs in a container: what is mounted, which variables go in, and what
// removes the container after any death.
#include "run/attempt/workspace.hpp"

#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "spec/ranks/mpi_ranks.hpp"
#include "spec/render/template.hpp"
#include "os/system/nvml/nvml.hpp"
#include "os/system/topology/cpus.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

namespace orch::attempt {

namespace {

using container::Engine;
using container::Mount;
using Words = std::vector<std::string>;

constexpr std::uint64_t k_image_bytes = 64 << 10;

bool has_daemon_state(Engine engine) {
  return engine == Engine::docker || engine == Engine::podman;
}

// A container of docker's daemon does not inherit the affinity of the client, and newer runtimes of
// podman reset it. Rootless podman fails where its user has no cpuset controller, as by default.
bool sets_cpus(Engine engine, bool rootless) {
  return engine == Engine::docker || (engine == Engine::podman && !rootless);
}

}  // namespace

// The image whose id is in the file BUILT, which a stage has made; "" when it cannot be read.
std::string Workspace::built_image(const std::string& built) {
  const auto text = files_.read_text(built, k_image_bytes);
  if (!text) return "";
  const nlohmann::json image = nlohmann::json::parse(*text, nullptr, false);
  if (!image.is_object()) return "";
  const auto id = image.find("id");
  return id != image.end() && id->is_string() ? id->get<std::string>() : "";
}

std::optional<std::string> Workspace::symbol_of_container(const Prepared& prepared,
                                                          std::string_view name) {
  const plan::Stage& stage = *prepared.attempt.stage;
  if (name.starts_with(container::k_held_gpu)) {
    const Words gpus = gpus_of(prepared.attempt);
    const auto n = to_integer(name.substr(container::k_held_gpu.size()));
    return n && static_cast<std::size_t>(*n) < gpus.size()
               ? std::optional(gpus[static_cast<std::size_t>(*n)])
               : std::nullopt;
  }
  if (name.starts_with(container::k_driver) && !elsewhere_)
    return system::library_of_driver(name.substr(container::k_driver.size()));
  if (!name.starts_with(plan::k_container)) return symbol(prepared, name);
  name.remove_prefix(plan::k_container.size());
  if (name == "shm") return prepared.launch.shm_folder;
  if (name == "image") return built_image(resolve(prepared, stage.spec.container->built));
  if (name == "user") return own_user();
  const RunnerFolders folders = layout_.folders_of(stage.spec.runner);
  if (name == "runner") return folders.runner;
  if (name == "common")
    return folders.common.empty() ? layout_.runner_file("common/.", stage.spec.runner)
                                  : folders.common;
  return std::nullopt;
}

bool Workspace::is_divided(const Prepared& prepared) {
  return prepared.launch.place.nodes > 1 &&
         prepared.attempt.stage->spec.container->engine == Engine::cluster;
}

// In real paths. An output of one stage names those of others, so all of them are there.
Contained Workspace::start_of(const std::vector<Prepared>& members) {
  const Prepared& first = members.front();
  Contained made = contained(*plan_, *first.attempt.stage, containers_);
  container::Start& start = made.start;
  const auto here = [&](const Prepared& member, std::string& text) {
    text = render::replace_symbols(text, [&](std::string_view name) {
      // The process of a batch is the launch of the first one.
      const bool is_of_process = name == "tmp" || name == "jobs" || name == "container:shm";
      return symbol_of_container(is_of_process ? first : member, name);
    });
  };
  for (std::string* text : {&start.name, &start.image, &start.work, &start.user})
    here(first, *text);
  for (auto* texts : {&start.labels, &start.set})
    for (auto& [name, value] : *texts) here(first, value);
  for (std::string& gpu : start.gpus) here(first, gpu);
  for (auto& [name, path] : start.driver) here(first, path);
  std::erase_if(start.driver, [](const auto& library) { return library.second.empty(); });
  start.labels["orchestrate.store"] = layout_.store;
  std::vector<Mount> mounts;
  // The ranks on several nodes make private folders on theirs, and run what the attempt has.
  if (is_divided(first)) mounts.push_back({layout_.attempt(first.launch.token) + "/ranks"});
  for (const Prepared& member : members) {
    container::Start of_member = plan::container_start(*plan_, *member.attempt.stage);
    if (is_divided(first)) plan::share_among_nodes(of_member);
    for (Mount& mount : of_member.mounts) {
      here(member, mount.path);
      if (mount.path.size() > 1 && mount.path.ends_with('/')) mount.path.pop_back();
      if (mount.path == layout_.store) mount.writable = false;
      if (!mount.path.empty()) mounts.push_back(std::move(mount));
    }
  }
  start.mounts = container::without_inner(std::move(mounts));
  return made;
}

// By name, the variables of LAUNCH and those that its guardian adds.
Words Workspace::passed_to(const container::Start& start, const execute::Launch& launch) const {
  std::set<std::string> pass(std::begin(ranks::k_shm_variables), std::end(ranks::k_shm_variables));
  pass.insert({"TMPDIR", system::k_token_variable});
  for (const auto& [name, value] : launch.env)
    if (!container::stays_outside(name) && !start.set.contains(name)) pass.insert(name);
  for (const std::string& name : launch.hidden) pass.erase(name);
  return {pass.begin(), pass.end()};
}

void Workspace::enter_container(std::vector<Prepared>& members) {
  Prepared& first = members.front();
  const plan::Stage& stage = *first.attempt.stage;
  execute::Launch& launch = first.launch;
  if (!stage.spec.container || !plan_ || launch.argv.empty()) {
    launch.argv = container::put_in(std::move(launch.argv), {});
    return;
  }
  auto [settings, start] = start_of(members);
  if (!elsewhere_ && sets_cpus(settings.engine, containers_.rootless)) {
    start.cpus = system::cpu_list({launch.cpus.begin(), launch.cpus.end()});
    // An engine refuses nodes without memory.
    std::set<int> nodes(launch.nodes.begin(), launch.nodes.end());
    std::erase_if(nodes, [this](int node) { return !containers_.memory_nodes.contains(node); });
    start.numa_nodes = system::cpu_list(nodes);
  }
  const bool divided = is_divided(first);
  // To srun, variables are no part of a command that others can list.
  if (!divided)
    for (const std::string& name : stage.spec.secrets)
      if (launch.env.contains(name)) launch.hidden.push_back(name);
  if (!launch.hidden.empty()) start.secrets = launch.hidden_file = launch.tmp + "/secrets";
  start.pass = passed_to(start, launch);
  for (const auto& [name, value] : container::variables_around(settings, start))
    launch.env[name] = value;
  for (const auto& [name, value] : client_variables(inherited_))
    if (launch.env.emplace(name, value).second && elsewhere_)
      launch.place.inherited.push_back(name);
  // A server and its measurements are steps of one job.
  if (!divided && elsewhere_ && settings.engine == Engine::cluster)
    start.engine.insert(start.engine.end(), std::begin(container::k_step_words),
                        std::end(container::k_step_words));
  const Words words = container::words_of(settings, start);
  if (divided) launch.place.container = words;
  launch.argv = container::put_in(std::move(launch.argv), divided ? Words() : words);
  if (auto removal = container::removal_of(settings, start); !removal.empty())
    launch.after.push_back(std::move(removal));
  // Its state names processes by number: in a PID namespace of ours, by the numbers of others.
  if (settings.engine == Engine::podman) launch.containment = system::Containment::session;
}

// Why the container of PREPARED cannot be started; ok where it has none.
Status Workspace::check_container(const Prepared& prepared) {
  const auto& settings = prepared.attempt.stage->spec.container;
  if (!settings || !plan_) return {};
  if (!settings->built.empty() && built_image(resolve(prepared, settings->built)).empty())
    return invalid(fmt::format("{} has no member 'id' that names an image",
                               resolve(prepared, settings->built)));
  for (const Mount& mount : start_of({prepared}).start.mounts)
    if (const std::string why = container::why_not_mounted(mount.path); !why.empty())
      return invalid(why);
  return {};
}

std::vector<std::string> Workspace::leftover_list(Engine engine) const {
  if (!has_daemon_state(engine)) return {};
  std::vector<std::string> words = containers_.command_of(engine);
  words.insert(words.end(), {"ps", "--all", "--filter", "label=orchestrate.store=" + layout_.store,
                             "--format", "{{.Names}}"});
  return words;
}

std::vector<std::string> Workspace::leftover_removal(Engine engine,
                                                     const std::vector<std::string>& names) const {
  if (!has_daemon_state(engine) || names.empty()) return {};
  std::vector<std::string> words = {
      "/bin/sh", "-c",
      "names=$1; shift; for name in $names; do for try in 1 2 3; do \"$@\" rm --force --volumes "
      "\"$name\" >/dev/null && echo \"$name\" && break; done; done",
      "sh", join(names, " ")};
  const auto command = containers_.command_of(engine);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace orch::attempt
