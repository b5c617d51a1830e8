// Estimates of stages, and the order that follows from them.
#include "plan/graph/planned.hpp"
#include "plan/graph/toy.hpp"

namespace orch::plan {
namespace estimate_test {

using namespace toy;

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

// bench takes at least 10 s, and probably 20 to 80.
PlanBuilder expecting_builder() {
  PlanBuilder builder = toy_builder();
  runner::StageKind& bench = builder.kind("bench");
  bench.seconds = {builder.add_question("seconds", "7", {7, 7, 7, 7}),
                   builder.add_question("seconds", "10", {10, 10, 10, 10})};
  bench.expected_seconds = {builder.add_question("from", "20", {20, 20, 20, 20}),
                            builder.add_question("to", "80", {80, 80, 80, 80})};
  return builder;
}

TEST(Estimate, IsTheMiddleOfWhatTheManifestExpectsUntilMoreIsKnown) {
  PlanBuilder builder = expecting_builder();
  const Plan plan = builder.plan();
  const Estimate expected = stage_named(plan, "bench").estimate;
  EXPECT_EQ(expected.least_seconds, 10);
  EXPECT_EQ(expected.from_seconds, 20);
  EXPECT_EQ(expected.to_seconds, 80);
  EXPECT_EQ(expected.seconds, 40);
  builder.options.times = {{.stage = "bench", .parameters = {}, .seconds = 30}};
  EXPECT_EQ(stage_named(builder.plan(), "bench").estimate.seconds, 30);
  builder.done.earlier = history(plan, {{"bench", 25}});
  const Estimate measured = stage_named(builder.plan(), "bench").estimate;
  EXPECT_EQ(measured.seconds, 25);
  EXPECT_EQ(measured.to_seconds, 0);
}

TEST(Estimate, IsNoLessThanTheBoundUnlessTheStageItselfWasMeasured) {
  PlanBuilder builder = expecting_builder();
  const Plan plan = builder.plan();
  builder.options.times = {{.stage = "bench", .parameters = {}, .seconds = 1}};
  EXPECT_EQ(stage_named(builder.plan(), "bench").estimate.seconds, 10);
  builder.done.earlier = {earlier(stage_named(plan, "bench"), 2)};
  EXPECT_EQ(stage_named(builder.plan(), "bench", 0).estimate.seconds, 2);
  EXPECT_EQ(stage_named(builder.plan(), "bench", 1).estimate.seconds, 10);
}

TEST(Estimate, IsMadeAgainWhenFactsArrive) {
  PlanBuilder builder = expecting_builder();
  Plan plan = builder.plan();
  Errors errors;
  plan_again(plan,
             {.matrix = builder.matrix,
              .chosen = builder.expansion,
              .manifest = builder.manifest,
              .facts = builder.facts,
              .done = builder.done},
             errors);
  EXPECT_EQ(stage_named(plan, "bench").estimate.to_seconds, 80);
  EXPECT_EQ(stage_named(plan, "bench").estimate.seconds, 40);
}

// A fact that only estimates read is unknown, and a value is NULL: no figure, and no waiting.
TEST(Estimate, DelaysNoPointAndNeedsNoValue) {
  const char* k_estimating = R"(
runner: toy
parameters:
  n: {type: integer, optional: true}
stages:
  build:
    kind: task
    reads: [n]
    argv: [/bin/build, "{out}"]
    outputs: [o]
    resources:
      seconds: [host_gpus * 5, "CASE WHEN n > 1 THEN n END"]
      expected_seconds: [host_gpus, 100]
  serve:
    kind: service
    needs: [build]
    argv: [/bin/serve, "{stage:build}", "{port:http}"]
    ports: [http]
    ready: {port: http, get: [/]}
  bench:
    kind: measure
    needs: [serve]
    argv: [/bin/bench, "{port:serve.http}"]
    outputs: [measurement.json]
)";
  const Planned planned = planned_text("axes: {n: [1, 7]}\n", k_estimating);
  EXPECT_EQ(planned.errors, "");
  const auto builds = planned.stages("build");
  ASSERT_EQ(builds.size(), 2u);
  for (const PlannedPoint& point : planned.plan.points) EXPECT_EQ(point.status, Status::run);
  EXPECT_EQ(builds[0]->estimate.least_seconds, 0);
  EXPECT_EQ(builds[0]->estimate.seconds, std::nullopt);
  EXPECT_EQ(builds[1]->estimate.least_seconds, 7);
  EXPECT_EQ(builds[1]->estimate.to_seconds, 0);
}

TEST(TimeLimit, OfAMeasurementIsAtLeastTenTimesItsBound) {
  PlanBuilder builder = expecting_builder();
  builder.kind("bench").timeout_s = 60;
  builder.kind("build").timeout_s = 5;
  builder.kind("build").seconds = {builder.add_question("seconds", "1", {1, 1, 1, 1})};
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_named(plan, "bench").spec.timeout_s, 100);
  EXPECT_EQ(stage_named(plan, "build").spec.timeout_s, 5);
  builder.kind("bench").timeout_s = 600;
  EXPECT_EQ(stage_named(builder.plan(), "bench").spec.timeout_s, 600);
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

}  // namespace estimate_test
}  // namespace orch::plan
