// The private folder of an attempt: laid out before it starts, checked and published by rename
// after it ends. Unpublished outputs are read by no other stage. Starts no process.
#pragma once

#include "run/attempt/attempt_folders.hpp"
#include "run/attempt/container_host.hpp"
#include "run/attempt/shared_outputs.hpp"
#include "run/attempt/readiness.hpp"
#include "plan/graph/plan.hpp"
#include "core/secret/redact.hpp"
#include "os/system/files.hpp"
#include "os/system/work/long_work.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::attempt {

using Provided = std::map<plan::StageId, std::string>;  // absolute path of its output
// The stages of PLAN whose output is provided.
Provided provided_by(const plan::Plan& plan);

// The values that are secret: of the variables of INHERITED that NAMED has ("X" or
// "PREFIX*"), and of all variables with a name like a secret's, because a process may read those
// elsewhere.
std::vector<std::string> secrets_of(const std::map<std::string, std::string>& inherited,
                                    const std::vector<std::string>& named);

// The headers that the matrix gives SERVICE, as lines, with the values of their variables. One
// whose variable is not set is left out: a run asks for it before it starts.
std::vector<std::string> headers_of(const plan::RunningService& service,
                                    const std::map<std::string, std::string>& environment);
// The Authorization header for SERVICE, with the token that ENVIRONMENT has; "" for none.
std::string authorization_of(const plan::RunningService& service,
                             const std::map<std::string, std::string>& environment);
IdentityQuestion identity_question(const plan::RunningService& service,
                                   const std::map<std::string, std::string>& environment);

// lay_out(), check(), publish() and discard() may run on several threads, for different attempts;
// the other calls come from one thread.
class Workspace final : public AttemptFolders {
 public:
  // FILES must outlive this. INHERITED: the environment of this process, of which stages get the
  // allowed part. PROVIDED: stages whose output is elsewhere; it is read there and never written.
  Workspace(system::Files& files, Layout layout, std::map<std::string, std::string> inherited,
            Provided provided = {});

  // Stages with `shared` make their outputs below ROOT, of SharedOutputs; "": in the store.
  void share_in(const std::string& root);
  bool is_taken(const Prepared& prepared) const override;

  // The names under which CUDA selects GPUs, by number, where they differ from the numbers.
  void name_gpus(std::map<int, std::string> names) { gpu_names_ = std::move(names); }
  // This host has GPUs: a stage that holds none sees none.
  void hide_gpus() { hides_gpus_ = true; }
  // The GPUs of servers are locked at MHZ while they run, and those measured there are told so.
  // COMMAND: nvidia-smi, or words that run it with the rights it needs.
  void lock_clocks(std::vector<std::string> command, int mhz) {
    clock_command_ = std::move(command);
    clock_mhz_ = mhz;
  }
  // Containers are started as HOST says. PLAN, of the stages of all attempts, must outlive this.
  void contain_by(ContainerHost host, const plan::Plan& plan) {
    containers_ = std::move(host);
    plan_ = &plan;
  }
  // A command that prints the names of containers with the label of this store, and one that
  // removes those of NAMES and prints the names; empty for an ENGINE that leaves none.
  std::vector<std::string> leftover_list(container::Engine engine) const;
  std::vector<std::string> leftover_removal(container::Engine engine,
                                            const std::vector<std::string>& names) const;
  // Attempts run where a cluster places them, as OPTIONS say; isolation and nodes are those of the
  // plan. Ports of the number 0 are chosen there.
  void place_elsewhere(const PlaceOptions& options) { elsewhere_ = options; }
  // WARN gets what could not be removed, and why, when tell_warnings() is called.
  void warn_by(std::function<void(const std::string&)> warn) { warn_ = std::move(warn); }
  void tell_warnings() override;
  // Values that no log, message or record may hold: those of all stages, because a server's secret
  // may stand in what its measurement reads. Before it is called: those with a secret's name.
  void know_secrets(const std::vector<std::string>& values);
  std::vector<Prepared> describe(const std::vector<Attempt>& attempts) override;
  Status lay_out(const std::vector<const Prepared*>& prepared, system::LongWork& work) override;
  Result<std::vector<PublishedFile>> check(const Prepared& prepared,
                                           system::LongWork& work) override;
  Status publish(const Prepared& prepared, const std::vector<PublishedFile>& files,
                 system::LongWork& work) override;
  void discard(const Prepared& prepared) override;
  void discard_failed(const Prepared& prepared, bool keep_work) override;
  void remove_output(const plan::Stage& stage) override;
  // The same for an attempt of which only the token is known; the rest of its folder stays.
  void drop_outputs(const std::string& token);
  std::string damage(const plan::Stage& stage) override;
  bool can_see(const std::string& path) override { return files_.stat(path).has_value(); }
  Result<system::FreeSpace> free_space() override { return files_.free_space(layout_.store); }
  // The parts of a launch by which recovery finds it when its stage is no longer in the plan.
  execute::Launch remnant(const std::string& token, const std::string& log) const;
  // Removes every file and folder that the attempt may have left on this host.
  void forget(const std::string& token);
  Result<std::string> log_tail(const std::string& log, std::size_t lines) override;

  const Layout& layout() const override { return layout_; }

 private:
  std::optional<std::string> symbol(const Prepared& prepared, std::string_view name) const;
  std::optional<std::string> symbol_of_container(const Prepared& prepared, std::string_view name);
  std::string resolve(const Prepared& prepared, std::string_view text) const;
  std::string output_of(const plan::StageId& id) const;
  std::vector<std::string> gpus_of(const Attempt& attempt) const;
  void show_gpus(Prepared& prepared) const;
  Status write_files(const Prepared& prepared, system::LongWork& work);
  Status copy(const Prepared& prepared, const runner::Copy& copy, system::LongWork& work);
  Status place(const Prepared& prepared, const runner::Place& place, system::LongWork& work);
  Prepared describe(const Attempt& attempt);
  // Whether a manifest says that this very attempt published its outputs.
  bool is_published(const Prepared& prepared);
  Result<std::optional<std::vector<PublishedFile>>> published_before(const Prepared& prepared);
  Result<std::vector<system::FileEntry>> list_outputs(const Prepared& prepared);
  Result<bool> has_content(const std::string& path);
  Result<bool> is_output(const Prepared& prepared, const std::string& output,
                         const std::vector<system::FileEntry>& entries);
  Status check_links(const Prepared& prepared, const std::vector<system::FileEntry>& entries);
  std::string read_versions(const Prepared& prepared);
  Status lay_out(const Prepared& prepared, system::LongWork& work);
  std::string shared_entry_of(const Attempt& attempt);
  Status begin_shared(const Prepared& prepared);
  Status publish_shared(const Prepared& prepared, const std::string& manifest);
  void forget_shared(const std::string& token);
  void drop_shared(const Prepared& prepared, bool is_full);
  void warn_later(const std::string& text);
  void fill_launch(Prepared& prepared);
  std::string built_image(const std::string& built);
  Contained start_of(const std::vector<Prepared>& members);
  void enter_container(std::vector<Prepared>& members);
  std::vector<std::string> passed_to(const container::Start& start,
                                     const execute::Launch& launch) const;
  // Whether the ranks of the server PREPARED start in containers on several nodes.
  static bool is_divided(const Prepared& prepared);
  Status check_container(const Prepared& prepared);
  void fill_place(Prepared& prepared) const;
  void fill_clocks(Prepared& prepared) const;
  void fill_probe(Prepared& prepared);
  void remove(const std::string& path);

  system::Files& files_;
  Layout layout_;
  std::unique_ptr<SharedOutputs> shared_;
  std::map<std::string, std::string> inherited_;
  Provided provided_;
  std::vector<std::string> secrets_;
  std::shared_ptr<const secret::JsonSecrets> redaction_;  // shared with the probes
  std::map<int, std::string> gpu_names_;
  bool hides_gpus_ = false;
  std::optional<PlaceOptions> elsewhere_;
  ContainerHost containers_;
  const plan::Plan* plan_ = nullptr;
  std::vector<std::string> clock_command_;
  int clock_mhz_ = 0;  // 0: clocks are left as they are
  std::function<void(const std::string&)> warn_ = [](const std::string&) {};
  std::unique_ptr<std::mutex> warnings_mutex_ = std::make_unique<std::mutex>();
  std::vector<std::string> warnings_;  // guarded by the mutex
};

// The environment of a stage: from INHERITED the variables PATH HOME USER LANG LC_ALL TZ TMPDIR and
// those that INHERIT names, overridden by ENV.
std::map<std::string, std::string> stage_environment(
    const std::map<std::string, std::string>& inherited, const std::vector<std::string>& inherit,
    const std::map<std::string, std::string>& env);

}  // namespace orch::attempt
