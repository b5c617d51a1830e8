// Measurements beside others and measurements made alone: which answer which matrix, which points
// are checked, and in which order stages that work side by side start.
#include "plan/graph/toy.hpp"

namespace orch::plan {
namespace isolation_test {

using fakes::PlanBuilder;

using matrix::Isolation;

PlanBuilder builder_with(Isolation isolation, std::int64_t checks = 0) {
  PlanBuilder builder = toy::toy_builder();
  builder.matrix.measure.isolation = isolation;
  builder.matrix.measure.check_isolation = checks;
  return builder;
}

// What the store holds after a run of PLAN.
void hold_all(Done& done, const Plan& plan) {
  for (const Stage& stage : plan.stages)
    if (stage.spec.kind != runner::Kind::service) done.made[stage.digest] = fakes::made_by(1);
}

std::size_t count_to_run(const Plan& plan, const std::string& name) {
  return static_cast<std::size_t>(std::count_if(
      plan.stages.begin(), plan.stages.end(),
      [&](const Stage& stage) { return stage.spec.name == name && stage.status == Status::run; }));
}

TEST(Isolation, IsStrictOnAMachineWithoutGpusAndGpuOnOneWithThem) {
  PlanBuilder builder = toy::toy_builder();
  builder.facts.gpu = "H100";
  EXPECT_EQ(builder.plan().isolation, Isolation::gpu);
  builder.facts.gpu.reset();
  EXPECT_EQ(builder.plan().isolation, Isolation::strict);
}

TEST(Isolation, AMeasurementBesideOthersNeverAnswersAStricterMatrix) {
  PlanBuilder weak = builder_with(Isolation::none), strict = builder_with(Isolation::strict);
  hold_all(strict.done, weak.plan());
  EXPECT_EQ(count_to_run(strict.plan(), "bench"), 4u);
  PlanBuilder gpu = builder_with(Isolation::gpu);
  hold_all(gpu.done, weak.plan());
  EXPECT_EQ(count_to_run(gpu.plan(), "bench"), 4u);
}

TEST(GpuClock, IsInTheDigestsOfMeasurementsAlone) {
  PlanBuilder free = builder_with(Isolation::strict), locked = builder_with(Isolation::strict);
  hold_all(locked.done, free.plan());
  locked.matrix.measure.gpu_clock_mhz = 1410;
  EXPECT_EQ(
      locked.plan_errors(),
      std::vector<std::string>{
          "'measure.gpu_clock_mhz' is 1410, but the stage 'serve' holds no GPU whose clock could "
          "be locked; remove the key, or state in runner.yaml how many GPUs the stage holds"});
  locked.errors.clear();
  locked.kind("serve").gpus = locked.add_question("gpus of serve", "1", {1, 1, 1, 1});
  const Plan plan = locked.plan();
  EXPECT_EQ(plan.gpu_clock_mhz, 1410);
  EXPECT_EQ(count_to_run(plan, "bench"), 4u);
  EXPECT_EQ(count_to_run(plan, "build"), 0u);
}

TEST(Isolation, AMeasurementMadeAloneAnswersEveryMatrix) {
  PlanBuilder strict = builder_with(Isolation::strict);
  const Plan alone = strict.plan();
  for (const Isolation weaker : {Isolation::gpu, Isolation::none}) {
    PlanBuilder builder = builder_with(weaker);
    hold_all(builder.done, alone);
    EXPECT_EQ(count_to_run(builder.plan(), "bench"), 0u) << to_string(weaker);
  }
}

TEST(Isolation, WhatIsMeasuredAgainInPlaceOfOneMadeAloneIsMadeAlone) {
  PlanBuilder strict = builder_with(Isolation::strict), gpu = builder_with(Isolation::gpu);
  hold_all(gpu.done, strict.plan());
  gpu.options.refresh = {"driver"};
  gpu.done.provenance = {{"driver", "2"}};
  for (const Stage& stage : gpu.plan().stages) {
    if (stage.spec.kind != runner::Kind::measure) continue;
    EXPECT_EQ(stage.status, Status::run);
    EXPECT_TRUE(stage.alone);
  }
}

TEST(Isolation, ChecksMeasureSomePointsAloneAsWell) {
  const Plan plan = builder_with(Isolation::gpu, 2).plan();
  std::vector<std::size_t> checked;
  for (const Stage& stage : plan.stages) {
    if (!stage.is_check) continue;
    EXPECT_TRUE(stage.alone);
    EXPECT_EQ(stage.points.size(), 1u);
    checked.push_back(stage.points.front());
  }
  std::sort(checked.begin(), checked.end());
  EXPECT_EQ(checked, (std::vector<std::size_t>{1, 3})) << "spread over the four points";
  PlanBuilder strict = builder_with(Isolation::strict);
  for (const Stage& stage : plan.stages) {
    if (!stage.is_check) continue;
    const Plan alone = strict.plan();
    EXPECT_TRUE(std::any_of(alone.stages.begin(), alone.stages.end(), [&](const Stage& other) {
      return other.digest == stage.digest;
    })) << "it would answer a strict matrix";
  }
}

TEST(Isolation, NothingIsCheckedWhereEverythingIsMeasuredAloneOrWasAlready) {
  const auto checks = [](const Plan& plan) {
    return std::count_if(plan.stages.begin(), plan.stages.end(),
                         [](const Stage& stage) { return stage.is_check; });
  };
  EXPECT_EQ(checks(builder_with(Isolation::strict, 4).plan()), 0);
  PlanBuilder gpu = builder_with(Isolation::gpu, 4);
  hold_all(gpu.done, builder_with(Isolation::strict).plan());
  EXPECT_EQ(checks(gpu.plan()), 0);
  EXPECT_EQ(checks(builder_with(Isolation::gpu, 100).plan()), 4) << "each point once";
}

// Seconds by stage and precision; f16 is long, q8 is short.
PlanBuilder timed(Isolation isolation) {
  PlanBuilder builder = builder_with(isolation);
  for (const char* name : {"environment", "download", "repository", "serve"})
    builder.options.times.push_back({.stage = name, .parameters = {}, .seconds = 1});
  builder.options.times.push_back(
      {.stage = "build", .parameters = {{"precision", "f16"}}, .seconds = 50});
  builder.options.times.push_back({.stage = "build", .parameters = {}, .seconds = 5});
  builder.options.times.push_back(
      {.stage = "bench", .parameters = {{"precision", "q8"}, {"isl", "32"}}, .seconds = 2});
  builder.options.times.push_back({.stage = "bench", .parameters = {}, .seconds = 20});
  return builder;
}

TEST(Isolation, AssumedTimesAreThoseOfTheFirstEntryThatAgreesWithThePoint) {
  const Plan plan = timed(Isolation::gpu).plan();
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == "build") {
      EXPECT_EQ(stage.estimate.seconds, stage.parameters.at("precision").text == "f16" ? 50 : 5);
    }
}

TEST(Isolation, SideBySideTheCheapestPointStartsFirstAndThenTheLongestChain) {
  const auto labels = toy::labels(timed(Isolation::gpu).plan());
  const auto at = [&](const std::string& label) {
    return std::find(labels.begin(), labels.end(), label) - labels.begin();
  };
  EXPECT_LT(at("build q8"), at("build f16")) << "the canary";
  EXPECT_LT(at("bench 32"), at("build f16"));
  EXPECT_LT(at("build f16"), std::ssize(labels));
}

TEST(Isolation, EveryStageFollowsThoseThatItNeedsInEveryOrder) {
  for (const Isolation isolation : {Isolation::strict, Isolation::gpu, Isolation::none}) {
    std::set<StageId> seen;
    for (const Stage& stage : timed(isolation).plan().stages) {
      for (const auto& [name, id] : stage.needs) EXPECT_TRUE(seen.contains(id)) << stage.id;
      seen.insert(stage.id);
    }
  }
}

}  // namespace isolation_test
}  // namespace orch::plan
