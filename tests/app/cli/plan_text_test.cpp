#include "app/cli/planning/plan_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::cli {
namespace plan_text_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A build on four GPUs for an hour, its server, and two measurements of half an hour; one point is
// undecided.
plan::Plan hours() {
  plan::Plan plan;
  auto add = [&](const std::string& name, runner::Kind kind, double seconds, double gpus,
                 std::vector<std::size_t> points) {
    plan::Stage stage;
    stage.id = name + "-" + std::to_string(plan.stages.size());
    stage.spec.name = name.substr(0, 5);
    stage.spec.kind = kind;
    stage.gpus = gpus;
    stage.estimate.seconds = seconds;
    if (kind == runner::Kind::task) stage.estimate.bytes = 3ull << 30;
    stage.points = std::move(points);
    if (!plan.stages.empty())
      stage.needs[plan.stages[kind == runner::Kind::measure ? 1 : 0].spec.name] =
          plan.stages[kind == runner::Kind::measure ? 1 : 0].id;
    plan.stages.push_back(stage);
    return stage.id;
  };
  const auto build = add("build", runner::Kind::task, 3600, 4, {0, 1});
  const auto serve = add("serve", runner::Kind::service, 0, 4, {0, 1});
  for (const std::size_t point : {0, 1}) {
    plan::PlannedPoint planned;
    planned.point.name = "p" + std::to_string(point);
    planned.why = "3 of 3 stages to do";
    planned.stages = {build, serve, add("bench", runner::Kind::measure, 1800, 0, {point})};
    plan.points.push_back(planned);
  }
  return plan;
}

std::string text_of(const plan::Plan& plan, const session::Prices& prices,
                    std::uint64_t free_bytes = 100ull << 30, std::size_t left_out = 0) {
  matrix::Expansion expansion;
  expansion.left_out = left_out;
  return plan_text(
      plan,
      {.expansion = expansion, .prices = prices, .store = "results", .free_bytes = free_bytes});
}

TEST(PlanText, PointsThatWaitForFactsAreOneLinePerModel) {
  plan::Plan plan = hours();
  for (plan::PlannedPoint& point : plan.points) {
    point.status = plan::Status::undecided;
    point.point.model = "big";
    point.why = "rule 'heads' and 33 more wait for 7 facts of big";
    point.point.waiting = std::vector<matrix::Point::Waiting>{{"rule 'heads'", "model_heads"},
                                                              {"rule 'kv'", "model_kv_heads"}};
  }
  const std::string text = text_of(plan, {});
  EXPECT_EQ(text.find("undecided: 2 points of big until the facts of this model are known: heads, "
                      "kv_heads. `run` reads them after the download."),
            0u)
      << text;
  EXPECT_THAT(text, HasSubstr("`orchestrate facts CONFIG.json`"));
  EXPECT_THAT(text, Not(HasSubstr("33 more")));
}

TEST(PlanText, ComparesThePlanWithALoopOverThePoints) {
  const std::string text =
      text_of(hours(), {.gpu_hour = 2.5, .machine_hour = 1.0, .currency = "EUR"});
  EXPECT_THAT(text,
              HasSubstr("2 points: 2 run\n4 stages to run; a loop over the points would run 6\n"));
  EXPECT_THAT(text, HasSubstr("Time:  about 2 h 00 min, one stage after the other; a loop over the "
                              "points: about 3 h 00 min\n"));
  EXPECT_THAT(text, HasSubstr("Disk:  3.0 GiB to be written, 100.0 GiB free at results"));
  EXPECT_THAT(text,
              HasSubstr("GPUs:  8.00 GPU-hours\n"));  // 4 for the build's hour, 4 for the server's
  EXPECT_THAT(text, HasSubstr("Cost:  22.00 EUR at 2.5 a GPU-hour, 1 a machine-hour\n"));
}

TEST(PlanText, WarnsWhenTheDiskIsTooSmall) {
  EXPECT_THAT(text_of(hours(), {}, 1ull << 30),
              HasSubstr("warning: there is not enough free space; free some, name another "
                        "folder with --store"));
}

TEST(PlanText, PrintsNoCostWithoutPrices) {
  EXPECT_THAT(text_of(hours(), {}), Not(HasSubstr("Cost")));
}

TEST(PlanText, CountsStagesWithoutAnEstimate) {
  plan::Plan plan = hours();
  plan.stages[0].estimate = {};
  EXPECT_THAT(text_of(plan, {}),
              HasSubstr("Time:  at least 1 h 00 min; 1 of 4 stages have no time from earlier "
                        "attempts\n"));
  EXPECT_THAT(text_of(plan, {.gpu_hour = 1, .machine_hour = {}, .currency = ""}),
              AllOf(HasSubstr("GPU-hours, without 1 stage that has no estimate\n"),
                    HasSubstr("Cost:  at least "),
                    HasSubstr(" a GPU-hour, without 1 stage that has no estimate\n")));
  for (plan::Stage& stage : plan.stages) stage.estimate = {};
  EXPECT_THAT(text_of(plan, {}), HasSubstr("Time:  unknown before the first run\n"));
}

// Bound and expectation stand apart, and only what the manifest expects is a range.
TEST(PlanText, ShowsWhatIsExpectedBesideTheBound) {
  plan::Plan plan = hours();
  for (std::size_t bench : {2, 3}) {
    plan.stages[bench].estimate.least_seconds = 1200;
    plan.stages[bench].estimate.from_seconds = 1500;
    plan.stages[bench].estimate.to_seconds = 2400;
  }
  const std::string text = text_of(plan, {.gpu_hour = 2, .machine_hour = {}, .currency = ""});
  EXPECT_THAT(text, HasSubstr("undecided  in a loop  at least     expected\n"));
  EXPECT_THAT(text, HasSubstr("about 1 h 00 min\n"));  // the build, which was measured
  EXPECT_THAT(text, HasSubstr("40 min 00 s  50 min 00 s to 1 h 20 min\n"));
  EXPECT_THAT(text, HasSubstr("Time:  at least 40 min 00 s, expected 1 h 50 min to 2 h 20 min one "
                              "stage after the other\n"));
  EXPECT_THAT(text, HasSubstr("GPUs:  expected 7.33 to 9.33 GPU-hours\n"));
  EXPECT_THAT(text, HasSubstr("Cost:  expected 14.67 to 18.67 at 2 a GPU-hour\n"));
}

TEST(PlanText, SaysOnceThatStagesWithoutAnIdentityCountAsRun) {
  plan::Plan plan = hours();
  EXPECT_THAT(text_of(plan, {}), Not(HasSubstr("note: ")));
  for (const std::size_t stage : {0, 2}) plan.stages[stage].unknown = {"hf:O/N@main"};
  EXPECT_THAT(text_of(plan, {}),
              HasSubstr("run 6\nnote: 2 stages wait for identities that only "
                        "`run` looks up and count as run; `run` reuses those that "
                        "the store has\n"));
}

TEST(PlanText, OfManyPointsGroupsThemUnlessAllAreWanted) {
  plan::Plan plan = hours();
  while (plan.points.size() <= k_points_listed) plan.points.push_back(plan.points.back());
  EXPECT_THAT(text_of(plan, {}), HasSubstr("points  status  why\n    41  run"));
  EXPECT_THAT(text_of(plan, {}), Not(HasSubstr("p1 ")));
  matrix::Expansion expansion;
  session::Prices prices;
  EXPECT_THAT(plan_text(plan, {.expansion = expansion,
                               .prices = prices,
                               .store = "r",
                               .free_bytes = {},
                               .in_full = true}),
              HasSubstr("\np1     run     3 of 3 stages to do\n"));
}

TEST(PlanText, CountsStagesThatFailedBefore) {
  plan::Plan plan = hours();
  EXPECT_THAT(text_of(plan, {}),
              HasSubstr("stage  stages  run  reuse  idle  reject  undecided  in a loop\n"));
  plan.points[1].status = plan.stages[3].status = plan::Status::failed;
  plan.points[1].why = "bench-3 failed in run 3 (crashed)";
  EXPECT_THAT(text_of(plan, {}), HasSubstr("p1     failed  bench-3 failed in run 3 (crashed)\n"));
  EXPECT_THAT(text_of(plan, {}),
              HasSubstr("stage  stages  run  reuse  idle  reject  undecided  failed  in a loop\n"
                        "build       1    1      0     0       0          0       0          1\n"));
  EXPECT_THAT(text_of(plan, {}), HasSubstr("2 points: 1 run, 1 failed\n3 stages to run"));
}

TEST(PlanText, ExplainsUndecidedPointsAndCountsThoseLeftOut) {
  plan::Plan plan = hours();
  plan.excluded = 3;
  plan.points[1].status = plan::Status::undecided;
  plan.points[1].point.waiting = {{"rule 'heads'", "model_heads"}};
  const std::string text = text_of(plan, {}, 100ull << 30, 5);
  EXPECT_THAT(
      text,
      HasSubstr("2 points: 1 run, 1 undecided; 3 excluded by the matrix; 5 left out by --where\n"));
  EXPECT_THAT(text, HasSubstr("Undecided: `orchestrate run` determines the missing facts first"));
  plan.points[1].point.waiting = {{"rule 'gpus'", "host_gpus"}};
  EXPECT_THAT(text_of(plan, {}), Not(HasSubstr("Undecided:")));
}

// Below the counts, beside each other.
TEST(PlanText, WhatDiffersBetweenRunnersIsATable) {
  plan::Plan plan = hours();
  matrix::Expansion expansion;
  session::Prices prices;
  PlanSurroundings around{.expansion = expansion, .prices = prices, .store = "r", .free_bytes = {}};
  around.comparison = {
      .groups = 3,
      .by = {"isl", "load"},
      .equal = {"decoding"},
      .differences = {{.parameter = "weights",
                       .values = {{"FP16"}, {"", "INT8"}},
                       .groups = 2,
                       .is_compared = true},
                      {.parameter = "threads", .values = {{"1"}, {}}, .groups = 3}}};
  EXPECT_THAT(plan_text(plan, around), Not(HasSubstr("not equal")));  // one runner
  plan.runners = {"slow", "fast"};
  EXPECT_THAT(plan_text(plan, around), HasSubstr("\nBetween the runners, at equal isl, load:\n"
                                                 "not equal  slow  fast        comparisons\n"
                                                 "weights    FP16  none, INT8  2 of 3\n"
                                                 "equal: decoding\n"
                                                 "1 other parameter of both differs (--points "
                                                 "lists it): threads\n"));
  around.in_full = true;
  EXPECT_THAT(plan_text(plan, around), HasSubstr("weights    FP16  none, INT8  2 of 3\n"
                                                 "threads    1     -           3 of 3\n"
                                                 "equal: decoding\n"));
  around.comparison = {.groups = 0, .by = {"isl"}, .equal = {}, .differences = {}};
  EXPECT_THAT(plan_text(plan, around),
              HasSubstr("No point of one runner has a counterpart of another with the same isl\n"));
}

}  // namespace plan_text_test
}  // namespace orch::cli
