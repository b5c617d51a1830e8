// What becomes of a measurement whose record is complete: the journal says whether the record is
// valid; an invalid one is measured again on the same server. Starts and stops nothing.
#pragma once

#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"

namespace orch::schedule {

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

}  // namespace orch::schedule
