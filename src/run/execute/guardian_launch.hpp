// One launch in its guardian, from its spawn until its tree has ended and its exit record is
// written. Knows nothing of who asked for it.
#pragma once

#include "run/execute/exit_record.hpp"
#include "run/execute/guardian_log.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/host_parts.hpp"

#include <memory>
#include <optional>

namespace orch::execute {

class GuardianLaunch {
 public:
  // The file of the guardian's diagnostics about a launch whose log is LOG: NAME.log ->
  // NAME.guardian.log.
  static std::string diagnostics_beside(const std::string& log);

  // After an error nothing runs, and the private folders are removed. Diagnostics of LEVEL are
  // appended beside the log.
  static Result<std::unique_ptr<GuardianLaunch>> spawn(
      const system::Host& host, Launch launch, system::Containment containment,
      system::LogLevel level = system::LogLevel::off);

  const Launch& launch() const { return launch_; }
  const system::Tree& tree() const { return tree_; }
  LogPipe& log() { return *log_; }
  system::Diagnostics& diagnostics() { return *diagnostics_; }
  double running_s() { return host_.clock.now_s() - since_s_; }

  void signal(int signal);
  bool is_leader(const system::Exit& exit) const { return exit.process == tree_.leader; }
  void record_exit(const system::Exit& exit);
  bool has_exited() const { return record_.has_value(); }
  // After record_exit(): ends the rest of the tree, drains the log, writes the exit record and
  // removes the private folders. Empty: processes are left; call it again.
  std::optional<Ended> finish(bool abandoned);

 private:
  GuardianLaunch(const system::Host& host, Launch launch, system::LogLevel level);
  Status spawn_tree(system::Containment containment);
  std::uint64_t oom_kills() const;
  // The first path that the launch writes to whose file system is full; "" when none is.
  std::string full_disk() const;

  system::Host host_;
  Launch launch_;
  system::Tree tree_;
  std::unique_ptr<system::Diagnostics> diagnostics_;
  std::unique_ptr<LogPipe> log_;
  double since_s_ = 0;
  std::uint64_t oom_kills_before_ = 0;
  std::optional<ExitRecord> record_;
};

}  // namespace orch::execute
