#include "bench/wire/exchange.hpp"

#include <gtest/gtest.h>

namespace orch::wire {
namespace clock_test {

TEST(WireClock, IsMonotonicAndCountsNanoseconds) {
  std::int64_t last = monotonic_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = monotonic_ns();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(wall_ns(), 1'600'000'000'000'000'000) << "nanoseconds since the epoch";
}

TEST(WireClock, CountsTheCpuTimeOfThisThreadAlone) {
  const std::int64_t before = thread_cpu_ns();
  std::uint64_t sum = 0;
  while (thread_cpu_ns() == before) sum += 1;
  EXPECT_GT(thread_cpu_ns(), before) << sum;
}

}  // namespace clock_test
}  // namespace orch::wire
