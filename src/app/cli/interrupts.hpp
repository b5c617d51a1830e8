// Counts SIGINT, SIGTERM and SIGHUP (the terminal was closed). Does not end the process.
#pragma once

#include "run/schedule/scheduler.hpp"

namespace orch::cli {

// From construction to destruction these signals are counted instead of ending the process. At most
// one instance exists.
class SignalInterrupts final : public schedule::Interrupts {
 public:
  SignalInterrupts();
  ~SignalInterrupts() override;
  // Prints the effect of each new signal.
  int count() override;

 private:
  int reported_ = 0;
};

// Waits for S seconds or for one of these signals, which then does not end the process. Returns
// whether one came. They keep their effect at any other time.
bool wait_for_signal(double s);

}  // namespace orch::cli
