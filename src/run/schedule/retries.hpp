// What the failure of an attempt means for its stage: a retry with exponential backoff, or the end
// of the stage and of all that depends on it. Knows no process.
#pragma once

#include "run/schedule/run_state.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace orch::schedule {

class Retries {
 public:
  explicit Retries(RunState& run) : run_(run) {}

  // How often STAGE has failed for the harness's fault. The first call asks the journal, so make it
  // before the journal hears of the next failure.
  int& harness_failures(Index stage);
  // Postpones STAGE while its retry budget lasts and the failure is the harness's; else gives up.
  void failed(Index stage, const AttemptFailure& failure);
  // STAGE has failed for good; its dependants are skipped.
  void give_up(Index stage, const AttemptFailure& failure);
  const std::map<std::string, std::size_t>& failed_by_class() const { return failed_by_class_; }

 private:
  // Gives up the measurements that are known to fail because STAGE ran out of memory.
  void prune(Index stage, std::string_view failure_class);

  RunState& run_;
  std::map<std::string, std::size_t> failed_by_class_;
};

// What becomes of a measurement whose record is complete: the journal says whether the record is
// valid; an invalid one is measured again on the same server. Starts and stops nothing.

// How long a measurement that went wrong waits for news of its server.
inline constexpr double k_recheck_s = 1;

class Measurements {
 public:
  Measurements(RunState& run, Retries& retries) : run_(run), retries_(retries) {}

  // MEMBER's record is published; SESSION is the server that it measured.
  void produced(const ActiveProcess& process);
  // The server failed while STAGE was measured. STAGE waits for a new server when the failure is
  // the harness's, and otherwise fails for the same cause.
  void server_failed(Index stage, const AttemptFailure& failure);

 private:
  struct Record {
    Index stage;
    AttemptKey key;
    AttemptKey session;
  };
  // An invalid record may be the first sign that the server is failing. WAIT: judge again after a
  // moment, when news of the server has arrived.
  void judge(const Record& record, bool wait);

  RunState& run_;
  Retries& retries_;
};

// Why an attempt failed: from how its process ended, its log, the state of the machine at its end,
// and its inputs. Does not know what follows from it.

// The failure that ENDED amounts to, of a process that nobody stopped.
AttemptFailure failure_of(RunState& run, const ActiveProcess& process, const execute::Ended& ended);

// FAILURE, or the fault of the machine or the harness that explains it better: an input that
// vanished explains every failure of the system, a full disk those that say no reason.
AttemptFailure explained(RunState& run, const ActiveProcess& process, const execute::Ended& ended,
                         AttemptFailure failure);

// The failure that an error of our own work is. OTHERWISE: its class when the error number says too
// little.
AttemptFailure failure_to(FailureClass otherwise, const Error& error);

}  // namespace orch::schedule
