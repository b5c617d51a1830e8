// Something done every so often on a thread of its own, until it is stopped or wants no more. It
// knows nothing of what is done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace orch::observe {

class Periodic {
 public:
  // STEP is called every PERIOD_S seconds from now on, the first time after one period; false ends
  // it. A period of 0: never.
  Periodic(double period_s, std::function<bool()> step);
  ~Periodic() { stop(); }
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  // Returns when no step runs or will run. What steps wrote may be read then.
  void stop();
  // CPU time that the thread took, after stop().
  std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  void run();

  double period_s_;
  std::function<bool()> step_;
  bool stopped_ = false;
  std::int64_t cpu_ns_ = 0;
  std::mutex mutex_;  // of stopped_
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace orch::observe
