// One launch in the care of its guardian: from before its spawn until nothing of it is left and its
// exit record stands. Knows nothing of who asked for it.
#pragma once

#include "execute/exit_record.hpp"
#include "execute/guardian_log.hpp"
#include "execute/host.hpp"

#include <memory>
#include <optional>

namespace orch::execute {

class Charge {
 public:
  // An error means that nothing runs and nothing is left.
  static Result<std::unique_ptr<Charge>> spawn(const Host& host, Launch launch,
                                               system::Containment containment);

  const Launch& launch() const { return launch_; }
  const system::Tree& tree() const { return tree_; }
  LogPipe& log() { return *log_; }
  double for_s() { return host_.clock.now_s() - since_s_; }

  void signal(int signal) { host_.processes.signal(tree_, signal); }
  bool leads(const system::Exit& exit) const { return exit.process == tree_.leader; }
  void leader_ended(const system::Exit& exit);
  bool has_ended() const { return record_.has_value(); }
  // After the leader's end: ends the rest of the tree, drains the log, removes traces, writes the
  // exit record. Nothing when something of the tree is still left; then it must be called again.
  std::optional<Ended> finish(bool abandoned);

 private:
  Charge(const Host& host, Launch launch) : host_(host), launch_(std::move(launch)) {}
  std::uint64_t oom_kills() const;

  Host host_;
  Launch launch_;
  system::Tree tree_;
  std::unique_ptr<LogPipe> log_;
  double since_s_ = 0;
  std::uint64_t oom_kills_before_ = 0;
  std::optional<ExitRecord> record_;
};

}  // namespace orch::execute
