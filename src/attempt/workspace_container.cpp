// Attempts whose command runs in a container: what is mounted, which variables go in, and what
// removes the container after any death.
#include "attempt/workspace.hpp"

#include "base/text.hpp"
#include "plan/containers.hpp"
#include "system/topology/cpus.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

namespace {

using container::Engine;
using container::Mount;
using Words = std::vector<std::string>;

constexpr std::uint64_t k_image_bytes = 64 << 10;
constexpr const char* k_visible_gpus = "CUDA_VISIBLE_DEVICES";

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

// In real paths. An output of one stage names those of others, so all of them are there.
container::Start Workspace::start_of(const std::vector<Prepared>& members) {
  const Prepared& first = members.front();
  const plan::Stage& stage = *first.attempt.stage;
  container::Start start = plan::container_start(*plan_, stage);
  const auto here = [&](std::string& text) { text = resolve(first, text); };
  here(start.name);
  for (auto& [name, value] : start.labels) here(value);
  start.labels.insert(containers_.labels.begin(), containers_.labels.end());
  start.labels["orchestrate.store"] = layout_.store;
  for (auto& [name, value] : start.set) here(value);
  here(start.work);
  std::vector<Mount> mounts;
  for (const Prepared& member : members)
    for (Mount mount : plan::container_start(*plan_, *member.attempt.stage).mounts) {
      // A batch is one launch, with one temporary folder.
      if (mount.path == "{tmp}" && &member != &first) continue;
      mount.path = resolve(member, mount.path);
      mounts.push_back(std::move(mount));
    }
  if (members.size() > 1 || stage.spec.batch)
    mounts.push_back({layout_.attempt(first.attempt.token) + "/jobs.json", false});
  if (!first.launch.shm_folder.empty()) mounts.push_back({first.launch.shm_folder, true});
  const RunnerFolders folders = layout_.folders_of(stage.spec.runner);
  mounts.push_back({folders.runner, false});
  mounts.push_back(
      {folders.common.empty() ? layout_.runner_file("common/.", stage.spec.runner) : folders.common,
       false});
  for (const std::string& input : stage.inputs) mounts.push_back({input, false});
  for (Mount& mount : mounts) {
    if (mount.path.size() > 1 && mount.path.ends_with('/')) mount.path.pop_back();
    if (mount.path == layout_.store) mount.writable = false;
  }
  start.mounts = container::without_inner(std::move(mounts));
  return start;
}

// The private folders of LAUNCH exist on one node only; the ranks make them on theirs. What they
// run is in the folder of the attempt.
void Workspace::share_among_nodes(const execute::Launch& launch, container::Start& start) const {
  std::erase_if(start.mounts, [&](const Mount& mount) {
    return mount.path == launch.tmp || mount.path == launch.shm_folder;
  });
  start.mounts.push_back({layout_.attempt(launch.token) + "/ranks", false});
  start.mounts = container::without_inner(std::move(start.mounts));
}

// Those of its attempt; on a cluster, those of its job.
std::optional<Words> Workspace::gpus_in_container(const Attempt& attempt) const {
  if (!elsewhere_)
    return containers_.has_gpus ? std::optional(gpus_seen_by(attempt)) : std::nullopt;
  Words names;
  for (int i = 0; i < attempt.stage->gpus; ++i) names.push_back(container::job_gpu(i));
  return names.empty() ? std::nullopt : std::optional(names);
}

void Workspace::enter_container(std::vector<Prepared>& members) {
  Prepared& first = members.front();
  const plan::Stage& stage = *first.attempt.stage;
  execute::Launch& launch = first.launch;
  if (!stage.spec.container || !plan_ || launch.argv.empty()) {
    launch.argv = container::put_in(std::move(launch.argv), {});
    return;
  }
  const container::Settings settings = settings_here(*stage.spec.container, containers_);
  container::Start start = start_of(members);
  if (!settings.built.empty()) start.image = built_image(resolve(first, settings.built));
  start.engine = containers_.command_of(settings.engine);
  start.user = user_option(settings, containers_);
  start.gpus = gpus_in_container(first.attempt);
  if (!elsewhere_ && sets_cpus(settings.engine, containers_.rootless)) {
    start.cpus = system::cpu_list({launch.cpus.begin(), launch.cpus.end()});
    // An engine refuses nodes without memory.
    std::set<int> nodes(launch.nodes.begin(), launch.nodes.end());
    std::erase_if(nodes, [this](int node) { return !containers_.memory_nodes.contains(node); });
    start.numa_nodes = system::cpu_list(nodes);
  }
  // The guardian sets the last ones.
  std::set<std::string> pass(std::begin(execute::k_shm_variables),
                             std::end(execute::k_shm_variables));
  pass.insert({"TMPDIR", system::k_token_variable});
  for (const auto& [name, value] : launch.env)
    if (!container::stays_outside(name)) pass.insert(name);
  const bool is_divided = launch.place.nodes > 1 && settings.engine == Engine::cluster;
  // To srun, variables are no part of a command that others can list.
  if (!is_divided)
    for (const std::string& name : stage.spec.secrets)
      if (launch.env.contains(name)) launch.hidden.push_back(name), pass.erase(name);
  if (!launch.hidden.empty()) start.secrets = launch.hidden_file = launch.tmp + "/secrets";
  if (start.gpus) pass.erase(k_visible_gpus);
  if (elsewhere_ && start.gpus && !has_daemon_state(settings.engine)) pass.insert(k_visible_gpus);
  if (!elsewhere_ && start.gpus && !start.gpus->empty())
    start.set[k_visible_gpus] = join(*start.gpus, ",");
  start.pass = {pass.begin(), pass.end()};
  for (const auto& [name, value] : client_variables(inherited_))
    if (launch.env.emplace(name, value).second && elsewhere_)
      launch.place.inherited.push_back(name);
  if (is_divided) share_among_nodes(launch, start);
  // A server and its measurements are steps of one job.
  else if (elsewhere_ && settings.engine == Engine::cluster)
    start.engine.insert(start.engine.end(), std::begin(container::k_step_words),
                        std::end(container::k_step_words));
  const Words words = container::words_of(settings, start);
  if (is_divided) launch.place.container = words;
  launch.argv = container::put_in(std::move(launch.argv), is_divided ? Words() : words);
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
  for (const Mount& mount : start_of({prepared}).mounts)
    if (const std::string why = container::why_not_mounted(mount.path); !why.empty())
      return invalid(why);
  return {};
}

std::vector<std::string> Workspace::leftover_removal(Engine engine,
                                                     const std::set<std::string>& living) const {
  if (!has_daemon_state(engine)) return {};
  std::vector<std::string> words = {
      "/bin/sh", "-c",
      // The names of the containers of this store; those of living attempts stay.
      "store=$1; living=$2; shift 2; \"$@\" ps --all --filter \"label=orchestrate.store=$store\" "
      "--format '{{.Names}}' | while read -r name; do case \" $living \" in *\" $name \"*) ;; *) "
      "for try in 1 2 3; do \"$@\" rm --force --volumes \"$name\" >/dev/null && echo \"$name\" && "
      "break; done;; esac; done",
      "sh", layout_.store};
  std::vector<std::string> names;
  for (const std::string& token : living) names.push_back("orchestrate-" + token);
  words.push_back(join(names, " "));
  const auto command = containers_.command_of(engine);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace orch::attempt
