// How a command is started in a container, by each engine that starts one: words in front of the
// command, and the commands that remove what a death left. Pure: starts nothing, looks at nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::container {

// A word of a command where the words that start its container stand: what comes before it runs on
// the host. Without it, the whole command runs in the container.
inline constexpr std::string_view k_marker = "{container}";

// GPU number N of the job of a cluster that starts a container, in place of its index or UUID: only
// the node of the job knows which it is.
inline constexpr std::string_view k_job_gpu = "gpu:";
std::string job_gpu(int n);  // "{gpu:N}"

enum class Engine {
  docker,
  podman,
  apptainer,
  cluster,  // the plugin of the cluster's srun, --container-image
};

// Words of srun for one process in a step that shares what its job has with others.
inline constexpr const char* k_step_words[] = {"--overlap", "--nodes=1", "--ntasks=1",
                                               "--cpu-bind=none"};

std::string_view to_string(Engine engine);
std::optional<Engine> parse_engine(std::string_view name);

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
  std::string work = {};                        // its working folder
  std::vector<std::string> pass = {};           // variables, by name: the engine has their values
  std::map<std::string, std::string> set = {};  // variables whose values everybody may see
  // By index or UUID; empty: all of the host. Without a value: none.
  std::optional<std::vector<std::string>> gpus = {};
  // Lists of the CPUs and NUMA nodes that docker or podman keeps it on, such as "0-3,8"; "": all.
  std::string cpus = {}, numa_nodes = {};
  std::string user = {};     // "UID:GID", or "" for the engine's choice
  std::string secrets = {};  // a file of NAME='VALUE' lines that a shell reads inside; "": none
};

// The words in front of the command that is to run in the container of SETTINGS.
std::vector<std::string> words_of(const Settings& settings, const Start& start);

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

// Why PATH cannot be mounted; "" when it can.
std::string why_not_mounted(std::string_view path);

// MOUNTS without those that lie in another one that is at least as writable; sorted, so that a
// folder comes before what is mounted in it.
std::vector<Mount> without_inner(std::vector<Mount> mounts);

}  // namespace orch::container
