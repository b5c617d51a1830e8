#include "system/clock.hpp"

#include <ctime>

namespace orch::system {

namespace {

double read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

double RealClock::now_s() { return read(CLOCK_MONOTONIC); }
double RealClock::wall_s() { return read(CLOCK_REALTIME); }

}  // namespace orch::system
