// The program's two clocks, and waiting, behind one interface so that tests can replace them.
#pragma once

#include <ctime>

namespace orch::system {

// Thread-safe. No call fails.
class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic seconds; only differences are meaningful. For all intervals.
  virtual double now_s() = 0;
  // Seconds since the epoch; may jump. For dates in records and logs.
  virtual double wall_s() = 0;
  // Blocks this thread for S seconds or longer. A signal handler that runs meanwhile may end the
  // wait early.
  virtual void sleep_s(double s) = 0;
};

// The seconds of a clock of the kernel, such as CLOCK_MONOTONIC.
double kernel_seconds(clockid_t clock);

class RealClock final : public Clock {
 public:
  double now_s() override;
  double wall_s() override;
  void sleep_s(double s) override;
};

}  // namespace orch::system
