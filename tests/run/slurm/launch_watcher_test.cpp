// Its use is that of slurm_executor_test.cpp.
#include "run/slurm/launch_watcher.hpp"

#include <gtest/gtest.h>

namespace orch::slurm {
namespace launch_watcher_test {

TEST(AskingPace, AsksEverMoreSeldomUntilSomethingChanges) {
  AskingPace pace(4);
  EXPECT_TRUE(pace.is_due(0)) << "for the first time";
  pace.has_asked(10);
  EXPECT_FALSE(pace.is_due(13.9));
  EXPECT_TRUE(pace.is_due(14));
  pace.has_asked(14);
  EXPECT_FALSE(pace.is_due(18.9));
  EXPECT_TRUE(pace.is_due(19));
  pace.begin_again();
  pace.has_asked(19);
  EXPECT_TRUE(pace.is_due(23));
  for (int i = 0; i < 100; ++i) pace.has_asked(0);
  EXPECT_TRUE(pace.is_due(60)) << "it never rests for longer";
}

TEST(AskingPace, IsHastenedAndNeverDelayed) {
  AskingPace pace(4);
  pace.has_asked(10);
  pace.ask_by(30);
  EXPECT_TRUE(pace.is_due(14));
  pace.ask_by(12);
  EXPECT_TRUE(pace.is_due(12));
  pace.has_asked(12);
  pace.ask_now();
  EXPECT_TRUE(pace.is_due(12));
}

}  // namespace launch_watcher_test
}  // namespace orch::slurm
