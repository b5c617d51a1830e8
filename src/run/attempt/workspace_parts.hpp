// The configuration of Workspace, and the functions that make attempts' folders and launches from
// it, by subject. None of them starts a process.
#pragma once

#include "core/secret/redact.hpp"
#include "os/system/files.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/attempt_folders.hpp"
#include "run/attempt/container_host.hpp"
#include "run/attempt/shared_outputs.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::attempt {

using Provided = std::map<plan::StageId, std::string>;  // absolute path of the stage's output
// The stages of PLAN whose output is provided.
Provided provided_by(const plan::Plan& plan);

struct WorkspaceConfig {
  Layout layout;
  // The environment of this process; stages get only the permitted variables.
  std::map<std::string, std::string> inherited = {};
  // Stages whose output exists outside the store, where it is read and never written.
  Provided provided = {};
  // Contains the stages of all attempts; must outlive the workspace. Null: no stage runs in a
  // container.
  const plan::Plan* plan = nullptr;
  ContainerHost containers = {};  // settings of the host that starts their containers
  // Set if a cluster places the attempts; isolation and nodes are those of the plan. Ports with the
  // number 0 are chosen on the node.
  std::optional<PlaceOptions> places = {};
  // The names by which CUDA selects GPUs, by number; without an entry, the number.
  std::map<int, std::string> gpu_names = {};
  bool hides_gpus = false;  // this host has GPUs, which are hidden from stages that hold none
  // The GPU clock in MHz that is locked while servers run, and that their measurements record; 0:
  // not locked.
  int clock_mhz = 0;
  std::vector<std::string> clock_command = {};  // nvidia-smi, or a privileged command that runs it
  // Values that no log, message or record may contain: those of all stages, because a server's
  // secret may appear in its measurement's inputs. nullopt: those of inherited variables with a
  // secret's name.
  std::optional<std::vector<std::string>> secrets = {};
  // The cache folder for the outputs of `shared` stages (SharedOutputs); "": they are made in the
  // store.
  std::string shared_root = "";
  // Called with each warning, about a file that could not be removed or about the cache, in the
  // thread that calls tell_warnings().
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

struct WorkspaceParts {
  // ALL_FILES must outlive this.
  WorkspaceParts(system::Files& all_files, WorkspaceConfig given);
  WorkspaceParts(const WorkspaceParts&) = delete;
  WorkspaceParts& operator=(const WorkspaceParts&) = delete;

  // The absolute paths of an attempt's published artifact and of its folder.
  std::string artifact_of(const Prepared& prepared) const {
    return layout.store + "/" + Layout::artifact(prepared.artifact);
  }
  std::string folder_of(const Prepared& prepared) const {
    return layout.attempt(prepared.attempt.token);
  }

  system::Files& files;
  const WorkspaceConfig config;                                // its secrets are always set
  const Layout& layout;                                        // of the config
  const std::shared_ptr<const secret::JsonSecrets> redaction;  // shared with probes
  Warnings warnings;
  SharedOutputs shared;
};

// --- launch_symbols.cpp

// The value of SYMBOL; nullopt if it is not known here, as for a port that a cluster chooses.
std::optional<std::string> symbol_value(const WorkspaceParts& in, const Prepared& prepared,
                                        std::string_view symbol);
// TEXT with the values of all known symbols.
std::string filled(const WorkspaceParts& in, const Prepared& prepared, std::string_view text);
// The absolute path of a stage's published or provided output.
std::string output_of(const WorkspaceParts& in, const plan::StageId& id);
// The GPUs of ATTEMPT under CUDA's names.
std::vector<std::string> gpus_of(const WorkspaceParts& in, const Attempt& attempt);
// The id of the image that a stage built for the container of PREPARED; "" if it cannot be read.
std::string built_image(const WorkspaceParts& in, const Prepared& prepared);

// --- launch_builder.cpp

// See AttemptFolders::describe().
std::vector<Prepared> describe(const WorkspaceParts& in, const std::vector<Attempt>& attempts);
// The folders, log and identity of the launch with TOKEN: what recovery needs once its stage is no
// longer in the plan. LOG is relative to the store.
execute::Launch launch_of(const WorkspaceParts& in, const std::string& token,
                          const std::string& log);

// --- container_launch.cpp

// Makes the process of MEMBERS, a batch or one attempt, run in its container if it has one: sets
// mounts, variables, and the removal of the container however the process dies.
void enter_container(const WorkspaceParts& in, std::vector<Prepared>& members);
// Fails if the image that a stage built for the container of PREPARED, or a mounted path, is
// missing.
Status check_container(const WorkspaceParts& in, const Prepared& prepared);

// --- published_outputs.cpp; thread-safe for different attempts

// See the functions of AttemptFolders.
Result<std::vector<PublishedFile>> check_outputs(const WorkspaceParts& in, const Prepared& prepared,
                                                 system::LongWork& work);
Status publish_outputs(WorkspaceParts& in, const Prepared& prepared,
                       const std::vector<PublishedFile>& files, system::LongWork& work);
std::string damage_of(const WorkspaceParts& in, const plan::Stage& stage);
// Whether a manifest shows that this attempt, and not an earlier one, published its outputs. True
// also if the manifest cannot be read.
bool is_published(const WorkspaceParts& in, const Prepared& prepared);

}  // namespace orch::attempt
