#include "spec/container/container.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <iterator>

namespace orch::container {

namespace {

using Words = std::vector<std::string>;

// The image has its own values of these variables, or they connect a client to its daemon.
constexpr std::string_view k_outside[] = {"PATH",
                                          "HOME",
                                          "PWD",
                                          "OLDPWD",
                                          "SHLVL",
                                          "_",
                                          "USER",
                                          "LD_LIBRARY_PATH",
                                          "LD_PRELOAD",
                                          "PYTHONPATH",
                                          "PYTHONHOME",
                                          "VIRTUAL_ENV",
                                          "CONTAINER_HOST",
                                          "XDG_RUNTIME_DIR",
                                          "XDG_CONFIG_HOME",
                                          "XDG_DATA_HOME"};

constexpr std::string_view k_root = "0:0";

// A folder that the dynamic loader of Debian and Ubuntu images searches on every architecture.
constexpr std::string_view k_loaded_from = "/usr/lib/";

void add(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
}

bool is_mig_device(const std::string& gpu) { return gpu.starts_with("MIG-"); }

// CUDA numbers a container's GPUs from 0, in the host's order. It selects the devices of a split
// GPU by UUID.
std::string visible_inside(const Words& gpus) {
  if (std::ranges::any_of(gpus, is_mig_device)) return join(gpus, ",");
  Words names;
  for (std::size_t i = 0; i < gpus.size(); ++i) names.push_back(std::to_string(i));
  return join(names, ",");
}

// Quotes the list for Docker, which otherwise takes a comma for the end of an option. Podman's
// names are those of the Container Device Interface, written by nvidia-ctk. Without GPUs, replaces
// the variable by which images request all GPUs where NVIDIA's runtime or hook starts every
// container.
void add_gpus(Words& words, Engine engine, const Words& gpus) {
  if (gpus.empty()) return add(words, {"--env", "NVIDIA_VISIBLE_DEVICES=void"});
  if (engine == Engine::docker)
    return add(words, {"--gpus", fmt::format("\"device={}\"", join(gpus, ","))});
  for (const std::string& gpu : gpus) add(words, {"--device", "nvidia.com/gpu=" + gpu});
}

bool is_matching(std::string_view name) {
  return name.starts_with(fmt::format("{{{}", k_matching));
}

// NAMES as a list; names that stand for several come last.
std::string list_of(const Words& names) {
  Words known;
  std::string several;
  for (const std::string& name : names)
    if (is_matching(name)) several += name;
    else known.push_back(name);
  return join(known, ",") + several;
}

Words daemon_words(const Settings& settings, const Start& start) {
  Words words = start.engine;
  add(words, {"run", "--rm", "--interactive", "--init", "--name", start.name});
  for (const auto& [name, value] : start.labels) add(words, {"--label", name + "=" + value});
  if (!settings.network.empty()) add(words, {"--network", settings.network});
  if (!settings.ipc.empty()) add(words, {"--ipc", settings.ipc});
  if (!settings.shm_size.empty()) add(words, {"--shm-size", settings.shm_size});
  for (const auto& [name, limit] : settings.ulimits)
    add(words, {"--ulimit", fmt::format("{}={}", name, limit)});
  add_gpus(words, settings.engine, start.gpus);
  if (!start.cpus.empty()) add(words, {"--cpuset-cpus", start.cpus});
  if (!start.numa_nodes.empty()) add(words, {"--cpuset-mems", start.numa_nodes});
  if (!start.user.empty()) add(words, {"--user", start.user});
  // Podman's configuration may map root inside to another user.
  if (settings.engine == Engine::podman && start.user == k_root) add(words, {"--userns", "host"});
  for (const Mount& mount : start.mounts)
    add(words, {"--volume", fmt::format("{0}:{0}{1}", mount.path, mount.writable ? "" : ":ro")});
  for (const auto& [name, path] : start.driver)
    add(words, {"--volume", fmt::format("{}:{}{}:ro", path, k_loaded_from, name)});
  add(words, {"--workdir", start.work});
  // Passes no values, which would be visible in process listings.
  for (const std::string& name : start.pass)
    if (is_matching(name)) words.push_back(name);
    else add(words, {"--env", name});
  for (const auto& [name, value] : start.set) add(words, {"--env", name + "=" + value});
  add(words, {"--env", k_visible_gpus + ("=" + visible_inside(start.gpus))});
  if (!settings.entrypoint) add(words, {"--entrypoint", ""});
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  words.push_back(start.image);
  return words;
}

// Passes the variables listed in $1 to the engine as APPTAINERENV_NAME, the only form that enters a
// container with a clean environment. Their values appear in no command line.
constexpr const char* k_pass_on =
    "IFS=,; for _one in $1; do eval \"[ -z \\\"\\${$_one+x}\\\" ] || export "
    "APPTAINERENV_$_one=\\\"\\$$_one\\\"\"; done; unset IFS; shift; exec \"$@\"";

// Apptainer takes a name without a scheme for a file.
std::string apptainer_name(const std::string& name) {
  constexpr std::string_view k_transports[] = {
      "docker-daemon:", "docker-archive:", "oci:", "oci-archive:"};
  const bool is_complete = is_file(name) || name.find("://") != std::string::npos ||
                           std::ranges::any_of(k_transports, [&](std::string_view transport) {
                             return name.starts_with(transport);
                           });
  return is_complete ? name : "docker://" + name;
}

// Processes of Apptainer's containers are the caller's own, in the caller's session.
Words apptainer_words(const Settings& settings, const Start& start) {
  Words names = {k_visible_gpus};
  std::copy_if(start.pass.begin(), start.pass.end(), std::back_inserter(names),
               [](const std::string& name) { return is_variable_name(name) || is_matching(name); });
  Words words = {"/bin/sh", "-c", k_pass_on, "sh", list_of(names)};
  words.insert(words.end(), start.engine.begin(), start.engine.end());
  add(words, {"exec", "--cleanenv", "--no-home", "--pwd", start.work});
  if (!start.gpus.empty() || !start.driver.empty()) words.emplace_back("--nv");
  if (settings.ipc == "private") words.emplace_back("--ipc");
  for (const Mount& mount : start.mounts)
    add(words, {"--bind", fmt::format("{0}:{0}:{1}", mount.path, mount.writable ? "rw" : "ro")});
  for (const auto& [name, value] : start.set) add(words, {"--env", name + "=" + value});
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  words.push_back(apptainer_name(start.image));
  return words;
}

// NAME as every release of Enroot reads it: REGISTRY#IMAGE:TAG. Up to 3.5, Enroot takes REGISTRY/
// for a part of the image, and NAME@ for a user. If there is a tag, the digest is omitted.
std::string enroot_name(std::string name) {
  if (is_file(name)) return name;
  if (const std::size_t slash = name.find('/');
      slash != std::string::npos && name.find('#') == std::string::npos &&
      (name.substr(0, slash).find_first_of(".:") != std::string::npos ||
       name.substr(0, slash) == "localhost"))
    name[slash] = '#';
  const std::size_t registry = name.find('#'), at = name.find('@');
  const std::size_t tag = name.find(':', registry == std::string::npos ? 0 : registry);
  return at != std::string::npos && tag < at ? name.substr(0, at) : name;
}

// Options of the plugin that sites install with Slurm; srun itself comes first.
Words cluster_words(const Settings& settings, const Start& start) {
  Words mounts, names = start.pass;
  names.emplace_back(k_visible_gpus);
  for (const auto& [name, value] : variables_around(settings, start)) names.push_back(name);
  for (const Mount& mount : start.mounts)
    mounts.push_back(fmt::format("{0}:{0}{1}", mount.path, mount.writable ? "" : ":ro"));
  Words words = start.engine;
  words.push_back("--container-image=" + enroot_name(start.image));
  if (!mounts.empty()) words.push_back("--container-mounts=" + join(mounts, ","));
  words.push_back("--container-workdir=" + start.work);
  words.emplace_back("--no-container-mount-home");
  words.push_back("--container-env=" + list_of(names));
  words.emplace_back(settings.entrypoint ? "--container-entrypoint" : "--no-container-entrypoint");
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  // Sets variables inside, because srun and the programs that it calls need the user's HOME.
  if (!start.set.empty()) words.emplace_back("/usr/bin/env");
  for (const auto& [name, value] : start.set) words.push_back(name + "=" + value);
  return words;
}

bool is_in(std::string_view path, std::string_view folder) {
  return path == folder ||
         (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

}  // namespace

std::string held_gpu(int n) { return fmt::format("{{{}{}}}", k_held_gpu, n); }

std::string driver_library(std::string_view name) {
  return fmt::format("{{{}{}}}", k_driver, name);
}

std::string matching(std::string_view pattern) {
  return fmt::format("{{{}{}}}", k_matching, pattern.substr(0, pattern.find('*')));
}

bool is_file(std::string_view image) {
  return image.starts_with('/') || image.starts_with('.') || image.ends_with(".sif") ||
         image.ends_with(".sqsh");
}

std::vector<std::string> words_of(const Settings& settings, const Start& start) {
  Words words = settings.engine == Engine::apptainer ? apptainer_words(settings, start)
                : settings.engine == Engine::cluster ? cluster_words(settings, start)
                                                     : daemon_words(settings, start);
  if (!start.secrets.empty())
    add(words, {"/bin/sh", "-c", "set -a; . \"$0\"; set +a; exec \"$@\"", start.secrets});
  return words;
}

// Without NVIDIA_VISIBLE_DEVICES, the plugin's hook would expose the GPUs that the image requests.
std::map<std::string, std::string> variables_around(const Settings& settings, const Start& start) {
  if (settings.engine != Engine::cluster) return {};
  if (start.gpus.empty() && start.driver.empty()) return {{"NVIDIA_VISIBLE_DEVICES", "void"}};
  return {{"NVIDIA_VISIBLE_DEVICES", start.gpus.empty() ? "none" : "all"},
          {"NVIDIA_DRIVER_CAPABILITIES", "compute,utility"}};
}

std::vector<std::string> put_in(std::vector<std::string> argv, const Words& words) {
  auto at = std::ranges::find(argv, k_marker);
  at = at == argv.end() ? argv.begin() : argv.erase(at);
  argv.insert(at, words.begin(), words.end());
  return argv;
}

std::vector<std::string> removal_of(const Settings& settings, const Start& start) {
  if (settings.engine != Engine::docker && settings.engine != Engine::podman) return {};
  // Old clients fail if there is no such container. Podman fails until the parent of a process that
  // it killed has reaped it.
  Words words = {"/bin/sh", "-c",
                 "name=$1; shift; for try in 1 2 3; do \"$@\" rm --force --volumes \"$name\" "
                 ">/dev/null && exit; done; test -z \"$(\"$@\" ps --all --quiet --filter "
                 "\"name=^$name\\$\")\"",
                 "sh", start.name};
  words.insert(words.end(), start.engine.begin(), start.engine.end());
  return words;
}

std::string digest_of(std::string_view reference) {
  constexpr std::string_view k_prefix = "sha256:";
  constexpr std::size_t k_hex = 64;
  const std::size_t at = reference.rfind('@');
  const std::string_view digest =
      at == std::string_view::npos ? reference : reference.substr(at + 1);
  if (!digest.starts_with(k_prefix) || digest.size() != k_prefix.size() + k_hex) return "";
  const std::string_view hex = digest.substr(k_prefix.size());
  const bool is_hex =
      std::ranges::all_of(hex, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  return is_hex ? std::string(digest) : "";
}

bool stays_outside(std::string_view variable) {
  return variable == k_visible_gpus || variable.starts_with("DOCKER_") ||
         variable.starts_with("CONTAINERS_") || contains(k_outside, variable);
}

bool is_like(std::string_view variable, std::string_view pattern) {
  return pattern.ends_with('*') ? variable.starts_with(pattern.substr(0, pattern.size() - 1))
                                : variable == pattern;
}

std::string why_not_mounted(std::string_view path) {
  for (const char letter : {':', ',', '\n'})
    if (path.find(letter) != std::string_view::npos)
      return fmt::format(
          "{} has {} in its path, which no container engine can mount; use another "
          "path",
          quoted(path), letter == '\n' ? "a line break" : quoted(std::string(1, letter)));
  return "";
}

std::vector<Mount> without_inner(std::vector<Mount> mounts) {
  std::ranges::sort(mounts, [](const Mount& a, const Mount& b) {
    return a.path != b.path ? a.path < b.path : a.writable > b.writable;
  });
  Words kept_paths;
  std::vector<Mount> kept;
  for (Mount& mount : mounts) {
    // The nearest kept folder around it determines its access without a separate mount.
    const Mount* around = nullptr;
    for (const Mount& one : kept)
      if (is_in(mount.path, one.path)) around = &one;
    if (!around || (mount.writable && !around->writable) ||
        (!mount.writable && around->writable && mount.path != around->path))
      kept.push_back(std::move(mount));
  }
  return kept;
}

}  // namespace orch::container
