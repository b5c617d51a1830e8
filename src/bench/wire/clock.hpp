// The clocks of the timed loop. One monotonic clock stamps every event; wall time only anchors the
// record. Does not know what is measured.
#pragma once

#include <cstdint>
#include <ctime>

namespace orch::wire {

inline std::int64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

inline std::int64_t monotonic_ns() { return read_clock_ns(CLOCK_MONOTONIC); }
inline std::int64_t wall_ns() { return read_clock_ns(CLOCK_REALTIME); }
inline std::int64_t thread_cpu_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace orch::wire
