// One launch in its guardian, from its spawn until its tree has ended and its exit record is
// written. Knows nothing of who asked for it.
#pragma once

#include "execute/exit_record.hpp"
#include "execute/guardian_log.hpp"
#include "system/host_parts.hpp"

#include <memory>
#include <optional>

namespace orch::execute {

class GuardianLaunch {
 public:
  // After an error nothing runs, and the private folders are removed.
  static Result<std::unique_ptr<GuardianLaunch>> spawn(const system::Host& host, Launch launch,
                                                       system::Containment containment);

  const Launch& launch() const { return launch_; }
  const system::Tree& tree() const { return tree_; }
  LogPipe& log() { return *log_; }
  double running_s() { return host_.clock.now_s() - since_s_; }

  void signal(int signal) { host_.processes.signal(tree_, signal); }
  bool is_leader(const system::Exit& exit) const { return exit.process == tree_.leader; }
  void record_exit(const system::Exit& exit);
  bool has_exited() const { return record_.has_value(); }
  // After record_exit(): ends the rest of the tree, drains the log, writes the exit record and
  // removes the private folders. Empty: processes are left; call it again.
  std::optional<Ended> finish(bool abandoned);

 private:
  GuardianLaunch(const system::Host& host, Launch launch)
      : host_(host), launch_(std::move(launch)) {}
  std::uint64_t oom_kills() const;

  system::Host host_;
  Launch launch_;
  system::Tree tree_;
  std::unique_ptr<LogPipe> log_;
  double since_s_ = 0;
  std::uint64_t oom_kills_before_ = 0;
  std::optional<ExitRecord> record_;
};

}  // namespace orch::execute
