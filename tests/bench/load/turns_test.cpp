// Which turns a phase has, and when they are due.
#include "bench/load/turns.hpp"

#include "bench/wire/exchange.hpp"

#include <gtest/gtest.h>

namespace orch::load {
namespace turns_test {

constexpr std::int64_t k_start_ns = 1'000'000;

struct Phase {
  explicit Phase(SendPlan plan) {
    plan.requests = requests;
    turns.begin(plan);
    turns.start_at(k_start_ns);
  }
  // Takes every turn that there is, at most MOST.
  std::vector<Turn> take_all(std::size_t most = 100) {
    std::vector<Turn> taken;
    while (turns.has_more() && taken.size() < most)
      taken.push_back(turns.has_schedule() ? turns.take_due() : *turns.take_in_lane(k_start_ns));
    return taken;
  }

  std::vector<PreparedRequest> requests = {{.bytes = "a", .isl = {}}, {.bytes = "b", .isl = {}}};
  Turns turns;
};

TEST(Turns, WithoutALimitEachRequestIsSentOnce) {
  Phase phase({.requests = {}});
  const std::vector<Turn> taken = phase.take_all();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(phase.turns.request_of(taken[1]).bytes, "b");
  EXPECT_NE(phase.turns.id_of(taken[0]), phase.turns.id_of(taken[1]));
}

TEST(Turns, BeginAnewWithTheFirstRequest) {
  Phase phase({.requests = {}, .max_requests = 5});
  const std::vector<Turn> taken = phase.take_all();
  ASSERT_EQ(taken.size(), 5u);
  EXPECT_EQ(taken[4].index, 4u);
  EXPECT_EQ(phase.turns.request_of(taken[4]).bytes, "a");
}

TEST(Turns, OfALaneAreDueWhenItsLastHasEnded) {
  Phase phase({.requests = {}});
  EXPECT_EQ(phase.turns.take_in_lane(70)->due_ns, 70);
  EXPECT_EQ(phase.turns.take_in_lane(90)->due_ns, 90);
  EXPECT_FALSE(phase.turns.take_in_lane(95));
}

TEST(Turns, OfAScheduleAreDueAtItsTimes) {
  const std::vector<std::int64_t> due = {0, 30, 70};
  Phase phase({.requests = {}, .concurrency = 0, .due_ns = due, .max_requests = 3});
  const std::vector<Turn> taken = phase.take_all();
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_FALSE(phase.turns.take_in_lane(k_start_ns)) << "a schedule has no lanes";
  EXPECT_EQ(taken[1].due_ns, k_start_ns + 30);
  EXPECT_EQ(phase.turns.since_start_ns(taken[2]), 70);
}

TEST(Turns, DueAfterTheDurationAreNotTakenAndNotMissed) {
  const std::vector<std::int64_t> due = {0, 30, 70, 90};
  Phase phase({.requests = {}, .concurrency = 0, .due_ns = due, .duration_ns = 70});
  EXPECT_EQ(phase.take_all(1).size(), 1u);
  std::vector<std::int64_t> untaken;
  EXPECT_EQ(phase.turns.untaken(10, untaken), 1u);
  EXPECT_EQ(untaken, std::vector<std::int64_t>{30});
  EXPECT_EQ(phase.take_all().size(), 1u);
}

TEST(Turns, AClosedPhaseHasNoMoreAndSaysWhatItLeft) {
  const std::vector<std::int64_t> due = {0, 30, 70};
  Phase phase({.requests = {}, .concurrency = 0, .due_ns = due, .max_requests = 3});
  EXPECT_EQ(phase.take_all(1).size(), 1u);
  phase.turns.close();
  EXPECT_FALSE(phase.turns.has_more());
  std::vector<std::int64_t> untaken;
  EXPECT_EQ(phase.turns.untaken(1, untaken), 2u);
  EXPECT_EQ(untaken, std::vector<std::int64_t>{30}) << "no more than asked for";
}

TEST(Turns, ConcurrencyIsALimitOfASchedule) {
  Phase limited({.requests = {}, .concurrency = 2});
  EXPECT_TRUE(limited.turns.has_room(1));
  EXPECT_FALSE(limited.turns.has_room(2));
  Phase unlimited({.requests = {}, .concurrency = 0});
  EXPECT_TRUE(unlimited.turns.has_room(1000));
}

TEST(Turns, OfADurationEndWithIt) {
  Phase phase({.requests = {}, .duration_ns = 1});
  EXPECT_FALSE(phase.turns.has_more()) << "the phase began long ago";
  phase.turns.start_at(wire::monotonic_ns() + 1'000'000'000);
  EXPECT_TRUE(phase.turns.has_more());
}

}  // namespace turns_test
}  // namespace orch::load
