#include "load/prompt_thread.hpp"

namespace orch::load {
namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

PromptThread::PromptThread() : policy_before_(sched_getscheduler(0)) {
  if (policy_before_ < 0 || sched_getparam(0, &param_before_) != 0 || usable_cores() < 2) return;
  sched_param lowest{};
  lowest.sched_priority = sched_get_priority_min(SCHED_RR);
  // What we start must not inherit it.
  raised_ = sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) == 0;
}

PromptThread::~PromptThread() {
  if (raised_) sched_setscheduler(0, policy_before_, &param_before_);
}

}  // namespace orch::load
