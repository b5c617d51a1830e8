// Manages servers: notices when they are ready, stops those that no stage needs, and passes a
// server's failure on to its measurements.
#pragma once

#include "run/schedule/run_state.hpp"

namespace orch::schedule {

// Ends processes: sends TERM to their trees, and kills those that are late. Does not know what an
// end means for a stage.

class Stopper {
 public:
  explicit Stopper(RunState& run) : run_(run) {}

  // Asks PROCESS to end because of WHY; enforce_deadlines() kills it if it is late. Does nothing if
  // PROCESS was asked before. A PROCESS that is not launched yet will not be; the outputs of one
  // that has ended are still checked.
  void stop(ActiveProcess& process, AttemptFailure why);
  // Cancels stages that have not begun, and stops or kills running processes, as interrupts and
  // --fail-fast require.
  void obey_interrupts();
  // Stops and kills processes whose deadline had passed at HEARD_S. The caller must have processed
  // every end up to HEARD_S: otherwise a process that ended in time would count as late.
  void enforce_deadlines(double heard_s);
  bool was_interrupted() const { return obeyed_ > 0; }

 private:
  RunState& run_;
  int obeyed_ = 0;  // the number of interrupts that were obeyed
};

class Services {
 public:
  Services(RunState& run, Stopper& stopper) : run_(run), stopper_(stopper) {}

  // Checks every server once.
  void watch();
  // Called when no process of SERVER is left. Determines why it ended, unless this run stopped it.
  void ended(ActiveProcess& server, const execute::Ended& ended);

 private:
  void watch_start(ActiveProcess& server);

  RunState& run_;
  Stopper& stopper_;
};

}  // namespace orch::schedule
