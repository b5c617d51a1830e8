// The private folder of an attempt: laid out before it starts, checked and published by rename
// after it ends. Combines the parts that do this. Starts no processes.
#pragma once

#include "run/attempt/workspace_parts.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace orch::attempt {

// Threads: see AttemptFolders.
class Workspace final : public AttemptFolders {
 public:
  // FILES must outlive this.
  Workspace(system::Files& files, WorkspaceConfig config) : parts_(files, std::move(config)) {}

  std::vector<Prepared> describe(const std::vector<Attempt>& attempts) override {
    return attempt::describe(parts_, attempts);
  }
  Status lay_out(const std::vector<const Prepared*>& prepared, system::LongWork& work) override;
  Result<std::vector<PublishedFile>> check(const Prepared& prepared,
                                           system::LongWork& work) override {
    return check_outputs(parts_, prepared, work);
  }
  Status publish(const Prepared& prepared, const std::vector<PublishedFile>& files,
                 system::LongWork& work) override {
    return publish_outputs(parts_, prepared, files, work);
  }
  std::string damage(const plan::Stage& stage) override { return damage_of(parts_, stage); }
  bool is_taken(const Prepared& prepared) const override {
    return parts_.shared.taken(prepared.attempt.token).has_value();
  }
  void discard(const Prepared& prepared) override;
  void discard_failed(const Prepared& prepared, bool keep_work) override;
  void remove_output(const plan::Stage& stage) override;
  // Removes the outputs of an attempt of which only the token is known; keeps the rest of its
  // folder.
  void drop_outputs(const std::string& token);
  // Removes all files and folders that the attempt may have left on this host.
  void forget(const std::string& token);
  void tell_warnings() override { parts_.warnings.tell(); }

  bool can_see(const std::string& path) override { return parts_.files.stat(path).has_value(); }
  Result<system::FreeSpace> free_space() override {
    return parts_.files.free_space(layout().store);
  }
  Result<std::string> log_tail(const std::string& log, std::size_t lines) override;
  // The parts of a launch that recovery needs to find it once its stage is no longer in the plan.
  execute::Launch remnant(const std::string& token, const std::string& log) const {
    return launch_of(parts_, token, log);
  }
  const Layout& layout() const override { return parts_.layout; }

 private:
  void remove(const std::string& path) {
    parts_.warnings.add_failed(parts_.files.remove_tree(path));
  }

  WorkspaceParts parts_;
};

}  // namespace orch::attempt
