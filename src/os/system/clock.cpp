#include "os/system/clock.hpp"

#include <cmath>

namespace orch::system {

double kernel_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double RealClock::now_s() { return kernel_seconds(CLOCK_MONOTONIC); }
double RealClock::wall_s() { return kernel_seconds(CLOCK_REALTIME); }

void RealClock::sleep_s(double s) {
  const double whole_s = std::floor(s);
  const timespec time{.tv_sec = static_cast<std::time_t>(whole_s),
                      .tv_nsec = static_cast<long>((s - whole_s) * 1e9)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace orch::system
