// The parts of a job's agent: a running launch until its end, records of ends, signs of life,
// Slurm's signals, and the probe of a server. All of them work in the agent's thread.
#pragma once

#include "core/secret/redact.hpp"
#include "os/system/clock.hpp"
#include "run/execute/guardian_launch.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/node_fitter.hpp"
#include "run/slurm/server_ranks.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

class RunningLaunch {
 public:
  RunningLaunch(std::unique_ptr<execute::GuardianLaunch> launch, std::optional<ServerRanks> ranks,
                bool is_of_keepers)
      : launch_(std::move(launch)), ranks_(std::move(ranks)), is_of_keepers_(is_of_keepers) {}

  execute::GuardianLaunch& launch() const { return *launch_; }
  // Whether it is the launch that starts the keepers, which clean up after ranks, and not a launch
  // of the orchestrator.
  bool is_of_keepers() const { return is_of_keepers_; }
  bool is_abandoned() const { return is_abandoned_; }
  // The signal that the orchestrator requested; 0: none.
  int asked_signal() const { return asked_signal_; }

  // Sends TERM, and KILL once the launch's stop_s has passed.
  void terminate(double now_s);
  void abandon(double now_s);
  // Requests KILL, which the next kill_when_due() sends.
  void kill() { kill_at_s_ = 0; }
  void kill_when_due(double now_s);
  // Obeys SIGNAL, the orchestrator's present request; 0: none.
  void obey(int signal, double now_s);
  void beat();
  // IS_REMOVED: the launch's folder is gone, because an orchestrator abandoned the launch and may
  // have restarted it. Kills the launch if several checks in a row find this.
  void note_folder(bool is_removed);
  // The end of the launch, once its leader has exited and its tree is gone; else nullopt.
  std::optional<execute::Ended> finish(double now_s);
  // Adds to ENDED what the ranks report. IS_TOLD: Slurm told the job to end.
  void complete(execute::Ended& ended, bool is_told);

 private:
  // Signals the launch's processes on all nodes.
  void send(int signal, double now_s);
  bool are_ranks_gone(double now_s);

  static constexpr double k_not_due = std::numeric_limits<double>::infinity();

  std::unique_ptr<execute::GuardianLaunch> launch_;
  std::optional<ServerRanks> ranks_;  // that it starts on the nodes of the job
  bool is_of_keepers_;
  double ranks_killed_s_ = k_not_due, exited_s_ = k_not_due, kill_at_s_ = k_not_due;
  int asked_signal_ = 0;
  int removed_looks_ = 0;  // number of consecutive checks that did not find its folder
  bool is_abandoned_ = false;
};

// Writes the records of ends. Failed writes are retried, because a measurement without a record
// would count as running for as long as its server runs.
class EndRecords {
 public:
  explicit EndRecords(AgentFiles files) : files_(std::move(files)) {}

  void write(execute::Ended ended);
  void write_again();
  // Retries the failed writes for up to a minute.
  void write_left(system::Clock& clock);

 private:
  AgentFiles files_;
  std::vector<execute::Ended> unwritten_;
};

// Shows that the job of TOKEN is alive, and watches whether the orchestrator is alive.
class Heartbeat {
 public:
  Heartbeat(AgentFiles files, std::string token)
      : files_(std::move(files)), token_(std::move(token)) {}

  // Beats if a beat is due. Returns whether it was.
  bool beat(double now_s);
  double heard_at_s() const { return heard_at_s_; }

 private:
  AgentFiles files_;
  std::string token_;
  std::string heard_;  // the orchestrator's latest beat
  std::uint64_t beats_ = 0;
  double next_s_ = 0, heard_at_s_ = 0;
};

// The signals by which Slurm tells a job to end: the time limit is near, or the job was cancelled
// or preempted.
class StopSignals {
 public:
  // From construction on, these signals do not end this process. From NEAR_S on, set by
  // set_limit(), they are attributed to the time limit.
  explicit StopSignals(system::Clock& clock) : clock_(clock) {}
  void set_limit(double near_s) { near_s_ = near_s; }

  int descriptor() const { return signals_.descriptor(); }
  // Whether a signal has arrived since the last call. Waits up to WAIT_S for it.
  bool read(double wait_s = 0);
  bool have_come() const { return first_s_.has_value(); }
  bool are_of_limit() const { return first_s_ && *first_s_ >= near_s_; }

 private:
  system::Clock& clock_;
  execute::EndSignals signals_;
  std::optional<double> first_s_;
  double near_s_ = std::numeric_limits<double>::infinity();
};

// Once the orchestrator has written the probe of a server, watches until the server is ready or has
// failed, and reports that once.
class ServerProbe {
 public:
  // SECRETS are values that no report may contain.
  ServerProbe(attempt::Readiness& readiness, AgentFiles files,
              std::shared_ptr<const secret::Secrets> secrets)
      : readiness_(readiness), files_(std::move(files)), secrets_(std::move(secrets)) {}

  // Checks the server TOKEN, which has run for FOR_S seconds. True: this call has reported
  // the result, or tried to.
  bool look(const std::string& token, const NodeFitter& node, double for_s);

 private:
  attempt::Readiness& readiness_;
  AgentFiles files_;
  std::shared_ptr<const secret::Secrets> secrets_;
  bool is_probed_ = false, is_reported_ = false;
};

}  // namespace orch::slurm
