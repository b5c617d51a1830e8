// Looks after servers: notices that they are ready, stops those that no stage needs, and passes the
// failure of a server on to the measurements that run against it. Starts nothing.
#pragma once

#include "run/schedule/run_state.hpp"

namespace orch::schedule {

// Ends processes: asks their trees to end (TERM), and kills those that are late. Does not know what
// an end means for a stage.

class Stopper {
 public:
  explicit Stopper(RunState& run) : run_(run) {}

  // Asks PROCESS to end, for the reason WHY; enforce_deadlines() kills it when it does not. Does
  // nothing when it was asked before. One that is not launched yet will not be; outputs of one that
  // has ended are checked to the end.
  void stop(ActiveProcess& process, AttemptFailure why);
  // Cancels what has not begun, and stops or kills what runs, as the interrupts and --fail-fast
  // require.
  void obey_interrupts();
  // Stops and kills processes whose time was up at HEARD_S. Every end up to HEARD_S must have been
  // processed: otherwise a process that ended in time would count as late.
  void enforce_deadlines(double heard_s);
  bool was_interrupted() const { return obeyed_ > 0; }

 private:
  RunState& run_;
  int obeyed_ = 0;  // interrupts acted upon
};

class Services {
 public:
  Services(RunState& run, Stopper& stopper) : run_(run), stopper_(stopper) {}

  // One look at every server.
  void watch();
  // Called when no process of SERVER is left. Finds out why, unless this run stopped it.
  void ended(ActiveProcess& server, const execute::Ended& ended);

 private:
  void watch_start(ActiveProcess& server);

  RunState& run_;
  Stopper& stopper_;
};

}  // namespace orch::schedule
