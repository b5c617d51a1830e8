#include "run/schedule/stage_state.hpp"

#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace stage_state_test {

TEST(StageStates, AllowedMovesAreExactlyThese) {
  Lines moves;
  for (std::size_t a = 0; a < k_state_count; ++a) {
    std::string line = fmt::format("{}:", to_string(static_cast<State>(a)));
    for (std::size_t b = 0; b < k_state_count; ++b)
      if (is_allowed(static_cast<State>(a), static_cast<State>(b)))
        line += fmt::format(" {}", to_string(static_cast<State>(b)));
    moves.push_back(line);
  }
  EXPECT_EQ(moves, (Lines{"planned: ready starting running reused failed skipped cancelled",
                          "ready: planned intent starting running reused failed skipped cancelled",
                          "waiting: planned ready failed skipped cancelled",
                          "intent: waiting starting running produced failed cancelled",
                          "starting: waiting running stopping failed",
                          "running: waiting stopping produced failed cancelled",
                          "stopping: waiting done failed cancelled",
                          "produced: ready waiting done failed cancelled",
                          "done:", "reused:", "failed:", "skipped:", "cancelled:"}));
  for (const State final :
       {State::done, State::reused, State::failed, State::skipped, State::cancelled})
    EXPECT_TRUE(is_final(final)) << to_string(final);
  EXPECT_FALSE(is_final(State::produced));
}

TEST(StageStates, CountsFollowTheMoves) {
  Lines observed;
  StageStates states(2, [&](std::size_t stage, State from, State to, const std::string& why) {
    observed.push_back(fmt::format("{} {} {} {}", stage, to_string(from), to_string(to), why));
  });
  states.set(1, State::ready);
  states.set(1, State::cancelled, "stop");
  EXPECT_EQ(observed, (Lines{"1 planned ready ", "1 ready cancelled stop"}));
  EXPECT_EQ(states.count(State::planned), 1u);
  EXPECT_EQ(states.count(State::cancelled), 1u);
}

TEST(StageStatesDeathTest, AnImpossibleMoveAsserts) {
  StageStates states(1, [](std::size_t, State, State, const std::string&) {});
  EXPECT_DEATH(states.set(0, State::done), "is_allowed");
}

}  // namespace stage_state_test
}  // namespace orch::schedule
