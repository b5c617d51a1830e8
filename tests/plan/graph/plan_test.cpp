#include "plan/graph/comparison.hpp"
#include "plan/graph/toy.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {
namespace plan_test {

using fakes::plan_of;
using namespace toy;

TEST(Plan, PointsShareStagesThatReadTheSameValues) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = four_points()}, facts);
  EXPECT_EQ(counts(plan), (std::map<std::string, std::string>{{"environment", "1 run"},
                                                              {"download", "1 run"},
                                                              {"build", "2 run"},
                                                              {"repository", "2 run"},
                                                              {"serve", "2 run"},
                                                              {"bench", "4 run"}}));
}

TEST(Plan, EveryStageFollowsTheStagesThatItNeeds) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = four_points()}, facts);
  std::set<StageId> seen;
  for (const Stage& stage : plan.stages) {
    for (const auto& [name, id] : stage.needs)
      EXPECT_TRUE(seen.contains(id)) << stage.id << " before " << id;
    seen.insert(stage.id);
  }
}

TEST(Plan, CommandsAreSymbolicUntilTheyRun) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = four_points()}, facts);
  const Stage& build = stage_named(plan, "build");
  EXPECT_EQ(build.spec.argv,
            (std::vector<std::string>{"{stage:" + stage_named(plan, "environment").id + "}/bin",
                                      "--model={stage:" + stage_named(plan, "download").id + "}",
                                      "--precision=f16", "--out={out}"}));
  EXPECT_EQ(stage_named(plan, "download").spec.argv[1], "--source=generate:nano");
  EXPECT_EQ(stage_named(plan, "repository").rendered.at("m/config.pbtxt"),
            "max: 4 dir: \"{stage:" + build.id + "}/engine\"");
}

TEST(Plan, StoredStagesAreReusedAndUnneededStagesAreIdle) {
  FakeFacts facts = good_facts();
  const Plan first = plan_of(k_runner, {.points = four_points()}, facts);
  Done done;
  for (const Stage& stage : first.stages)
    if (stage.spec.kind != runner::Kind::service && stage.spec.name != "environment")
      done.made[stage.digest] = fakes::made_by(1);
  const Plan again = plan_of(k_runner, {.points = four_points(), .done = done}, facts);
  EXPECT_EQ(counts(again), (std::map<std::string, std::string>{{"environment", "1 idle"},
                                                               {"download", "1 reuse"},
                                                               {"build", "2 reuse"},
                                                               {"repository", "2 reuse"},
                                                               {"serve", "2 idle"},
                                                               {"bench", "4 reuse"}}));
  EXPECT_EQ(again.points[0].status, Status::reuse);
  EXPECT_EQ(again.points[0].why, "made by run 1; nothing in its digest has changed");
}

TEST(Plan, AMissingMeasurementRunsOnlyItselfAndItsServer) {
  FakeFacts facts = good_facts();
  const Plan first = plan_of(k_runner, {.points = four_points()}, facts);
  Done done;
  for (const Stage& stage : first.stages)
    if (stage.spec.kind != runner::Kind::service) done.made[stage.digest] = fakes::made_by(1);
  done.made.erase(stage_named(first, "bench", 3).digest);
  const Plan again = plan_of(k_runner, {.points = four_points(), .done = done}, facts);
  EXPECT_EQ(counts(again), (std::map<std::string, std::string>{{"environment", "1 reuse"},
                                                               {"download", "1 reuse"},
                                                               {"build", "2 reuse"},
                                                               {"repository", "2 reuse"},
                                                               {"serve", "1 idle, 1 run"},
                                                               {"bench", "3 reuse, 1 run"}}));
}

TEST(Plan, RepeatsAreSeparateMeasurementsOnOneServer) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = {four_points()[0]}, .repeats = 3}, facts);
  EXPECT_EQ(counts(plan)["bench"], "3 run");
  EXPECT_EQ(counts(plan)["serve"], "1 run");
  EXPECT_EQ(plan.points[0].stages.size(), 8u);
}

TEST(Plan, ARejectedPointKeepsItsStagesAndRunsNone) {
  matrix::Matrix matrix;
  ChosenPoints expansion;
  expansion.points = {fakes::point_of(four_points()[0]), fakes::point_of(four_points()[2])};
  expansion.points[1].rejections = {{"one-rank", "tp is 2"}};
  FakeFacts facts = good_facts();
  Errors errors;
  const Plan plan = make_plan({.matrix = matrix,
                               .chosen = expansion,
                               .manifest = fakes::manifest_of(k_runner),
                               .facts = facts,
                               .done = {}},
                              errors);
  EXPECT_EQ(counts(plan)["build"], "1 reject, 1 run");
  EXPECT_EQ(plan.points[1].status, Status::reject);
  EXPECT_EQ(plan.points[1].why, "one-rank: tp is 2");
  EXPECT_EQ(plan.points[1].stages.size(), 6u);
}

TEST(Plan, EveryMissingFileIsReportedOnce) {
  FakeFacts facts;
  ChosenPoints expansion;
  for (const auto& parameters : four_points())
    expansion.points.push_back(fakes::point_of(parameters));
  Errors errors;
  (void)make_plan({.matrix = {},
                   .chosen = expansion,
                   .manifest = fakes::manifest_of(k_runner),
                   .facts = facts,
                   .done = {}},
                  errors);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].text(), "cannot open make.py: No such file or directory");
  EXPECT_EQ(errors[1].text(), "cannot open templates/c.pbtxt: No such file or directory");
}

TEST(Reuse, ReportsChangesOfTheMachine) {
  PlanBuilder builder = toy_builder();
  builder.done.provenance = {{"kernel", "6.1"}, {"driver", "550"}};
  builder.make_all(builder.plan(), 3);
  builder.done.provenance = {{"kernel", "6.2"}, {"driver", "550"}, {"clock", "1980"}};
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[0].status, Status::reuse);
  EXPECT_EQ(plan.points[0].why,
            "made by run 3; clock changed unknown -> 1980, kernel changed 6.1 -> 6.2");
  EXPECT_EQ(stage_named(plan, "bench").why, plan.points[0].why);
  EXPECT_EQ(stage_named(plan, "build").why, "made by run 3; nothing in its digest has changed");
}

TEST(Refresh, RunsMeasurementsMadeUnderAnotherValueAgain) {
  PlanBuilder builder = toy_builder();
  builder.done.provenance = {{"kernel", "6.1"}, {"driver", "550"}};
  builder.make_all(builder.plan(), 3);
  builder.done.provenance["kernel"] = "6.2";
  builder.options.refresh = {"driver", "no_such_name"};
  EXPECT_EQ(counts(builder.plan())["bench"], "4 reuse");
  builder.options.refresh = {"kernel"};
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan)["bench"], "4 run");
  EXPECT_EQ(counts(plan)["build"], "2 reuse");
  EXPECT_EQ(stage_named(plan, "bench").why,
            "kernel changed 6.1 -> 6.2 since run 3 made it; --refresh repeats it");
}

TEST(Until, LeavesLaterStagesIdle) {
  PlanBuilder builder = toy_builder();
  builder.options.until = "build";
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan), (std::map<std::string, std::string>{{"environment", "1 run"},
                                                              {"download", "1 run"},
                                                              {"build", "2 run"},
                                                              {"repository", "2 idle"},
                                                              {"serve", "2 idle"},
                                                              {"bench", "4 idle"}}));
  EXPECT_EQ(stage_named(plan, "serve").why, "after --until build");
  EXPECT_EQ(plan.points[0].why, "3 of 6 stages to do");
  builder.make_all(plan);
  const Plan made = builder.plan();
  EXPECT_EQ(made.points[0].status, Status::reuse);
  EXPECT_EQ(made.points[0].why, "everything up to build is already made");
}

TEST(Until, DoesNotReportLaterMeasurementsAsMade) {
  PlanBuilder builder = toy_builder();
  builder.make_all(builder.plan(), 3);
  builder.options.until = "build";
  EXPECT_EQ(builder.plan().points[0].why, "everything up to build is already made");
  builder.options.until = "bench";
  EXPECT_EQ(builder.plan().points[0].why, "made by run 3; nothing in its digest has changed");
}

TEST(Until, DoesNotReportAMissingStageAsMade) {
  PlanBuilder builder = toy_builder();
  const Plan plan = builder.plan();
  builder.make_all(plan, 3);
  const Stage& build = stage_named(plan, "build");
  builder.done.made.erase(build.digest);
  builder.options.until = "build";
  EXPECT_EQ(builder.plan().points[0].status, Status::reuse);
  EXPECT_EQ(builder.plan().points[0].why, fmt::format("no remaining stage needs {}", build.id));
}

TEST(Until, DoesNotWaitForLaterStages) {
  PlanBuilder builder = toy_builder();
  builder.options.until = "environment";
  builder.facts.missing = {"generate:nano"};  // which download reads
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[0].status, Status::run);
  EXPECT_EQ(plan.points[0].why, "1 of 6 stages to do");
  EXPECT_EQ(counts(plan)["environment"], "1 run");
  EXPECT_EQ(counts(plan)["download"], "1 idle");
  builder.options.until = "download";
  const Plan more = builder.plan();
  EXPECT_EQ(more.points[0].status, Status::undecided);
  EXPECT_EQ(more.points[0].why, "generate:nano is not resolved yet");
}

TEST(Until, RunsOnlyTheFactStageOfAPointThatMayBeRejected) {
  PlanBuilder builder = toy_builder();
  builder.manifest.fact_source.emplace().stage = "download";
  for (matrix::Point& point : builder.expansion.points)
    point.waiting = {{"rule 'kv-heads'", "model_kv_heads"}};
  for (const char* until : {"environment", "download"}) {
    builder.options.until = until;
    EXPECT_EQ(builder.plan().points[0].status, Status::run) << until;
  }
  EXPECT_EQ(counts(builder.plan())["download"], "1 run");
  builder.options.until = "build";
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[0].status, Status::undecided);
  EXPECT_EQ(counts(plan)["download"], "1 run");
  EXPECT_EQ(counts(plan)["build"], "2 undecided");
}

TEST(Until, StartsNoServerWithoutMeasurements) {
  PlanBuilder builder = toy_builder();
  builder.options.until = "serve";
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan)["repository"], "2 run");
  EXPECT_EQ(counts(plan)["serve"], "2 idle");
  EXPECT_EQ(stage_named(plan, "serve").why, "the stages that need it are after --until serve");
}

TEST(Until, RefusesAStageThatTheRunnerDoesNotHave) {
  PlanBuilder builder = toy_builder();
  builder.options.until = "biuld";
  EXPECT_EQ(builder.plan_errors(),
            std::vector<std::string>{"--until names the stage 'biuld', which runner 'toy' does not "
                                     "have; did you mean 'build'?"});
}

TEST(PlanJson, HasTheFieldsThatProgramsRead) {
  FakeFacts facts = good_facts();
  const auto json =
      nlohmann::json::parse(to_json(plan_of(k_runner, {.points = {four_points()[0]}}, facts)));
  EXPECT_EQ(json["points"][0]["params"]["precision"], "f16");
  EXPECT_EQ(json["points"][0]["status"], "run");
  EXPECT_EQ(json["points"][0]["stages"].size(), 6u);
  const auto& bench = json["stages"][5];
  EXPECT_EQ(bench["stage"], "bench");
  EXPECT_EQ(bench["kind"], "measure");
  EXPECT_EQ(bench["digest"].get<std::string>().size(), 64u);
  EXPECT_EQ(bench["needs"][0], json["stages"][4]["id"]);
  for (const char* field : {"id", "unknown", "argv", "launch", "env", "status", "why", "estimate_s",
                            "gpus", "provided"})
    EXPECT_TRUE(bench.contains(field)) << field;
}

}  // namespace plan_test
}  // namespace orch::plan
