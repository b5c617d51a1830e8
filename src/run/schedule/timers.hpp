// Work for a later moment of this run. Forgotten when the run dies: recovery finds what it was for.
#pragma once

#include "os/system/clock.hpp"

#include <functional>
#include <limits>
#include <map>

namespace orch::schedule {

inline constexpr double k_never = std::numeric_limits<double>::infinity();

class Timers {
 public:
  explicit Timers(system::Clock& clock) : clock_(clock) {}

  void after(double delay_s, std::function<void()> work) {
    due_.emplace(clock_.now_s() + delay_s, std::move(work));
  }
  bool empty() const { return due_.empty(); }
  double next_due_s() const { return due_.empty() ? k_never : due_.begin()->first; }
  // Runs and forgets all that is due, also work that is added meanwhile.
  void run_due() {
    while (next_due_s() <= clock_.now_s()) due_.extract(due_.begin()).mapped()();
  }

 private:
  system::Clock& clock_;
  std::multimap<double, std::function<void()>> due_;
};

}  // namespace orch::schedule
