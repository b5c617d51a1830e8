#include "simulate/simulate.hpp"

#include "simulate/checker.hpp"
#include "simulate/random_plan.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace orch::simulate {
namespace {

// So many schedules are judged; the variable asks for more.
std::uint64_t schedules() {
  const char* asked = std::getenv("ORCH_SCHEDULES");
  return asked ? std::strtoull(asked, nullptr, 10) : 10'000;
}

TEST(Simulate, NoRandomScheduleOverlapsOversubscribesOrStarves) {
  std::size_t most_passed = 0, spans = 0;
  for (std::uint64_t seed = 1; seed <= schedules(); ++seed) {
    if (std::getenv("DBG")) std::fprintf(stderr, "seed %zu\n", static_cast<std::size_t>(seed));
    const Drawn drawn = Drawing(seed).draw();
    const Timeline timeline = simulate(drawn.plan, drawn.conditions);
    Checker checker(drawn.plan, drawn.conditions, timeline);
    ASSERT_EQ(checker.fault(), "") << "seed " << seed;
    most_passed = std::max(most_passed, checker.most_passed());
    spans += timeline.spans.size();
  }
  std::printf("%zu attempts; at most %zu stages passed one that was ready\n", spans, most_passed);
  EXPECT_LE(most_passed, 64u);
}

}  // namespace
}  // namespace orch::simulate
