// What an attempt's failure means for its stage: a retry with exponential backoff, or the end of
// the stage and of all its dependants. Knows no process.
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

  // How often the harness was to blame for a failure of STAGE. The first call queries the journal,
  // so call it before appending the next failure.
  int& harness_failures(Index stage);
  // Postpones STAGE while the failure is the harness's and its retry budget lasts; else abandons
  // it.
  void failed(Index stage, const AttemptFailure& failure);
  // STAGE has failed permanently; skips its dependants.
  void give_up(Index stage, const AttemptFailure& failure);
  const std::map<std::string, std::size_t>& failed_by_class() const { return failed_by_class_; }

 private:
  // Abandons the measurements that are known to fail because STAGE ran out of memory.
  void prune(Index stage, std::string_view failure_class);

  RunState& run_;
  std::map<std::string, std::size_t> failed_by_class_;
};

// Judges a measurement whose record is complete: the journal says whether the record is valid; an
// invalid measurement is repeated on the same server. Starts and stops nothing.

// How long a bad measurement waits for news of its server.
inline constexpr double k_recheck_s = 1;

class Measurements {
 public:
  Measurements(RunState& run, Retries& retries) : run_(run), retries_(retries) {}

  // MEMBER's record is published; SESSION is the server that it measured.
  void produced(const ActiveProcess& process);
  // The server failed while STAGE was measured. STAGE waits for a new server if the failure is the
  // harness's, else fails for the same cause.
  void server_failed(Index stage, const AttemptFailure& failure);

 private:
  struct Record {
    Index stage;
    AttemptKey key;
    AttemptKey session;
  };
  // An invalid record may be the first sign that the server is failing. WAIT: judge again after a
  // moment, when news of the server may have arrived.
  void judge(const Record& record, bool wait);

  RunState& run_;
  Retries& retries_;
};

// Why an attempt failed, by how its process ended, its log, the state of the machine at its end,
// and its inputs. Does not know the consequences.

// The failure that ENDED implies for a process that was not stopped on purpose.
AttemptFailure failure_of(RunState& run, const ActiveProcess& process, const execute::Ended& ended);

// FAILURE, or a fault of the machine or the harness that explains it better: an input that vanished
// explains every failure of the system; a full disk explains those without a stated reason.
AttemptFailure explained(RunState& run, const ActiveProcess& process, const execute::Ended& ended,
                         AttemptFailure failure);

// The failure for an error in our own work. OTHERWISE: its class if the error number does not
// decide.
AttemptFailure failure_to(FailureClass otherwise, const Error& error);

}  // namespace orch::schedule
