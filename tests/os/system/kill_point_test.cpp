#include "os/system/kill_point.hpp"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::system {
namespace kill_point_test {

// The variables are read once per process, so each case runs in a process of its own.
class KillPoint : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void reach_three_times() {
    for (int i = 0; i < 3; ++i) {
      kill_point("other-point");
      kill_point("test-point");
    }
    std::_Exit(0);
  }
};

TEST_F(KillPoint, CostsNothingWithoutItsVariables) {
  EXPECT_EXIT(reach_three_times(), ::testing::ExitedWithCode(0), "");
}

TEST_F(KillPoint, KillsAtTheGivenHitOfTheGivenName) {
  EXPECT_EXIT((::setenv("ORCHESTRATE_KILL", "test-point:3", 1), reach_three_times()),
              ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EXIT((::setenv("ORCHESTRATE_KILL", "test-point:4", 1), reach_three_times()),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT((::setenv("ORCHESTRATE_KILL", "test:1", 1), reach_three_times()),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(KillPoint, LogsEveryHitUpToTheOneThatKills) {
  EXPECT_EXIT((::setenv("ORCHESTRATE_KILL", "test-point:1", 1),
               ::setenv("ORCHESTRATE_KILL_LOG", "/dev/stderr", 1), reach_three_times()),
              ::testing::KilledBySignal(SIGKILL), "other-point [0-9]+\ntest-point [0-9]+\n$");
}

}  // namespace kill_point_test
}  // namespace orch::system
