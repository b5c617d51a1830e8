// The parts of a job's agent: one launch on its way to its end, records of ends, signs of life, the
// signals of Slurm, and the probe of a server. Each works in the agent's thread.
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
  // It is no launch of an orchestrator: it cleans up after ranks.
  bool is_of_keepers() const { return is_of_keepers_; }
  bool is_abandoned() const { return is_abandoned_; }
  // The signal that the orchestrator asked for; 0: none.
  int asked_signal() const { return asked_signal_; }

  // TERM, and KILL once its time to stop has passed.
  void terminate(double now_s);
  void abandon(double now_s);
  // At the next kill_when_due().
  void kill() { kill_at_s_ = 0; }
  void kill_when_due(double now_s);
  // What the orchestrator asks for now.
  void obey(int signal, double now_s);
  void beat();
  // Whoever removed its folder has written it off, and may have begun it again.
  void note_folder(bool is_removed);
  // Once its leader has exited and none of its tree is left. IS_TOLD: Slurm has told it to end.
  std::optional<execute::Ended> finish(double now_s);
  // What its ranks add to its end.
  void complete(execute::Ended& ended, bool is_told);

 private:
  // Signals its processes, wherever they are.
  void send(int signal, double now_s);
  bool are_ranks_gone(double now_s);

  static constexpr double k_not_due = std::numeric_limits<double>::infinity();

  std::unique_ptr<execute::GuardianLaunch> launch_;
  std::optional<ServerRanks> ranks_;  // that it has started on the nodes of the job
  bool is_of_keepers_;
  double ranks_killed_s_ = k_not_due, exited_s_ = k_not_due, kill_at_s_ = k_not_due;
  int asked_signal_ = 0;
  int removed_looks_ = 0;  // that did not find its folder
  bool is_abandoned_ = false;
};

// A measurement without a record would count as running as long as its server does: what cannot be
// written is tried again.
class EndRecords {
 public:
  explicit EndRecords(AgentFiles files) : files_(std::move(files)) {}

  void write(execute::Ended ended);
  void write_again();
  // Tries for a minute.
  void write_left(system::Clock& clock);

 private:
  AgentFiles files_;
  std::vector<execute::Ended> unwritten_;
};

// Says that the job of TOKEN lives, and listens whether the orchestrator does.
class Heartbeat {
 public:
  Heartbeat(AgentFiles files, std::string token)
      : files_(std::move(files)), token_(std::move(token)) {}

  // Whether it was time for a beat.
  bool beat(double now_s);
  double heard_at_s() const { return heard_at_s_; }

 private:
  AgentFiles files_;
  std::string token_;
  std::string heard_;  // of the orchestrator
  std::uint64_t beats_ = 0;
  double next_s_ = 0, heard_at_s_ = 0;
};

// Slurm tells a job to end: its time limit is near, or it was cancelled or preempted.
class StopSignals {
 public:
  // From now on, this process is not ended by them. NEAR_S: from when on it is the time limit.
  explicit StopSignals(system::Clock& clock);
  void set_limit(double near_s) { near_s_ = near_s; }

  int descriptor() const { return signals_.get(); }
  // Whether some have come since the last call.
  bool read();
  // The same; waits for a moment.
  bool wait();
  bool have_come() const { return first_s_.has_value(); }
  bool are_of_limit() const { return first_s_ && *first_s_ >= near_s_; }

 private:
  system::Clock& clock_;
  system::Descriptor signals_;
  std::optional<double> first_s_;
  double near_s_ = std::numeric_limits<double>::infinity();
};

// Asks a server whether it is ready once the orchestrator wants to know, and reports it once.
class ServerProbe {
 public:
  // SECRETS: what no report may have.
  ServerProbe(attempt::Readiness& readiness, AgentFiles files,
              std::shared_ptr<const secret::Secrets> secrets)
      : readiness_(readiness), files_(std::move(files)), secrets_(std::move(secrets)) {}

  // Of the server TOKEN, which runs for FOR_S. True: it has just been reported.
  bool look(const std::string& token, const NodeFitter& node, double for_s);

 private:
  attempt::Readiness& readiness_;
  AgentFiles files_;
  std::shared_ptr<const secret::Secrets> secrets_;
  bool is_probed_ = false, is_reported_ = false;
};

}  // namespace orch::slurm
