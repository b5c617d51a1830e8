#include "run/schedule/run_state.hpp"
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace commit_log_test {

struct Log {
  fakes::FakeClock clock;
  fakes::MemoryJournal journal;
  CommitLog log{journal, clock, {}};

  void note() { log.note(ServiceReady{{"serve", 1}, 1, 0}); }
};

TEST(CommitLog, RunsAnEffectAfterTheCommitOfEarlierEvents) {
  Log one;
  std::size_t durable = 0;
  one.note();
  one.log.after_commit([&] { durable = one.journal.durable; });
  EXPECT_EQ(durable, 0u);
  ASSERT_TRUE(one.log.commit());
  EXPECT_EQ(durable, 1u);
}

TEST(CommitLog, RunsNoEffectAfterACommitThatFailed) {
  Log one;
  one.journal.fail_at_commit = 1;
  one.note();
  one.log.after_commit([] { FAIL() << "the commit failed"; });
  EXPECT_FALSE(one.log.commit());
}

TEST(CommitLog, DoesNotCommitWithoutEvents) {
  Log one;
  int effects = 0;
  one.log.after_commit([&] { ++effects; });
  ASSERT_TRUE(one.log.commit());
  EXPECT_EQ(effects, 1);
  EXPECT_EQ(one.journal.commits, 0u);
}

TEST(CommitLog, TheFirstUncommittedEventSetsTheTimeOfTheCommit) {
  Log one;
  EXPECT_EQ(one.log.commit_due_s(), k_never);
  one.note();
  const double due_s = one.log.commit_due_s();
  EXPECT_GT(due_s, one.clock.time_s);
  one.clock.time_s += 0.01;
  one.note();
  EXPECT_EQ(one.log.commit_due_s(), due_s);
  ASSERT_TRUE(one.log.commit());
  EXPECT_EQ(one.log.commit_due_s(), k_never);
}

TEST(CommitLog, AnEffectMayAddEffectsForTheNextCommit) {
  Log one;
  Lines order;
  one.log.after_commit([&] {
    order.push_back("first");
    one.note();
    one.log.after_commit([&] { order.push_back("second"); });
  });
  ASSERT_TRUE(one.log.commit());
  EXPECT_EQ(order, (Lines{"first"}));
  EXPECT_TRUE(one.log.has_effects());
  ASSERT_TRUE(one.log.commit());
  EXPECT_EQ(order, (Lines{"first", "second"}));
  EXPECT_FALSE(one.log.has_effects());
}

}  // namespace commit_log_test
}  // namespace orch::schedule
