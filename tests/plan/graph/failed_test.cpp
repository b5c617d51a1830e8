// An earlier system failure is a result: only --retry-failed tries its stage again.
#include "plan/graph/comparison.hpp"
#include "plan/graph/explanation/explain.hpp"
#include "toy.hpp"

#include <gtest/gtest.h>

namespace orch::plan {
namespace failed_test {

using fakes::PlanBuilder;
using namespace toy;

using Counts = std::map<std::string, std::string>;

void fail(PlanBuilder& builder, const Stage& stage, const std::string& message = "out of memory") {
  builder.done.failed[stage.digest] = {.run = 3, .failure_class = "cuda_oom", .message = message};
}

TEST(FailedBefore, ABuildFailsOnlyThePointsThatNeedIt) {
  PlanBuilder builder = toy_builder();
  const Stage build = stage_named(builder.plan(), "build");
  fail(builder, build);
  const Plan plan = builder.plan();
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

TEST(FailedBefore, IsTriedAgainWithRetryFailed) {
  PlanBuilder builder = toy_builder();
  const Plan before = builder.plan();
  fail(builder, stage_named(before, "build"));
  builder.options.retry_failed = true;
  const Plan plan = builder.plan();
  EXPECT_EQ(states(plan), states(before));
  EXPECT_EQ(plan.points[0].status, Status::run);
}

TEST(FailedBefore, AServerThatWasNeverReadyIsTriedAgainOnceItsProbeHasChanged) {
  PlanBuilder builder = toy_builder();
  const Stage serve = stage_named(builder.plan(), "serve");
  ASSERT_NE(probe_text(serve.spec), "");
  const auto status_after = [&](const std::string& failure_class, const std::string& probe) {
    builder.done.failed[serve.digest] = {
        .run = 3, .failure_class = failure_class, .message = "GET / answered 404", .probe = probe};
    return stage_named(builder.plan(), "serve").status;
  };
  EXPECT_EQ(status_after("not_ready", "{\"port\":\"http\",\"get\":[\"/old\"]}"), Status::run);
  EXPECT_EQ(status_after("not_ready", probe_text(serve.spec)), Status::failed);
  EXPECT_EQ(status_after("not_ready", ""), Status::failed) << "an older store has no probe";
  EXPECT_EQ(status_after("cuda_oom", "{}"), Status::failed) << "the probe did not decide that";
}

TEST(FailedBefore, AMeasurementDoesNotFailOthersOfItsServer) {
  PlanBuilder builder = toy_builder();
  const Plan before = builder.plan();
  fail(builder, stage_named(before, "bench"), "");
  Plan plan = builder.plan();
  EXPECT_EQ(counts(plan).at("bench"), "1 failed, 3 run");
  EXPECT_EQ(counts(plan).at("serve"), "2 run");
  EXPECT_EQ(stage_named(plan, "bench").why,
            "failed in run 3 (cuda_oom); --retry-failed tries it again");
  // No other measurement needs its server, so the server is not started.
  builder.make_all(before);
  builder.done.made.erase(stage_named(before, "bench").digest);
  plan = builder.plan();
  EXPECT_EQ(counts(plan), (Counts{{"environment", "1 reuse"},
                                  {"download", "1 reuse"},
                                  {"build", "2 reuse"},
                                  {"repository", "2 reuse"},
                                  {"serve", "2 idle"},
                                  {"bench", "1 failed, 3 reuse"}}));
}

TEST(FailedBefore, AStageThatNothingNeedsDoesNotCount) {
  PlanBuilder builder = toy_builder();
  const Plan before = builder.plan();
  builder.make_all(before);
  builder.done.made.erase(stage_named(before, "build").digest);
  fail(builder, stage_named(before, "build"));
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_named(plan, "build").status, Status::idle);
  for (const PlannedPoint& point : plan.points) EXPECT_EQ(point.status, Status::reuse);
}

TEST(FailedBefore, AFailureAfterUntilIsIgnored) {
  PlanBuilder builder = toy_builder();
  builder.options.until = "build";
  for (const Stage& stage : builder.plan().stages)
    if (stage.spec.name == "bench" || stage.spec.name == "serve") fail(builder, stage);
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan).at("build"), "2 run");
  EXPECT_EQ(counts(plan).at("bench"), "4 idle");
  EXPECT_EQ(plan.points[0].status, Status::run);
}

TEST(FailedBefore, AFailureBeforeUntilFailsThePoint) {
  PlanBuilder builder = toy_builder();
  builder.options.until = "build";
  fail(builder, stage_named(builder.plan(), "build"));
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan).at("build"), "1 failed, 1 run");
  EXPECT_EQ(counts(plan).at("bench"), "4 idle");
  EXPECT_EQ(plan.points[0].status, Status::failed);
  EXPECT_EQ(plan.points[3].status, Status::run);
}

TEST(FailedBefore, OneOfSeveralRepeatsDoesNotFailThePoint) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.repeats = 2;
  builder.kind("bench").argv.emplace_back("{repeat}");
  fail(builder, stage_named(builder.plan(), "bench"));
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[0].status, Status::run);
}

TEST(FailedBefore, IsShownAndCounted) {
  PlanBuilder builder = toy_builder();
  const Stage build = stage_named(builder.plan(), "build");
  fail(builder, build, "out of\x1bmemory");
  const Plan plan = builder.plan();
  EXPECT_NE(to_json(plan).find("\"status\": \"failed\""), std::string::npos);
  EXPECT_NE(explain_text(plan, {}).find(build.id +
                                        " (precision=f16): failed\n  failed in run 3 (cuda_oom): "
                                        "out of\\x1bmemory; --retry-failed tries it again\n"),
            std::string::npos)
      << explain_text(plan, {});
}

TEST(Inputs, AreTheLocalFilesThatEnterTheDigest) {
  PlanBuilder builder = toy_builder();
  builder.kind("build").files = {"library.py"};
  builder.kind("build").copy = {{.from = "tokens.txt", .to = "tokens.txt", .where = {}}};
  builder.facts.runner_files["library.py"] = builder.facts.runner_files["tokens.txt"] = "x";
  for (matrix::Point& point : builder.expansion.points) {
    point.model_source = "local:/data/qwen2";
    point.dataset_source = "local:/data/prompts.jsonl";
  }
  builder.kind("bench").argv.emplace_back("{dataset.source}");
  const Plan plan = builder.plan();
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

TEST(Inputs, OfAProvidedStageAreItsPath) {
  PlanBuilder builder = toy_builder();
  matrix::Provision& build = builder.matrix.provide.emplace_back();
  build.stage = "build";
  build.path = "/data/engine";
  for (matrix::Point& point : builder.expansion.points) point.provided = {0};
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_named(plan, "build").inputs, std::vector<std::string>{"/data/engine"});
}

TEST(Inputs, ExcludeRemoteSources) {
  PlanBuilder builder = toy_builder();
  for (matrix::Point& point : builder.expansion.points) point.model_source = "hf:Qwen/Qwen2-0.5B";
  EXPECT_EQ(stage_named(builder.plan(), "download").inputs, std::vector<std::string>{});
}

}  // namespace failed_test
}  // namespace orch::plan
