// Real-time priority for the calling thread, as far as the system permits. On a host that the
// server keeps busy, a thread of normal priority reads a token milliseconds after its arrival.
#pragma once

#include <sched.h>

#include <string_view>

namespace orch::load {

// Round robin at the lowest real-time priority, if that is permitted and another core is left for
// the server; else unchanged. The destructor restores the priority. Construct and destroy on the
// same thread.
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

}  // namespace orch::load
