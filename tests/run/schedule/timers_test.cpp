#include "run/schedule/run_state.hpp"
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace timers_test {

TEST(Timers, RunDueWorkInTheOrderOfTheDueTimes) {
  fakes::FakeClock clock;
  Timers timers(clock);
  Lines ran;
  timers.after(2, [&] { ran.push_back("two"); });
  timers.after(1, [&] { ran.push_back("one"); });
  timers.after(3, [&] { ran.push_back("three"); });
  timers.run_due();
  EXPECT_TRUE(ran.empty());
  EXPECT_EQ(timers.next_due_s(), clock.time_s + 1);
  clock.time_s += 2;
  timers.run_due();
  EXPECT_EQ(ran, (Lines{"one", "two"}));
  EXPECT_FALSE(timers.empty());
}

TEST(Timers, RunDueWorkThatWasAddedMeanwhile) {
  fakes::FakeClock clock;
  Timers timers(clock);
  Lines ran;
  timers.after(0, [&] { timers.after(0, [&] { ran.push_back("added"); }); });
  timers.run_due();
  EXPECT_EQ(ran, (Lines{"added"}));
  EXPECT_TRUE(timers.empty());
  EXPECT_EQ(timers.next_due_s(), k_never);
}

}  // namespace timers_test
}  // namespace orch::schedule
