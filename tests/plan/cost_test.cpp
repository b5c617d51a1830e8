// Estimates, the cost of a plan, and the order of its stages.
#include "plan/cost.hpp"

#include "plan/toy.hpp"

namespace orch::plan {
namespace cost_test {

using namespace toy;

Earlier earlier(const Stage& stage, double seconds, std::uint64_t bytes = 10) {
  Earlier one{.stage = stage.spec.name,
              .digest = stage.digest,
              .parameters = {},
              .seconds = seconds,
              .bytes = bytes};
  for (const auto& [name, value] : stage.parameters) one.parameters[name] = value.text;
  return one;
}

// Earlier attempts of PLAN's stages; SECONDS has the time by the name of the stage.
std::vector<Earlier> history(const Plan& plan, const std::map<std::string, double>& seconds) {
  std::vector<Earlier> all;
  for (const Stage& stage : plan.stages)
    if (seconds.contains(stage.spec.name))
      all.push_back(earlier(stage, seconds.at(stage.spec.name)));
  return all;
}

TEST(Estimate, IsTheMedianOfEarlierAttemptsOfTheStage) {
  PlanBuilder builder = toy_builder();
  const Plan plan = builder.plan();
  const Stage& build = stage_named(plan, "build");
  for (const double seconds : {10.0, 90.0, 20.0})
    builder.done.earlier.push_back(earlier(build, seconds));
  const Plan known = builder.plan();
  EXPECT_EQ(stage_named(known, "build").estimate.seconds, 20);
  EXPECT_EQ(stage_named(known, "build").estimate.bytes, 10u);
  EXPECT_TRUE(stage_named(known, "build").estimate.measured);
  builder.done.earlier.push_back(earlier(build, 40));
  EXPECT_EQ(stage_named(builder.plan(), "build").estimate.seconds, 30);
}

TEST(Estimate, FallsBackToStagesThatShareTheMostParameters) {
  PlanBuilder builder = toy_builder();
  builder.done.earlier = {{.stage = "build",
                           .digest = sha256("1"),
                           .parameters = {{"precision", "q8"}},
                           .seconds = 5,
                           .bytes = {}},
                          {.stage = "build",
                           .digest = sha256("2"),
                           .parameters = {{"precision", "f16"}},
                           .seconds = 8,
                           .bytes = {}},
                          {.stage = "bench",
                           .digest = sha256("3"),
                           .parameters = {{"isl", "7"}},
                           .seconds = 2,
                           .bytes = {}},
                          {.stage = "bench",
                           .digest = sha256("4"),
                           .parameters = {{"isl", "9"}},
                           .seconds = 4,
                           .bytes = {}}};
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_named(plan, "build", 0).estimate.seconds, 8);
  EXPECT_EQ(stage_named(plan, "build", 1).estimate.seconds, 5);
  EXPECT_FALSE(stage_named(plan, "build").estimate.measured);
  EXPECT_EQ(stage_named(plan, "bench").estimate.seconds, 3);
  EXPECT_EQ(stage_named(plan, "download").estimate.seconds, std::nullopt);
}

TEST(Estimate, OfDiskComesFromTheManifestWithoutEarlierAttempts) {
  PlanBuilder builder = toy_builder();
  builder.kind("build").disk_gib =
      builder.add_question("disk_gib of stage 'build'", "2", {2, 2, 2, 2});
  EXPECT_EQ(stage_named(builder.plan(), "build").estimate.bytes, 2ull << 30);
  builder.done.earlier = {
      {.stage = "build", .digest = sha256("1"), .parameters = {}, .seconds = {}, .bytes = 7}};
  EXPECT_EQ(stage_named(builder.plan(), "build").estimate.bytes, 7u);
}

TEST(Estimate, OfTheDiskThatAStageNeedsIsNotThatOfOtherStages) {
  PlanBuilder builder = toy_builder();
  const Plan plan = builder.plan();
  builder.kind("build").disk_gib =
      builder.add_question("disk_gib of stage 'build'", "2", {2, 2, 2, 2});
  builder.done.earlier = {
      {.stage = "build", .digest = sha256("1"), .parameters = {}, .seconds = {}, .bytes = 7},
      {.stage = "download", .digest = sha256("2"), .parameters = {}, .seconds = {}, .bytes = 7}};
  EXPECT_EQ(stage_named(builder.plan(), "build").estimate.needed_bytes, 2ull << 30);
  EXPECT_EQ(stage_named(builder.plan(), "download").estimate.needed_bytes, 0u);
  for (const char* name : {"build", "download"})
    builder.done.earlier.push_back(earlier(stage_named(plan, name), 9, 5));
  EXPECT_EQ(stage_named(builder.plan(), "build").estimate.needed_bytes, 5u);
  EXPECT_EQ(stage_named(builder.plan(), "download").estimate.needed_bytes, 5u);
}

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
  EXPECT_EQ(run.seconds, 100 + 50 + 2 * 20 + 2 * 1 + 2 * 5 + 4 * 10);
  EXPECT_EQ(run.bytes, 10 * 10u);  // servers leave nothing
  EXPECT_EQ(run.without_seconds, 0u);
  EXPECT_EQ(loop.stages, 24u);
  EXPECT_EQ(loop.seconds, 4 * (100 + 50 + 20 + 1 + 5 + 10));
}

TEST(Cost, CountsStagesWithoutAnEstimateAndGuessesNothing) {
  PlanBuilder builder = toy_builder();
  builder.done.earlier = history(builder.plan(), {{"build", 20}});
  const Cost run = cost_of_run(builder.plan());
  EXPECT_EQ(run.seconds, 40);
  EXPECT_EQ(run.without_seconds, 10u);
  EXPECT_EQ(run.without_bytes, 8u);
}

TEST(Cost, AServerHoldsItsGpusUntilItsLastMeasurement) {
  PlanBuilder builder = toy_builder();
  builder.kind("build").gpus = builder.add_question("gpus of build", "1", {1, 1, 1, 1});
  builder.kind("serve").gpus = builder.add_question("gpus of serve", "tp", {2, 2, 2, 2});
  builder.done.earlier = history(builder.plan(), {{"build", 3600}, {"serve", 360}, {"bench", 720}});
  const Plan plan = builder.plan();
  EXPECT_DOUBLE_EQ(cost_of_run(plan).gpu_hours, 2 * 1 * 1.0 + 2 * 2 * (0.1 + 2 * 0.2));
  EXPECT_DOUBLE_EQ(cost_of_loop(plan).gpu_hours, 4 * 1 * 1.0 + 4 * 2 * (0.1 + 0.2));
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

TEST(Order, KeepsBuildsAndServersTogetherInAnyOrderOfAxes) {
  std::vector<fakes::Parameters> points;
  for (const char* isl : {"32", "128"})
    for (const char* batch : {"4", "8"})
      for (const char* precision : {"f16", "q8"})
        points.push_back({{"source", "generate:nano"},
                          {"precision", precision},
                          {"batch_size", batch},
                          {"isl", isl}});
  PlanBuilder builder(k_runner, points);
  builder.facts = good_facts();
  EXPECT_EQ(labels(builder.plan()),
            (std::vector<std::string>{"environment",  "download", "build f16", "repository 4",
                                      "serve",        "bench 32", "bench 128", "repository 8",
                                      "serve",        "bench 32", "bench 128", "build q8",
                                      "repository 4", "serve",    "bench 32",  "bench 128",
                                      "repository 8", "serve",    "bench 32",  "bench 128"}));
}

TEST(Order, BeginsWithTheGroupOfTheCheapestPoint) {
  PlanBuilder builder = toy_builder();
  const std::map<std::string, double> cheap_build = {
      {"environment", 1}, {"download", 1}, {"repository", 1}, {"serve", 1}};
  const Plan plan = builder.plan();
  builder.done.earlier = history(plan, cheap_build);
  builder.done.earlier.push_back(earlier(stage_named(plan, "build", 0), 500));
  builder.done.earlier.push_back(earlier(stage_named(plan, "build", 1), 20));
  for (std::size_t nth = 0; nth < 4; ++nth)
    builder.done.earlier.push_back(earlier(stage_named(plan, "bench", nth), nth % 2 ? 10 : 30));
  const Plan ordered = builder.plan();
  EXPECT_EQ(labels(ordered),
            (std::vector<std::string>{"environment", "download", "build q8", "repository 4",
                                      "serve", "bench 128", "bench 32", "build f16", "repository 4",
                                      "serve", "bench 128", "bench 32"}));
  std::vector<std::string> names;
  for (const PlannedPoint& point : ordered.points) names.push_back(point.point.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{plan.points[0].point.name, plan.points[1].point.name,
                                      plan.points[2].point.name, plan.points[3].point.name}));
}

TEST(Order, FollowsTheAxesIfATimeIsUnknown) {
  PlanBuilder builder = toy_builder();
  const Plan plan = builder.plan();
  builder.done.earlier = history(
      plan, {{"environment", 1}, {"download", 1}, {"repository", 1}, {"serve", 1}, {"bench", 1}});
  EXPECT_EQ(labels(builder.plan()), labels(plan));
}

TEST(Order, FollowsTheAxesIfATimeOfSomePointsIsUnknown) {
  PlanBuilder builder = toy_builder();
  builder.kind("download").when = builder.add_question("when", "x", {1, 1, 0, 0});
  builder.kind("build").argv = {"/bin/build", "{precision}"};
  builder.kind("build").fragments.clear();
  const Plan plan = builder.plan();
  builder.done.earlier = history(
      plan, {{"environment", 1}, {"build", 1}, {"repository", 1}, {"serve", 1}, {"bench", 1}});
  EXPECT_EQ(labels(builder.plan()), labels(plan));
}

}  // namespace cost_test
}  // namespace orch::plan
