// SIGINT, SIGTERM and SIGHUP (the terminal is gone) as a number that only grows.
#pragma once

#include "schedule/scheduler.hpp"

namespace orch::cli {

// From construction to destruction these signals are counted instead of ending us. One at a time.
class SignalInterrupts final : public schedule::Interrupts {
 public:
  SignalInterrupts();
  ~SignalInterrupts() override;
  // Says what comes of a new one.
  int count() override;

 private:
  int told_ = 0;
};

}  // namespace orch::cli
