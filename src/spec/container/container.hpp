// How each engine starts a command in a container: the arguments that precede the command, and the
// commands that clean up after a crash. Pure: starts nothing and inspects nothing.
#pragma once

#include "core/base/enum_names.hpp"
#include "spec/keys/matrix_keys.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::container {

// An argument that marks where the arguments that start the container are inserted: everything
// before it runs on the host. Without it, the whole command runs in the container.
inline constexpr std::string_view k_marker = "{container}";

// Stands for the index or UUID of the N-th GPU that a stage holds; resolved where the stage starts.
inline constexpr std::string_view k_held_gpu = "gpu:";
std::string held_gpu(int n);  // "{gpu:N}"

// Stands for a host path, resolved where the stage starts, of a GPU driver library that programs
// load even without using a GPU.
inline constexpr std::string_view k_driver = "driver:";
inline constexpr const char* k_driver_libraries[] = {"libcuda.so.1", "libnvidia-ml.so.1"};
std::string driver_library(std::string_view name);  // "{driver:NAME}"

// Stands for the names of all variables that match PREFIX*; resolved where the stage starts.
inline constexpr std::string_view k_matching = "variables:";
std::string matching(std::string_view pattern);  // "{variables:PREFIX}"

// The variable that lists the GPUs that CUDA exposes to a process, by index or UUID.
inline constexpr const char* k_visible_gpus = "CUDA_VISIBLE_DEVICES";

enum class Engine {
  docker,
  podman,
  apptainer,
  cluster,  // the cluster's srun plugin, --container-image
};

// Arguments of srun for one process in a step that shares its job's resources with others.
inline constexpr const char* k_step_words[] = {"--overlap", "--nodes=1", "--ntasks=1",
                                               "--cpu-bind=none"};

constexpr auto names_of(Tag<Engine>) { return keys::k_engines; }

// A stage's container, as specified by its manifest and a point. Paths may be symbolic.
struct Settings {
  Engine engine = Engine::docker;
  std::string image = {};     // as written; "" with `built`
  std::string pinned = {};    // the same by digest; "" until it is known
  std::string built = {};     // a JSON file whose member `id` names the image
  std::string shm_size = {};  // of /dev/shm: "16g"; "": the engine's
  std::string network = "host";
  std::string ipc = {};     // "": the engine's
  bool as_user = true;      // its processes run as this user; otherwise as the image's
  bool entrypoint = false;  // run the image's entrypoint first
  std::map<std::string, std::string> ulimits = {};  // "memlock" -> "-1" or "SOFT:HARD"
  std::vector<std::string> options = {};            // additional engine options
  std::vector<std::string> folders = {};            // mounted in addition to those of the stage
  // Commands that run before any stage starts: one that looks for tools in the image, and one that
  // prints the version of the stage's program. {file:...} is not filled in; either may be empty.
  std::vector<std::string> probe = {}, version = {};
  std::vector<std::string> caches = {};  // variables that name cache folders

  bool operator==(const Settings&) const = default;
};

// A file or folder of the host, at the same path inside.
struct Mount {
  std::string path;
  bool writable = false;

  bool operator==(const Mount&) const = default;
};

// One container start.
struct Start {
  std::vector<std::string> engine = {};  // the engine's command: [podman, --root, DIR]
  std::string image = {};                // the image to start
  std::string name = {};                 // of the container
  std::map<std::string, std::string> labels = {};
  std::vector<Mount> mounts = {};
  std::string work = {};  // its working folder
  // Names of variables whose values are taken from the engine's environment, including matching().
  std::vector<std::string> pass = {};
  std::map<std::string, std::string> set = {};  // variables whose values are not secret
  // GPUs visible to it, by index or UUID; held_gpu() if they are not known yet.
  std::vector<std::string> gpus = {};
  // Libraries of the GPU driver visible to it without a GPU, and their paths on the host.
  std::map<std::string, std::string> driver = {};
  // Lists of the CPUs and NUMA nodes to which docker or podman restricts it, such as "0-3,8"; "":
  // all.
  std::string cpus = {}, numa_nodes = {};
  std::string user = {};     // "UID:GID", or "" for the engine's choice
  std::string secrets = {};  // a file of NAME='VALUE' lines that a shell reads inside; "": none
};

// Whether IMAGE is a file that contains the image.
bool is_file(std::string_view image);

// The arguments that precede the command to run in the container of SETTINGS. In them, matching()
// stands for `--env NAME` of each variable (docker, podman), or in a list of names for ",NAME" of
// each (other engines).
std::vector<std::string> words_of(const Settings& settings, const Start& start);

// The variables by which the plugin in those arguments exposes GPUs; empty for other engines.
std::map<std::string, std::string> variables_around(const Settings& settings, const Start& start);

// ARGV with WORDS in place of its marker, or in front if it has none. Without WORDS, the marker is
// removed.
std::vector<std::string> put_in(std::vector<std::string> argv,
                                const std::vector<std::string>& words);

// The command that removes the container of START in any state, and succeeds if there is none;
// empty for engines whose container is the process tree itself.
std::vector<std::string> removal_of(const Settings& settings, const Start& start);

// The identity of an image: the digest of NAME@sha256:HEX, or an image's own id. "" if REFERENCE
// has neither: a tag may be another image tomorrow.
std::string digest_of(std::string_view reference);

// Variables of the host or of an engine's client, which no container receives.
bool stays_outside(std::string_view variable);

// Whether PATTERN, NAME or PREFIX*, matches VARIABLE.
bool is_like(std::string_view variable, std::string_view pattern);

// Why PATH cannot be mounted; "" if it can.
std::string why_not_mounted(std::string_view path);

// MOUNTS without those inside another one with the same access; sorted, so that a folder precedes
// the mounts in it. Of two for one path the writable one stays.
std::vector<Mount> without_inner(std::vector<Mount> mounts);

}  // namespace orch::container
