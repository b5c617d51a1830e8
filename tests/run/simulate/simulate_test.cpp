#include "run/simulate/simulate.hpp"

#include "run/simulate/random_plan.hpp"
#include "run/simulate/random_schedules.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::simulate {
namespace simulate_test {

// So many schedules are judged; the variable asks for more.
std::uint64_t schedules() {
  const char* asked = std::getenv("ORCH_SCHEDULES");
  return asked ? std::strtoull(asked, nullptr, 10) : 10'000;
}

TEST(Simulate, NoRandomScheduleOverlapsOversubscribesOrStarves) {
  const Judged judged = judge_random_schedules(schedules());
  ASSERT_EQ(judged.fault, "") << "seed " << judged.seed;
  EXPECT_EQ(judged.seed, schedules());
  std::printf("%zu attempts; at most %zu stages passed one that was ready\n", judged.spans,
              judged.most_passed);
  EXPECT_LE(judged.most_passed, 64u);
}

// A server of one GPU with N measurements of 10 s, on a host with GPUS GPUs.
Drawn one_server(std::size_t measurements, int gpus) {
  Drawn drawn;
  drawn.conditions.inventory = resources::plain_inventory(16, gpus);
  drawn.plan.isolation = matrix::Isolation::gpu;
  const auto add = [&](const std::string& id, runner::Kind kind, double seconds) {
    plan::Stage stage;
    stage.id = id;
    stage.spec.name = id.substr(0, id.find('-'));
    stage.spec.kind = kind;
    stage.spec.argv = {"x"};
    stage.estimate.seconds = seconds;
    if (kind == runner::Kind::measure) stage.needs["serve"] = "serve-0";
    else stage.gpus = 1;
    drawn.plan.stages.push_back(std::move(stage));
  };
  add("serve-0", runner::Kind::service, 5);
  for (std::size_t i = 0; i < measurements; ++i)
    add(fmt::format("bench-{}", i), runner::Kind::measure, 10);
  return drawn;
}

TEST(Simulate, TakesWhatTheStagesTake) {
  const Drawn drawn = one_server(3, 1);
  const Timeline timeline = simulate(drawn.plan, drawn.conditions);
  EXPECT_DOUBLE_EQ(timeline.seconds, 35);
  EXPECT_DOUBLE_EQ(timeline.gpu_hours * 3600, 35);
  ASSERT_EQ(timeline.spans.size(), 4u);
  EXPECT_DOUBLE_EQ(timeline.spans[0].ready_s, 5);
  EXPECT_DOUBLE_EQ(timeline.spans[1].from_s, 5);
  EXPECT_EQ(timeline.spans[3].server, 0u);
}

TEST(Simulate, DividesALongGroupAmongFreeGpus) {
  const Drawn drawn = one_server(40, 4);
  const Timeline timeline = simulate(drawn.plan, drawn.conditions);
  const Bound bound = lower_bound(drawn.plan, drawn.conditions);
  EXPECT_DOUBLE_EQ(bound.area_s, 405.0 / 4);
  EXPECT_DOUBLE_EQ(bound.path_s, 15);
  EXPECT_LE(timeline.seconds, 1.15 * bound.seconds()) << "four starts, and ends that differ";
  EXPECT_GE(timeline.seconds, bound.seconds());
}

TEST(Simulate, CountsWhatNothingIsKnownOf) {
  Drawn drawn = one_server(2, 1);
  drawn.plan.stages[2].estimate.seconds.reset();
  drawn.conditions.unknown_s = 60;
  const Timeline timeline = simulate(drawn.plan, drawn.conditions);
  EXPECT_EQ(timeline.unknown, 1u);
  EXPECT_DOUBLE_EQ(timeline.seconds, 5 + 10 + 60);
}

TEST(Simulate, LeavesOutWhatTheHostCanNeverHold) {
  Drawn drawn = one_server(1, 1);
  drawn.conditions.inventory.memory_gib = 1;
  drawn.plan.stages[0].share =
      std::make_shared<plan::Share>(plan::Share{.cores = {}, .memory_gib = 2, .tokens = {}});
  EXPECT_TRUE(simulate(drawn.plan, drawn.conditions).spans.empty());
}

}  // namespace simulate_test
}  // namespace orch::simulate
