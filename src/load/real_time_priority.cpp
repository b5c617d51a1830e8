#include "load/real_time_priority.hpp"

#include <unistd.h>

#include <memory>
#include <vector>

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

std::string cpu_list(std::span<const int> cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", cpus[i]);
    if (last > i) out += fmt::format("-{}", cpus[last]);
    i = last + 1;
  }
  return out;
}

std::string own_cpus() {
  // The kernel refuses a set smaller than its own.
  for (int most = 1024; most <= 1 << 20; most *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(static_cast<std::size_t>(most)), [](cpu_set_t* each) { CPU_FREE(each); });
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    CPU_ZERO_S(size, set.get());
    if (sched_getaffinity(0, size, set.get()) != 0) continue;
    std::vector<int> cpus;
    for (int cpu = 0; cpu < most; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) cpus.push_back(cpu);
    return cpu_list(cpus);
  }
  return {};
}

}  // namespace orch::load
