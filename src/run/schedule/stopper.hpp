// Ends processes: asks their trees to end (TERM), and kills those that are late. Does not know what
// an end means for a stage.
#pragma once

#include "run/schedule/run_state.hpp"

namespace orch::schedule {

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

}  // namespace orch::schedule
