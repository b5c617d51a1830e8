// Decides what an attempt's failure means for its stage: a retry with exponential backoff, or the
// end of the stage and of all its dependants.
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

  // The number of STAGE's failures for which the harness was to blame. The first call queries the
  // journal, so call it before appending the next failure.
  int& harness_failures(Index stage);
  // Postpones STAGE if the harness is to blame and the retry budget lasts; else gives it up.
  void failed(Index stage, const AttemptFailure& failure);
  // Records that STAGE has failed permanently, and skips its dependants.
  void give_up(Index stage, const AttemptFailure& failure);
  const std::map<std::string, std::size_t>& failed_by_class() const { return failed_by_class_; }

 private:
  // Gives up the measurements that are known to fail because STAGE ran out of memory.
  void prune(Index stage, std::string_view failure_class);

  RunState& run_;
  std::map<std::string, std::size_t> failed_by_class_;
};

// Judges measurements whose records are complete. Validity comes from the journal; an invalid
// measurement is repeated on the same server. Starts and stops no processes.

// How long the judgement of a failed measurement waits for news of its server.
inline constexpr double k_recheck_s = 1;

class Measurements {
 public:
  Measurements(RunState& run, Retries& retries) : run_(run), retries_(retries) {}

  // Called once the record of the measurement PROCESS is published.
  void produced(const ActiveProcess& process);
  // Called if the server failed while STAGE was measured. STAGE waits for a new server if the
  // harness is to blame, else fails for the same cause.
  void server_failed(Index stage, const AttemptFailure& failure);

 private:
  struct Record {
    Index stage;
    AttemptKey key;
    AttemptKey session;
  };
  // An invalid record may be the first sign that the server is failing. With WAIT, judges again a
  // moment later, when news of the server may have arrived.
  void judge(const Record& record, bool wait);

  RunState& run_;
  Retries& retries_;
};

// Why an attempt failed, judged by the end of its process, its log, the state of the machine at
// that time, and its inputs. Does not decide the consequences.

// The failure that ENDED implies for a process that was not stopped on purpose.
AttemptFailure failure_of(RunState& run, const ActiveProcess& process, const execute::Ended& ended);

// FAILURE, or a fault of the machine or the harness that explains it better: an input that vanished
// explains every failure of the system; a full disk or an incomplete log explains failures without
// a stated reason.
AttemptFailure explained(RunState& run, const ActiveProcess& process, const execute::Ended& ended,
                         AttemptFailure failure);

// The failure for an error in our own work. OTHERWISE is its class if the error number is
// inconclusive.
AttemptFailure failure_to(FailureClass otherwise, const Error& error);

}  // namespace orch::schedule
