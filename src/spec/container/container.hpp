// How a command is started in a container, by each engine that starts one: words in front of the
// command, and the commands that remove what a death left. Pure: starts nothing, looks at nothing.
#pragma once

#include "core/base/enum_names.hpp"
#include "spec/keys/matrix_keys.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::container {

// A word of a command where the words that start its container stand: what comes before it runs on
// the host. Without it, the whole command runs in the container.
inline constexpr std::string_view k_marker = "{container}";

// GPU number N of those that a stage holds, in place of its index or UUID: known where it starts.
inline constexpr std::string_view k_held_gpu = "gpu:";
std::string held_gpu(int n);  // "{gpu:N}"

// The libraries of the GPU driver that programs load without using a GPU, and a path of the host
// that is known where they start.
inline constexpr std::string_view k_driver = "driver:";
inline constexpr const char* k_driver_libraries[] = {"libcuda.so.1", "libnvidia-ml.so.1"};
std::string driver_library(std::string_view name);  // "{driver:NAME}"

// All variables with names PREFIX*, in place of their names: known where it starts.
inline constexpr std::string_view k_matching = "variables:";
std::string matching(std::string_view pattern);  // "{variables:PREFIX}"

// The GPUs that CUDA shows to a process, by index or UUID.
inline constexpr const char* k_visible_gpus = "CUDA_VISIBLE_DEVICES";

enum class Engine {
  docker,
  podman,
  apptainer,
  cluster,  // the plugin of the cluster's srun, --container-image
};

// Words of srun for one process in a step that shares what its job has with others.
inline constexpr const char* k_step_words[] = {"--overlap", "--nodes=1", "--ntasks=1",
                                               "--cpu-bind=none"};

constexpr auto names_of(Tag<Engine>) { return keys::k_engines; }

// The container of a stage, as its manifest and a point state it. Paths may be symbolic.
struct Settings {
  Engine engine = Engine::docker;
  std::string image = {};     // as it was written; "" with `built`
  std::string pinned = {};    // the same by digest; "" while it is not known
  std::string built = {};     // a JSON file whose member `id` names the image
  std::string shm_size = {};  // of /dev/shm: "16g"; "": the engine's
  std::string network = "host";
  std::string ipc = {};     // "": the engine's
  bool as_user = true;      // its processes are those of this user; else of the image's
  bool entrypoint = false;  // the image's runs first
  std::map<std::string, std::string> ulimits = {};  // "memlock" -> "-1" or "SOFT:HARD"
  std::vector<std::string> options = {};            // further words of the engine
  std::vector<std::string> folders = {};            // that are mounted beside those of the stage
  // Commands that are asked before any stage starts: one that looks for tools in the image, and one
  // that prints the version of its program. {file:...} stays; either may be empty.
  std::vector<std::string> probe = {}, version = {};
  std::vector<std::string> caches = {};  // variables that name folders of caches

  bool operator==(const Settings&) const = default;
};

// A folder or file of the host, at the same path inside.
struct Mount {
  std::string path;
  bool writable = false;

  bool operator==(const Mount&) const = default;
};

// One start.
struct Start {
  std::vector<std::string> engine = {};  // the command of the engine: [podman, --root, DIR]
  std::string image = {};                // what is started
  std::string name = {};                 // of the container
  std::map<std::string, std::string> labels = {};
  std::vector<Mount> mounts = {};
  std::string work = {};  // its working folder
  // Variables by name, whose values the engine has, and matching().
  std::vector<std::string> pass = {};
  std::map<std::string, std::string> set = {};  // variables whose values everybody may see
  // That it sees, by index or UUID; held_gpu() where they are not known yet.
  std::vector<std::string> gpus = {};
  // Libraries of the GPU driver that it sees without a GPU, and where the host has them.
  std::map<std::string, std::string> driver = {};
  // Lists of the CPUs and NUMA nodes that docker or podman keeps it on, such as "0-3,8"; "": all.
  std::string cpus = {}, numa_nodes = {};
  std::string user = {};     // "UID:GID", or "" for the engine's choice
  std::string secrets = {};  // a file of NAME='VALUE' lines that a shell reads inside; "": none
};

// Whether IMAGE is a file, and as such its content.
bool is_file(std::string_view image);

// The words in front of the command that is to run in the container of SETTINGS. With docker and
// podman, a word matching() stands for `--env NAME` of each variable, and in a list of names for
// ",NAME" of each.
std::vector<std::string> words_of(const Settings& settings, const Start& start);

// The variables that those words themselves read, by which the cluster's plugin shows GPUs.
std::map<std::string, std::string> variables_around(const Settings& settings, const Start& start);

// ARGV with WORDS in place of its marker, or in front where it has none. Without WORDS, the marker
// is taken out.
std::vector<std::string> put_in(std::vector<std::string> argv,
                                const std::vector<std::string>& words);

// The command that removes the container of that name whatever its state, and succeeds where there
// is none; empty for engines whose container is the process tree itself.
std::vector<std::string> removal_of(const Settings& settings, const Start& start);

// What tells whether two images are the same: the digest of NAME@sha256:HEX, or an image's own id.
// "" where REFERENCE has none: a tag may be another image tomorrow.
std::string digest_of(std::string_view reference);

// Variables that belong to the host or to the client of an engine, and that no container gets.
bool stays_outside(std::string_view variable);

// Whether PATTERN, NAME or PREFIX*, stands for VARIABLE.
bool is_like(std::string_view variable, std::string_view pattern);

// Why PATH cannot be mounted; "" when it can.
std::string why_not_mounted(std::string_view path);

// MOUNTS without those that lie in another one that is at least as writable; sorted, so that a
// folder comes before what is mounted in it.
std::vector<Mount> without_inner(std::vector<Mount> mounts);

}  // namespace orch::container
