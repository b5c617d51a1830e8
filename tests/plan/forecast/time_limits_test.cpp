#include "plan/forecast/cost.hpp"
#include "plan/graph/toy.hpp"

namespace orch::forecast {
namespace time_limits_test {

using namespace plan::toy;

// Two servers with two measurements each: 20 to 80 s, and twice as long for the second precision.
PlanBuilder measuring() {
  PlanBuilder builder = toy_builder();
  runner::StageKind& bench = builder.kind("bench");
  bench.seconds = {builder.add_question("seconds", "s", {10, 10, 20, 20})};
  bench.expected_seconds = {builder.add_question("from", "f", {20, 20, 40, 40}),
                            builder.add_question("to", "t", {80, 80, 160, 160})};
  return builder;
}

TEST(ServerOverruns, CountTheMeasurementsOfAServer) {
  PlanBuilder builder = measuring();
  builder.kind("serve").expected_seconds = {builder.add_question("from", "5", {5, 5, 5, 5}),
                                            builder.add_question("to", "10", {10, 10, 10, 10})};
  const plan::Plan plan = builder.plan();
  const auto found = server_overruns(plan, 200);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().stage->id, stage_named(plan, "serve", 1).id);
  EXPECT_EQ(found.front().seconds.least, 2 * 20);
  EXPECT_EQ(found.front().seconds.from, 2 * 40 + 5);
  EXPECT_EQ(found.front().seconds.to, 2 * 160 + 10);
  EXPECT_EQ(server_overruns(plan, 100).size(), 2u);
  EXPECT_EQ(server_overruns(plan, 400).size(), 0u);
}

TEST(Overruns, AreStagesThatAreEndedTooEarlyTheLongestFirst) {
  PlanBuilder builder = measuring();
  builder.kind("build").timeout_s = 100;
  builder.kind("build").expected_seconds = {builder.add_question("from", "b", {50, 50, 50, 50}),
                                            builder.add_question("to", "b", {90, 90, 300, 300})};
  const plan::Plan plan = builder.plan();
  const auto found = overruns(plan);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().stage->id, stage_named(plan, "build", 1).id);
  EXPECT_EQ(found.front().limit_s, 100);
  EXPECT_EQ(found.front().seconds.to, 300);
  builder.make_all(plan);
  EXPECT_EQ(overruns(builder.plan()).size(), 0u);
}

}  // namespace time_limits_test
}  // namespace orch::forecast
