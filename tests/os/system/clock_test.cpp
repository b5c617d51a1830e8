#include "os/system/clock.hpp"

#include <ctime>

#include <gtest/gtest.h>

namespace orch::system {
namespace clock_test {

TEST(Clock, NeverGoesBack) {
  RealClock clock;
  double last = clock.now_s();
  for (int i = 0; i < 1000; ++i) {
    const double now = clock.now_s();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, SleepsAtLeastTheTime) {
  RealClock clock;
  const double begin = clock.now_s();
  clock.sleep_s(0.01);
  EXPECT_GE(clock.now_s() - begin, 0.01);
}

TEST(Clock, WallTimeCountsFromTheEpoch) {
  RealClock clock;
  const auto before = static_cast<double>(std::time(nullptr));
  const double wall_s = clock.wall_s();
  EXPECT_GE(wall_s, before - 1);
  EXPECT_LE(wall_s, static_cast<double>(std::time(nullptr)) + 1);
}

}  // namespace clock_test
}  // namespace orch::system
