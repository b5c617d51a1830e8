#include "core/base/text.hpp"
#include "os/system/topology/cpus.hpp"
#include "plan/graph/containers.hpp"
#include "run/attempt/workspace_parts.hpp"
#include "spec/ranks/mpi_ranks.hpp"
#include "spec/render/template.hpp"

namespace orch::attempt {

namespace {

using container::Engine;
using container::Mount;
using Words = std::vector<std::string>;

// Whether the engine must set the container's CPUs: a container of docker's daemon does not inherit
// the client's affinity, and newer podman runtimes reset it. Not for rootless podman, which fails
// if its user lacks the cpuset controller, as is the default.
bool sets_cpus(Engine engine, bool rootless) {
  return engine == Engine::docker || (engine == Engine::podman && !rootless);
}

// Whether the ranks of the server PREPARED start in containers on several nodes.
bool is_divided(const Prepared& prepared) {
  return prepared.launch.place.nodes > 1 &&
         prepared.attempt.stage->spec.container->engine == Engine::cluster;
}

// The names of the variables that the container gets: LAUNCH's, and those that its guardian adds.
Words passed_to(const container::Start& start, const execute::Launch& launch) {
  std::set<std::string> pass(std::begin(ranks::k_shm_variables), std::end(ranks::k_shm_variables));
  pass.insert({"TMPDIR", system::k_token_variable});
  for (const auto& [name, value] : launch.env)
    if (!container::stays_outside(name) && !start.set.contains(name)) pass.insert(name);
  for (const std::string& name : launch.hidden) pass.erase(name);
  return {pass.begin(), pass.end()};
}

// Fills in the symbols of START, except those of its mounts.
void fill_in(const WorkspaceParts& in, container::Start& start, const Prepared& first) {
  const auto here = [&](std::string& text) { text = filled(in, first, text); };
  for (std::string* text : {&start.name, &start.image, &start.work, &start.user}) here(*text);
  for (auto* texts : {&start.labels, &start.set})
    for (auto& [name, value] : *texts) here(value);
  for (std::string& gpu : start.gpus) here(gpu);
  for (auto& [name, path] : start.driver) here(path);
  std::erase_if(start.driver, [](const auto& library) { return library.second.empty(); });
}

// The mounts that MEMBER needs in the container of FIRST's process.
std::vector<Mount> mounts_of(const WorkspaceParts& in, const Prepared& member,
                             const Prepared& first) {
  container::Start start = plan::container_start(*in.config.plan, *member.attempt.stage);
  if (is_divided(first)) plan::share_among_nodes(start);
  for (Mount& mount : start.mounts) {
    mount.path = render::replace_symbols(mount.path, [&](std::string_view name) {
      // These symbols belong to the process of a batch, which is the launch of its first member.
      const bool is_of_process = name == "tmp" || name == "jobs" || name == "container:shm";
      return symbol_value(in, is_of_process ? first : member, name);
    });
    if (mount.path.size() > 1 && mount.path.ends_with('/')) mount.path.pop_back();
    if (mount.path == in.layout.store) mount.writable = false;
  }
  std::erase_if(start.mounts, [](const Mount& mount) { return mount.path.empty(); });
  return std::move(start.mounts);
}

// The container that MEMBERS share, with real paths. Mounts the outputs of all stages that they
// need, because one output may refer to others.
Contained start_of(const WorkspaceParts& in, const std::vector<Prepared>& members) {
  const Prepared& first = members.front();
  Contained made = contained(*in.config.plan, *first.attempt.stage, in.config.containers);
  fill_in(in, made.start, first);
  made.start.labels["orchestrate.store"] = in.layout.store;
  std::vector<Mount> mounts;
  // For ranks on several nodes: the folder with the script that each of them runs.
  if (is_divided(first)) mounts.push_back({in.layout.attempt(first.launch.token) + "/ranks"});
  for (const Prepared& member : members)
    for (Mount& mount : mounts_of(in, member, first)) mounts.push_back(std::move(mount));
  made.start.mounts = container::without_inner(std::move(mounts));
  return made;
}

void keep_on_cpus(const WorkspaceParts& in, container::Start& start,
                  const execute::Launch& launch) {
  start.cpus = system::cpu_list({launch.cpus.begin(), launch.cpus.end()});
  // Engines reject NUMA nodes without memory.
  std::set<int> nodes(launch.nodes.begin(), launch.nodes.end());
  std::erase_if(nodes, [&](int node) { return !in.config.containers.memory_nodes.contains(node); });
  start.numa_nodes = system::cpu_list(nodes);
}

}  // namespace

void enter_container(const WorkspaceParts& in, std::vector<Prepared>& members) {
  Prepared& first = members.front();
  const plan::Stage& stage = *first.attempt.stage;
  execute::Launch& launch = first.launch;
  if (!stage.spec.container || !in.config.plan || launch.argv.empty()) {
    launch.argv = container::put_in(std::move(launch.argv), {});
    return;
  }
  auto [settings, start] = start_of(in, members);
  if (!in.config.places && sets_cpus(settings.engine, in.config.containers.rootless))
    keep_on_cpus(in, start, launch);
  const bool divided = is_divided(first);
  // Hides the secrets: an engine's command line, which contains variables, can be listed by other
  // users; that of srun does not contain them.
  if (!divided)
    for (const std::string& name : stage.spec.secrets)
      if (launch.env.contains(name)) launch.hidden.push_back(name);
  if (!launch.hidden.empty()) start.secrets = launch.hidden_file = launch.tmp + "/secrets";
  start.pass = passed_to(start, launch);
  for (const auto& [name, value] : container::variables_around(settings, start))
    launch.env[name] = value;
  for (const auto& [name, value] : client_variables(in.config.inherited))
    if (launch.env.emplace(name, value).second && in.config.places)
      launch.place.inherited.push_back(name);
  // A server and its measurements are steps of one job.
  if (!divided && in.config.places && settings.engine == Engine::cluster)
    start.engine.insert(start.engine.end(), std::begin(container::k_step_words),
                        std::end(container::k_step_words));
  const Words words = container::words_of(settings, start);
  if (divided) launch.place.container = words;
  launch.argv = container::put_in(std::move(launch.argv), divided ? Words() : words);
  if (auto removal = container::removal_of(settings, start); !removal.empty())
    launch.after.push_back(std::move(removal));
  // Podman's state refers to processes by pid: in a PID namespace of ours, the pids would differ.
  if (settings.engine == Engine::podman) launch.containment = system::Containment::session;
}

Status check_container(const WorkspaceParts& in, const Prepared& prepared) {
  const auto& settings = prepared.attempt.stage->spec.container;
  if (!settings || !in.config.plan) return {};
  if (!settings->built.empty() && built_image(in, prepared).empty())
    return invalid(fmt::format("{} has no member 'id' that names an image",
                               filled(in, prepared, settings->built)));
  for (const Mount& mount : start_of(in, {prepared}).start.mounts)
    if (const std::string why = container::why_not_mounted(mount.path); !why.empty())
      return invalid(why);
  return {};
}

}  // namespace orch::attempt
