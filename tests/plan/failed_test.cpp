// What failed before by its own fault is a result: it stays until somebody asks for another try.
#include "plan/cost.hpp"
#include "plan/explain.hpp"
#include "toy.hpp"

#include <gtest/gtest.h>

namespace orch::plan {
namespace {

using fakes::Planned;
using namespace toy;

using Counts = std::map<std::string, std::string>;

void fail(Planned& planned, const Stage& stage, const std::string& message = "out of memory") {
  planned.done.failed[stage.digest] = {.run = 3, .klass = "cuda_oom", .message = message};
}

TEST(FailedBefore, ABuildTakesItsPointsWithItAndNothingElse) {
  Planned planned = four();
  const Stage build = stage_named(planned.plan(), "build");
  fail(planned, build);
  const Plan plan = planned.plan();
  EXPECT_EQ(counts(plan), (Counts{{"environment", "1 run"},
                                  {"download", "1 run"},
                                  {"build", "1 failed, 1 run"},
                                  {"repository", "1 failed, 1 run"},
                                  {"serve", "1 failed, 1 run"},
                                  {"bench", "2 failed, 2 run"}}));
  const std::string why =
      "failed in run 3 (cuda_oom): out of memory; --retry-failed tries it again";
  for (const Stage& stage : plan.stages) {
    if (stage.status != Status::failed) continue;
    EXPECT_EQ(stage.why, stage.id == build.id ? why : "needs " + build.id + ", which " + why)
        << stage.id;
  }
  EXPECT_EQ(plan.points[0].status, Status::failed);
  EXPECT_EQ(plan.points[0].why, build.id + " " + why);
  EXPECT_EQ(plan.points[3].status, Status::run);
}

TEST(FailedBefore, IsTriedAgainWhenAskedFor) {
  Planned planned = four();
  const Plan before = planned.plan();
  fail(planned, stage_named(before, "build"));
  planned.options.retry_failed = true;
  const Plan plan = planned.plan();
  EXPECT_EQ(states(plan), states(before));
  EXPECT_EQ(plan.points[0].status, Status::run);
}

TEST(FailedBefore, AMeasurementLeavesItsServerToTheOthers) {
  Planned planned = four();
  const Plan before = planned.plan();
  fail(planned, stage_named(before, "bench"), "");
  Plan plan = planned.plan();
  EXPECT_EQ(counts(plan).at("bench"), "1 failed, 3 run");
  EXPECT_EQ(counts(plan).at("serve"), "2 run");
  EXPECT_EQ(stage_named(plan, "bench").why,
            "failed in run 3 (cuda_oom); --retry-failed tries it again");
  // The only one that its server was for: nothing is started for it.
  planned.make_all(before);
  planned.done.made.erase(stage_named(before, "bench").digest);
  plan = planned.plan();
  EXPECT_EQ(counts(plan), (Counts{{"environment", "1 reuse"},
                                  {"download", "1 reuse"},
                                  {"build", "2 reuse"},
                                  {"repository", "2 reuse"},
                                  {"serve", "2 idle"},
                                  {"bench", "1 failed, 3 reuse"}}));
}

TEST(FailedBefore, NobodyMindsAFailureThatNothingNeeds) {
  Planned planned = four();
  const Plan before = planned.plan();
  planned.make_all(before);
  planned.done.made.erase(stage_named(before, "build").digest);
  fail(planned, stage_named(before, "build"));
  const Plan plan = planned.plan();
  EXPECT_EQ(stage_named(plan, "build").status, Status::idle);
  for (const PlannedPoint& point : plan.points) EXPECT_EQ(point.status, Status::reuse);
}

TEST(FailedBefore, AFailureAfterUntilDoesNotKeepAnythingFromBeingMade) {
  Planned planned = four();
  planned.options.until = "build";
  for (const Stage& stage : planned.plan().stages)
    if (stage.spec.name == "bench" || stage.spec.name == "serve") fail(planned, stage);
  const Plan plan = planned.plan();
  EXPECT_EQ(counts(plan).at("build"), "2 run");
  EXPECT_EQ(counts(plan).at("bench"), "4 idle");
  EXPECT_EQ(plan.points[0].status, Status::run);
}

TEST(FailedBefore, AFailureBeforeUntilIsThePointsFailure) {
  Planned planned = four();
  planned.options.until = "build";
  fail(planned, stage_named(planned.plan(), "build"));
  const Plan plan = planned.plan();
  EXPECT_EQ(counts(plan).at("build"), "1 failed, 1 run");
  EXPECT_EQ(counts(plan).at("bench"), "4 idle");
  EXPECT_EQ(plan.points[0].status, Status::failed);
  EXPECT_EQ(plan.points[3].status, Status::run);
}

TEST(FailedBefore, OnlyOneOfSeveralRepeatsLeavesThePointToTheOthers) {
  Planned planned = four();
  planned.matrix.measure.repeats = 2;
  planned.kind("bench").argv.emplace_back("{repeat}");
  fail(planned, stage_named(planned.plan(), "bench"));
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.points[0].status, Status::run);
}

TEST(FailedBefore, IsShownAndCounted) {
  Planned planned = four();
  const Stage build = stage_named(planned.plan(), "build");
  fail(planned, build, "out of\x1bmemory");
  const Plan plan = planned.plan();
  EXPECT_EQ(count_stages(plan)[2].failed, 1u);
  EXPECT_NE(to_json(plan).find("\"status\": \"failed\""), std::string::npos);
  EXPECT_NE(explain_text(plan, {}).find(build.id +
                                        " (precision=f16): failed\n  failed in run 3 (cuda_oom): "
                                        "out of\\x1bmemory; --retry-failed tries it again\n"),
            std::string::npos)
      << explain_text(plan, {});
  EXPECT_EQ(cost_of_run(plan).stages, 7u);
}

TEST(Inputs, AreTheLocalFilesWhoseContentDecides) {
  Planned planned = four();
  planned.kind("build").files = {"library.py"};
  planned.kind("build").copy = {{.from = "tokens.txt", .to = "tokens.txt", .where = {}}};
  planned.facts.runner_files["library.py"] = planned.facts.runner_files["tokens.txt"] = "x";
  for (matrix::Point& point : planned.expansion.points) {
    point.model_source = "local:/data/qwen2";
    point.dataset_source = "local:/data/prompts.jsonl";
  }
  planned.kind("bench").argv.emplace_back("{dataset.source}");
  const Plan plan = planned.plan();
  auto inputs = [&](const char* name) { return stage_named(plan, name).inputs; };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(inputs("environment"), (Paths{"/project/runners/toy/make.py", "/usr/bin/python3"}));
  EXPECT_EQ(inputs("download"), Paths{"/data/qwen2"});
  EXPECT_EQ(inputs("build"),
            (Paths{"/project/runners/toy/library.py", "/project/runners/toy/tokens.txt"}));
  EXPECT_EQ(inputs("repository"), Paths{"/project/templates/c.pbtxt"});
  EXPECT_EQ(inputs("serve"), Paths{});
  EXPECT_EQ(inputs("bench"), Paths{"/data/prompts.jsonl"});
}

TEST(Inputs, OfWhatIsProvidedAreWhereItStands) {
  Planned planned = four();
  matrix::Provision& build = planned.matrix.provide.emplace_back();
  build.stage = "build";
  build.path = "/data/engine";
  for (matrix::Point& point : planned.expansion.points) point.provided = {0};
  const Plan plan = planned.plan();
  EXPECT_EQ(stage_named(plan, "build").inputs, std::vector<std::string>{"/data/engine"});
}

TEST(Inputs, AreNotPlacesThatAreNoneOfThisMachine) {
  Planned planned = four();
  for (matrix::Point& point : planned.expansion.points) point.model_source = "hf:Qwen/Qwen2-0.5B";
  EXPECT_EQ(stage_named(planned.plan(), "download").inputs, std::vector<std::string>{});
}

}  // namespace
}  // namespace orch::plan
