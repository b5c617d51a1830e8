// The inputs of attempts' folders and launches, and the parts of Workspace that make these, by
// subject. None starts a process.
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

using Provided = std::map<plan::StageId, std::string>;  // absolute path of its output
// The stages of PLAN whose output is provided.
Provided provided_by(const plan::Plan& plan);

struct WorkspaceConfig {
  Layout layout;
  // The environment of this process; stages get the permitted part of it.
  std::map<std::string, std::string> inherited = {};
  // Stages whose output exists outside the store; it is read there and never written.
  Provided provided = {};
  // The stages of all attempts. Must outlive the workspace; null: nothing runs in a container.
  const plan::Plan* plan = nullptr;
  ContainerHost containers = {};  // which starts their containers
  // Where a cluster places attempts; isolation and nodes are those of the plan. Ports with number 0
  // are chosen there.
  std::optional<PlaceOptions> places = {};
  // CUDA's names for GPUs, by number, if they differ from the numbers.
  std::map<int, std::string> gpu_names = {};
  bool hides_gpus = false;  // this host has GPUs; hide them from stages that hold none
  // The GPU clock that is locked while servers run, and that their measurements record; 0: not
  // locked.
  int clock_mhz = 0;
  std::vector<std::string> clock_command = {};  // nvidia-smi, or a privileged command that runs it
  // Values that no log, message or record may contain: those of all stages, because a server's
  // secret may appear in its measurement's inputs. nullopt: those with a secret's name.
  std::optional<std::vector<std::string>> secrets = {};
  // The cache for the outputs of `shared` stages (SharedOutputs); "": they are in the store.
  std::string shared_root = "";
  // Receives what could not be removed, and why, from the thread that calls tell_warnings().
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

struct WorkspaceParts {
  // ALL_FILES must outlive this.
  WorkspaceParts(system::Files& all_files, WorkspaceConfig given);
  WorkspaceParts(const WorkspaceParts&) = delete;
  WorkspaceParts& operator=(const WorkspaceParts&) = delete;

  // The absolute paths of an attempt's output and folder.
  std::string artifact_of(const Prepared& prepared) const {
    return layout.store + "/" + Layout::artifact(prepared.artifact);
  }
  std::string folder_of(const Prepared& prepared) const {
    return layout.attempt(prepared.attempt.token);
  }

  system::Files& files;
  const WorkspaceConfig config;                                // with all secrets
  const Layout& layout;                                        // of the config
  const std::shared_ptr<const secret::JsonSecrets> redaction;  // shared with probes
  Warnings warnings;
  SharedOutputs shared;
};

// --- launch_symbols.cpp

// nullopt if unknown, such as a port that a cluster chooses.
std::optional<std::string> symbol_value(const WorkspaceParts& in, const Prepared& prepared,
                                        std::string_view symbol);
// TEXT with the values of all known symbols.
std::string filled(const WorkspaceParts& in, const Prepared& prepared, std::string_view text);
// The absolute path of a stage's published output.
std::string output_of(const WorkspaceParts& in, const plan::StageId& id);
// Its GPUs under CUDA's names.
std::vector<std::string> gpus_of(const WorkspaceParts& in, const Attempt& attempt);
// The id of the image that a stage has built for the container of PREPARED; "" if it cannot be
// read.
std::string built_image(const WorkspaceParts& in, const Prepared& prepared);

// --- launch_builder.cpp

// As AttemptFolders::describe().
std::vector<Prepared> describe(const WorkspaceParts& in, const std::vector<Attempt>& attempts);
// The folders, log and identity of the launch with TOKEN: what recovery needs once its stage is no
// longer in the plan. LOG is relative to the store.
execute::Launch launch_of(const WorkspaceParts& in, const std::string& token,
                          const std::string& log);

// --- container_launch.cpp

// Makes the process of MEMBERS, a batch or one attempt, run in its container if it has one: mounts,
// variables, and removal after any kind of death.
void enter_container(const WorkspaceParts& in, std::vector<Prepared>& members);
// Why the container of PREPARED cannot be started; ok if it has none.
Status check_container(const WorkspaceParts& in, const Prepared& prepared);

// --- published_outputs.cpp; thread-safe for different attempts

// Like those of AttemptFolders.
Result<std::vector<PublishedFile>> check_outputs(const WorkspaceParts& in, const Prepared& prepared,
                                                 system::LongWork& work);
Status publish_outputs(WorkspaceParts& in, const Prepared& prepared,
                       const std::vector<PublishedFile>& files, system::LongWork& work);
std::string damage_of(const WorkspaceParts& in, const plan::Stage& stage);
// Whether a manifest says that this very attempt published its outputs.
bool is_published(const WorkspaceParts& in, const Prepared& prepared);

}  // namespace orch::attempt
