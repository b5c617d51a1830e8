// Time, so that tests can own it.
#pragma once

#include <cstdint>

namespace orch::system {

class Clock {
 public:
  virtual ~Clock() = default;
  // Seconds of a clock that never goes back; only differences mean anything. All intervals use it.
  virtual double now_s() = 0;
  // Seconds since the epoch, for logs only: it may jump.
  virtual double wall_s() = 0;
};

class RealClock final : public Clock {
 public:
  double now_s() override;
  double wall_s() override;
};

}  // namespace orch::system
