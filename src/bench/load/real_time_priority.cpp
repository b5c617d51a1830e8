#include "bench/load/real_time_priority.hpp"

#include <unistd.h>

namespace orch::load {
namespace {

// Counts the cores of the host: an affinity mask of one core leaves the others to the server.
bool another_core_is_left() { return sysconf(_SC_NPROCESSORS_ONLN) > 1; }

}  // namespace

RealTimePriority::RealTimePriority() : policy_before_(sched_getscheduler(0)) {
  if (policy_before_ < 0 || sched_getparam(0, &param_before_) != 0 || !another_core_is_left())
    return;
  sched_param lowest{};
  lowest.sched_priority = sched_get_priority_min(SCHED_RR);
  // Child processes must not inherit it.
  raised_ = sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) == 0;
}

RealTimePriority::~RealTimePriority() {
  if (raised_) sched_setscheduler(0, policy_before_, &param_before_);
}

}  // namespace orch::load
