// Calls a function periodically on a thread of its own, until it is stopped or the function returns
// false. It does not know the purpose of the function.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace orch::observe {

class Periodic {
 public:
  // Calls STEP every PERIOD_S seconds, first after one period, until it returns false. A period of
  // 0: never.
  Periodic(double period_s, std::function<bool()> step);
  ~Periodic() { stop(); }
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  // No step runs after it returns, so results of steps may be read.
  void stop();
  // CPU time of the thread; valid after stop().
  std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  void run();

  double period_s_;
  std::function<bool()> step_;
  bool stopped_ = false;
  std::int64_t cpu_ns_ = 0;
  std::mutex mutex_;  // guards stopped_
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace orch::observe
