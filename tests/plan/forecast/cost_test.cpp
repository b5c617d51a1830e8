#include "plan/forecast/cost.hpp"

#include "plan/graph/toy.hpp"

namespace orch::forecast {
namespace cost_test {

using namespace plan::toy;
using plan::Plan;
using plan::Stage;

TEST(Cost, CountsSharedStagesOnceButInALoopForEachPoint) {
  PlanBuilder builder = toy_builder();
  builder.done.earlier = history(builder.plan(), {{"environment", 100},
                                                  {"download", 50},
                                                  {"build", 20},
                                                  {"repository", 1},
                                                  {"serve", 5},
                                                  {"bench", 10}});
  const Plan plan = builder.plan();
  const Cost run = cost_of_run(plan), loop = cost_of_loop(plan);
  EXPECT_EQ(run.stages, 12u);
  EXPECT_EQ(run.seconds.usual, 100 + 50 + 2 * 20 + 2 * 1 + 2 * 5 + 4 * 10);
  EXPECT_EQ(run.bytes, 10 * 10u);  // servers leave nothing
  EXPECT_EQ(run.without_seconds, 0u);
  EXPECT_EQ(loop.stages, 24u);
  EXPECT_EQ(loop.seconds.usual, 4 * (100 + 50 + 20 + 1 + 5 + 10));
}

TEST(Cost, CountsStagesWithoutAnEstimateAndGuessesNothing) {
  PlanBuilder builder = toy_builder();
  builder.done.earlier = history(builder.plan(), {{"build", 20}});
  const Cost run = cost_of_run(builder.plan());
  EXPECT_EQ(run.seconds.usual, 40);
  EXPECT_EQ(run.without_seconds, 10u);
  EXPECT_EQ(run.without_bytes, 8u);
}

TEST(Cost, AServerHoldsItsGpusUntilItsLastMeasurement) {
  PlanBuilder builder = toy_builder();
  builder.kind("build").gpus = builder.add_question("gpus of build", "1", {1, 1, 1, 1});
  builder.kind("serve").gpus = builder.add_question("gpus of serve", "tp", {2, 2, 2, 2});
  builder.done.earlier = history(builder.plan(), {{"build", 3600}, {"serve", 360}, {"bench", 720}});
  const Plan plan = builder.plan();
  EXPECT_DOUBLE_EQ(cost_of_run(plan).gpu_hours.usual, 2 * 1 * 1.0 + 2 * 2 * (0.1 + 2 * 0.2));
  EXPECT_DOUBLE_EQ(cost_of_loop(plan).gpu_hours.usual, 4 * 1 * 1.0 + 4 * 2 * (0.1 + 0.2));
}

TEST(Disk, HoldsWhatRemainsAndWhatOneMeasurementNeeds) {
  PlanBuilder builder = toy_builder();
  builder.done.earlier =
      history(builder.plan(), {{"download", 50}, {"build", 20}, {"bench", 10}});  // 10 bytes each
  Plan plan = builder.plan();
  EXPECT_EQ(disk_of_run(plan).at_once, 7 * 10u);
  EXPECT_EQ(disk_of_run(plan).at_once, cost_of_run(plan).bytes);
  for (Stage& stage : plan.stages)
    stage.passing = stage.spec.name == "build" || stage.spec.name == "download";
  const Disk disk = disk_of_run(plan);
  EXPECT_EQ(disk.remaining, 4 * 10u);
  EXPECT_EQ(disk.at_once, 4 * 10u + 2 * 10u) << "one build and its download";
}

TEST(Cost, CountsOnlyStagesThatRun) {
  PlanBuilder builder = toy_builder();
  builder.expansion.points[1].rejections = {{"rule", "because"}};
  const Plan plan = builder.plan();
  EXPECT_EQ(cost_of_run(plan).stages, 11u);
  EXPECT_EQ(cost_of_loop(plan).stages, 18u);
  builder.make_all(plan);
  EXPECT_EQ(cost_of_run(builder.plan()).stages, 0u);
}

TEST(Cost, OfALoopCountsOnlyPointsThatRun) {
  PlanBuilder builder = toy_builder();
  builder.expansion.points[1].waiting = {{"rule 'x'", "host_gpus"}};
  const Plan plan = builder.plan();
  EXPECT_EQ(cost_of_run(plan).stages, 11u);
  EXPECT_EQ(cost_of_loop(plan).stages, 18u);
  for (const StageCount& row : count_stages(plan)) EXPECT_EQ(row.in_a_loop, 3u) << row.stage;
  builder.expansion.points[1].waiting = {};
  builder.options.until = "build";
  EXPECT_EQ(cost_of_loop(builder.plan()).stages, 12u);
}

TEST(Counts, FollowTheOrderOfTheManifest) {
  PlanBuilder builder = toy_builder();
  builder.kind("download").when = builder.add_question("when", "x", {0, 0, 1, 1});
  builder.kind("build").argv = {"/bin/build", "{precision}"};
  builder.kind("build").fragments.clear();
  builder.expansion.points[3].rejections = {{"rule", "because"}};
  std::vector<std::string> lines;
  for (const StageCount& row : count_stages(builder.plan()))
    lines.push_back(fmt::format("{} {}: {} run, {} reject, {} in a loop, {} to do", row.stage,
                                row.all, row.run, row.reject, row.in_a_loop, row.run_cost.stages));
  EXPECT_EQ(lines, (std::vector<std::string>{"environment 1: 1 run, 0 reject, 3 in a loop, 1 to do",
                                             "download 1: 1 run, 0 reject, 1 in a loop, 1 to do",
                                             "build 2: 2 run, 0 reject, 3 in a loop, 2 to do",
                                             "repository 2: 2 run, 0 reject, 3 in a loop, 2 to do",
                                             "serve 2: 2 run, 0 reject, 3 in a loop, 2 to do",
                                             "bench 4: 3 run, 1 reject, 3 in a loop, 3 to do"}));
}

TEST(Cost, OfFailedStagesIsNothing) {
  PlanBuilder builder = toy_builder();
  builder.done.failed[stage_named(builder.plan(), "build").digest] = {
      .run = 3, .failure_class = "cuda_oom", .message = "out of memory"};
  const Plan plan = builder.plan();
  EXPECT_EQ(count_stages(plan)[2].failed, 1u);
  EXPECT_EQ(cost_of_run(plan).stages, 7u);
}

// What the manifest expects is a range, and only its bound is certain.
TEST(Cost, IsARangeWhereTheManifestExpectsOne) {
  PlanBuilder builder = toy_builder();
  runner::StageKind& bench = builder.kind("bench");
  bench.seconds = {builder.add_question("seconds", "10", {10, 10, 10, 10})};
  bench.expected_seconds = {builder.add_question("from", "20", {20, 20, 20, 20}),
                            builder.add_question("to", "80", {80, 80, 80, 80})};
  const Plan before = builder.plan();
  builder.done.earlier = history(before, {{"build", 100}});
  const Cost expected = cost_of_run(builder.plan());
  EXPECT_EQ(expected.seconds.least, 4 * 10);
  EXPECT_EQ(expected.seconds.from, 2 * 100 + 4 * 20);
  EXPECT_EQ(expected.seconds.usual, 2 * 100 + 4 * 40);
  EXPECT_EQ(expected.seconds.to, 2 * 100 + 4 * 80);
  EXPECT_TRUE(expected.seconds.is_range());
  builder.done.earlier = history(before, {{"build", 100}, {"bench", 50}});
  const Cost measured = cost_of_run(builder.plan());
  EXPECT_EQ(measured.seconds.usual, 2 * 100 + 4 * 50);
  EXPECT_FALSE(measured.seconds.is_range());
}

}  // namespace cost_test
}  // namespace orch::forecast
