#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace journal_test {

TEST(Journal, NothingStartsBeforeTheIntentIsDurable) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    bool known = false;
    for (std::size_t i = 0; i < run.journal.durable; ++i)
      if (const auto* intent = std::get_if<AttemptIntended>(&run.journal.events[i]))
        known = known || intent->token == launch.token;
    EXPECT_TRUE(known) << launch.argv[0];
    return run.normal(launch);
  };
  ASSERT_TRUE(run.run());
}

TEST(Journal, AJournalThatCannotBeWrittenEndsTheRunAndItsProcesses) {
  Sweep run;
  run.points = one_point();
  run.journal.fail_at_commit = 4;
  const auto outcome = run.run();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "disk I/O error");
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "kill build",
                                   "kill prompts"}));
}

TEST(Journal, AnIntentThatCannotBeWrittenKillsNoProcess) {
  Sweep run;
  run.points = one_point();
  run.journal.fail_at_commit = 3;  // the intents of build and prompts: neither has a process yet
  EXPECT_FALSE(run.run());
  EXPECT_EQ(run.started(1), (Lines{"start download"}));
}

}  // namespace journal_test
}  // namespace orch::schedule
