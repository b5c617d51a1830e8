// The earliest moment at which the first stage that has to wait can start, and which stages may
// start before it without making it wait longer (EASY backfilling: D. Lifka, The ANL/IBM SP
// scheduling system, 1995).
#pragma once

#include "plan/resources/ledger.hpp"
#include "run/schedule/run_state.hpp"

namespace orch::schedule {

class Reservation {
 public:
  // For a stage that asks for REQUEST, which does not fit beside what runs now.
  Reservation(const RunState& run, resources::Request request);

  // Whether OTHER, which would hold GRANT of WANTED from now on, delays the stage. PASSED: so many
  // stages have started before it since it waits. While durations are unknown, or once PASSED is
  // high, only those may pass that use nothing of what it needs.
  bool is_delayed_by(Index other, const resources::Request& wanted, const resources::Grant& grant,
                     std::size_t passed) const;
  // Seconds of the clock; infinity while the end of something that it needs is unknown.
  double at_s() const { return at_s_; }

 private:
  const RunState& run_;
  resources::Request request_;
  resources::Ledger then_;  // what is in use when it starts
  double at_s_;
};

// When PROCESS is expected to give back what it holds; infinity while that is unknown. A server
// ends with the last of its measurements.
double expected_end_s(const RunState& run, const ActiveProcess& process);

}  // namespace orch::schedule
