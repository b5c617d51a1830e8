// Estimates, what a plan costs, and in which order its stages stand.
#include "plan/cost.hpp"

#include "plan/toy.hpp"

namespace orch::plan {
namespace {

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

// Every stage of PLAN took SECONDS by its name.
std::vector<Earlier> history(const Plan& plan, const std::map<std::string, double>& seconds) {
  std::vector<Earlier> all;
  for (const Stage& stage : plan.stages)
    if (seconds.contains(stage.spec.name))
      all.push_back(earlier(stage, seconds.at(stage.spec.name)));
  return all;
}

TEST(Estimate, IsTheMedianOfThatVeryStage) {
  Planned planned = four();
  const Plan plan = planned.plan();
  const Stage& build = stage_named(plan, "build");
  for (const double seconds : {10.0, 90.0, 20.0})
    planned.done.earlier.push_back(earlier(build, seconds));
  const Plan known = planned.plan();
  EXPECT_EQ(stage_named(known, "build").estimate.seconds, 20);
  EXPECT_EQ(stage_named(known, "build").estimate.bytes, 10u);
  EXPECT_TRUE(stage_named(known, "build").estimate.measured);
  planned.done.earlier.push_back(earlier(build, 40));
  EXPECT_EQ(stage_named(planned.plan(), "build").estimate.seconds, 30);
}

TEST(Estimate, IsOfTheStagesThatShareTheMostParameters) {
  Planned planned = four();
  planned.done.earlier = {{.stage = "build",
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
  const Plan plan = planned.plan();
  EXPECT_EQ(stage_named(plan, "build", 0).estimate.seconds, 8);
  EXPECT_EQ(stage_named(plan, "build", 1).estimate.seconds, 5);
  EXPECT_FALSE(stage_named(plan, "build").estimate.measured);
  EXPECT_EQ(stage_named(plan, "bench").estimate.seconds, 3);
  EXPECT_EQ(stage_named(plan, "download").estimate.seconds, std::nullopt);
}

TEST(Estimate, OfDiskIsTheManifestsWhereNoAttemptTells) {
  Planned planned = four();
  planned.kind("build").disk_gib = planned.ask("disk_gib of stage 'build'", "2", {2, 2, 2, 2});
  EXPECT_EQ(stage_named(planned.plan(), "build").estimate.bytes, 2ull << 30);
  planned.done.earlier = {
      {.stage = "build", .digest = sha256("1"), .parameters = {}, .seconds = {}, .bytes = 7}};
  EXPECT_EQ(stage_named(planned.plan(), "build").estimate.bytes, 7u);
}

TEST(Cost, CountsWhatRunsOnceAndWhatALoopWouldDoAgain) {
  Planned planned = four();
  planned.done.earlier = history(planned.plan(), {{"environment", 100},
                                                  {"download", 50},
                                                  {"build", 20},
                                                  {"repository", 1},
                                                  {"serve", 5},
                                                  {"bench", 10}});
  const Plan plan = planned.plan();
  const Cost run = cost_of_run(plan), loop = cost_of_loop(plan);
  EXPECT_EQ(run.stages, 12u);
  EXPECT_EQ(run.seconds, 100 + 50 + 2 * 20 + 2 * 1 + 2 * 5 + 4 * 10);
  EXPECT_EQ(run.bytes, 10 * 10u);  // servers leave nothing
  EXPECT_EQ(run.without_seconds, 0u);
  EXPECT_EQ(loop.stages, 24u);
  EXPECT_EQ(loop.seconds, 4 * (100 + 50 + 20 + 1 + 5 + 10));
}

TEST(Cost, CountsWhatNobodyKnowsAndGuessesNothing) {
  Planned planned = four();
  planned.done.earlier = history(planned.plan(), {{"build", 20}});
  const Cost run = cost_of_run(planned.plan());
  EXPECT_EQ(run.seconds, 40);
  EXPECT_EQ(run.without_seconds, 10u);
  EXPECT_EQ(run.without_bytes, 8u);
}

TEST(Cost, AServerHoldsItsGpusUntilItsLastMeasurement) {
  Planned planned = four();
  planned.kind("build").gpus = planned.ask("gpus of build", "1", {1, 1, 1, 1});
  planned.kind("serve").gpus = planned.ask("gpus of serve", "tp", {2, 2, 2, 2});
  planned.done.earlier = history(planned.plan(), {{"build", 3600}, {"serve", 360}, {"bench", 720}});
  const Plan plan = planned.plan();
  EXPECT_DOUBLE_EQ(cost_of_run(plan).gpu_hours, 2 * 1 * 1.0 + 2 * 2 * (0.1 + 2 * 0.2));
  EXPECT_DOUBLE_EQ(cost_of_loop(plan).gpu_hours, 4 * 1 * 1.0 + 4 * 2 * (0.1 + 0.2));
}

TEST(Cost, IsOfWhatRunsAlone) {
  Planned planned = four();
  planned.expansion.points[1].rejected = {"rule", "because"};
  const Plan plan = planned.plan();
  EXPECT_EQ(cost_of_run(plan).stages, 11u);
  EXPECT_EQ(cost_of_loop(plan).stages, 18u);
  planned.make_all(plan);
  EXPECT_EQ(cost_of_run(planned.plan()).stages, 0u);
}

TEST(Cost, OfALoopIsOfThePointsThatMayRun) {
  Planned planned = four();
  planned.expansion.points[1].waiting = {{"rule 'x'", "host_gpus"}};
  const Plan plan = planned.plan();
  EXPECT_EQ(cost_of_run(plan).stages, 11u);
  EXPECT_EQ(cost_of_loop(plan).stages, 18u);
  for (const StageCount& row : count_stages(plan)) EXPECT_EQ(row.in_a_loop, 3u) << row.stage;
  planned.expansion.points[1].waiting = {};
  planned.options.until = "build";
  EXPECT_EQ(cost_of_loop(planned.plan()).stages, 12u);
}

TEST(Counts, StandInTheOrderOfTheManifest) {
  Planned planned = four();
  planned.kind("download").when = planned.ask("when", "x", {0, 0, 1, 1});
  planned.kind("build").argv = {"/bin/build", "{precision}"};
  planned.kind("build").fragments.clear();
  planned.expansion.points[3].rejected = {"rule", "because"};
  std::vector<std::string> lines;
  for (const StageCount& row : count_stages(planned.plan()))
    lines.push_back(fmt::format("{} {}: {} run, {} reject, {} in a loop, {} to do", row.stage,
                                row.all, row.run, row.reject, row.in_a_loop, row.run_cost.stages));
  EXPECT_EQ(lines, (std::vector<std::string>{"environment 1: 1 run, 0 reject, 3 in a loop, 1 to do",
                                             "download 1: 1 run, 0 reject, 1 in a loop, 1 to do",
                                             "build 2: 2 run, 0 reject, 3 in a loop, 2 to do",
                                             "repository 2: 2 run, 0 reject, 3 in a loop, 2 to do",
                                             "serve 2: 2 run, 0 reject, 3 in a loop, 2 to do",
                                             "bench 4: 3 run, 1 reject, 3 in a loop, 3 to do"}));
}

TEST(Order, KeepsBuildsAndServersTogetherWhateverTheAxesSay) {
  std::vector<fakes::Parameters> points;
  for (const char* isl : {"32", "128"})
    for (const char* batch : {"4", "8"})
      for (const char* precision : {"f16", "q8"})
        points.push_back({{"source", "generate:nano"},
                          {"precision", precision},
                          {"batch_size", batch},
                          {"isl", isl}});
  Planned planned(k_runner, points);
  planned.facts = good_facts();
  EXPECT_EQ(labels(planned.plan()),
            (std::vector<std::string>{"environment",  "download", "build f16", "repository 4",
                                      "serve",        "bench 32", "bench 128", "repository 8",
                                      "serve",        "bench 32", "bench 128", "build q8",
                                      "repository 4", "serve",    "bench 32",  "bench 128",
                                      "repository 8", "serve",    "bench 32",  "bench 128"}));
}

TEST(Order, BeginsWithTheGroupOfTheCheapestPoint) {
  Planned planned = four();
  const std::map<std::string, double> cheap_build = {
      {"environment", 1}, {"download", 1}, {"repository", 1}, {"serve", 1}};
  const Plan plan = planned.plan();
  planned.done.earlier = history(plan, cheap_build);
  planned.done.earlier.push_back(earlier(stage_named(plan, "build", 0), 500));
  planned.done.earlier.push_back(earlier(stage_named(plan, "build", 1), 20));
  for (std::size_t nth = 0; nth < 4; ++nth)
    planned.done.earlier.push_back(earlier(stage_named(plan, "bench", nth), nth % 2 ? 10 : 30));
  const Plan ordered = planned.plan();
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

TEST(Order, IsThatOfTheAxesWhereATimeIsUnknown) {
  Planned planned = four();
  const Plan plan = planned.plan();
  planned.done.earlier = history(
      plan, {{"environment", 1}, {"download", 1}, {"repository", 1}, {"serve", 1}, {"bench", 1}});
  EXPECT_EQ(labels(planned.plan()), labels(plan));
}

TEST(Order, IsThatOfTheAxesWhereTheTimeOfSomeIsUnknown) {
  Planned planned = four();
  planned.kind("download").when = planned.ask("when", "x", {1, 1, 0, 0});
  planned.kind("build").argv = {"/bin/build", "{precision}"};
  planned.kind("build").fragments.clear();
  const Plan plan = planned.plan();
  planned.done.earlier = history(
      plan, {{"environment", 1}, {"build", 1}, {"repository", 1}, {"serve", 1}, {"bench", 1}});
  EXPECT_EQ(labels(planned.plan()), labels(plan));
}

}  // namespace
}  // namespace orch::plan
