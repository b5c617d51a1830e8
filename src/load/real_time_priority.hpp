// Makes the calling thread run as soon as it is woken, as far as the system lets us: on a host that
// the server keeps busy, a thread of ordinary priority reads a token milliseconds after it came.
#pragma once

#include <sched.h>

#include <span>
#include <string>
#include <string_view>

namespace orch::load {

// Real-time (round robin, lowest priority) where that is allowed and another core is left for the
// server; else as it was. Given back at the end. Construct and destroy on the same thread.
class RealTimePriority {
 public:
  RealTimePriority();
  RealTimePriority(const RealTimePriority&) = delete;
  RealTimePriority& operator=(const RealTimePriority&) = delete;
  ~RealTimePriority();

  // "real-time" or "normal", for the record.
  std::string_view scheduling() const { return raised_ ? "real-time" : "normal"; }

 private:
  bool raised_ = false;
  int policy_before_ = SCHED_OTHER;
  sched_param param_before_{};
};

// The CPUs that the calling thread may run on, as "0-3,7"; "" where that cannot be known.
std::string own_cpus();
// CPUS, which go up, so written.
std::string cpu_list(std::span<const int> cpus);

}  // namespace orch::load
