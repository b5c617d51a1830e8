#include "app/cli/planning/plan_text.hpp"
#include "plan/graph/toy.hpp"

#include <gmock/gmock.h>

namespace orch::cli {
namespace plan_summary_test {

using namespace plan::toy;
using testing::HasSubstr;
using testing::Not;

TEST(GroupedPoints, AreALinePerStatusAndReason) {
  plan::Plan plan;
  const auto add = [&](std::size_t count, plan::Status status, const std::string& why,
                       const std::string& rule = "") {
    for (std::size_t i = 0; i < count; ++i) {
      plan::PlannedPoint point;
      point.status = status;
      point.why = why.empty() ? fmt::format("{}: {} GiB", rule, i) : why;
      if (status == plan::Status::run) point.waits = "hf:m@main is not resolved yet";
      if (!rule.empty()) point.point.rejections = {{rule, ""}};
      plan.points.push_back(point);
    }
  };
  add(3, plan::Status::run, "13 of 13 stages to do; hf:m@main is not resolved yet");
  add(2, plan::Status::run, "1 of 13 stages to do; hf:m@main is not resolved yet");
  add(216, plan::Status::undecided, "waits for the digest of image x: `run` asks docker");
  add(7, plan::Status::reject, "", "memory");
  EXPECT_EQ(grouped_points_text(plan), R"(points  status     why
   216  undecided  waits for the digest of image x: `run` asks docker
     7  reject     memory: 0 GiB
     5  run        hf:m@main is not resolved yet
--points lists each point
)");
}

TEST(GroupedPoints, FillAScreenAndNoMore) {
  plan::Plan plan;
  for (int i = 0; i < 30; ++i) {
    plan::PlannedPoint point;
    point.status = plan::Status::undecided;
    point.why = fmt::format("waits for fact {}", i);
    plan.points.push_back(point);
  }
  EXPECT_THAT(grouped_points_text(plan), HasSubstr("10 points for other reasons\n"));
}

TEST(Range, IsOneNumberWhereItsEndsAreEqual) {
  EXPECT_EQ(range_text({.from = 60, .usual = 60, .to = 60}), "about 1 min 00 s");
  EXPECT_EQ(range_text({.from = 60, .usual = 90, .to = 120}), "1 min 00 s to 2 min 00 s");
}

// Two servers with two measurements of 37 minutes to an hour.
PlanBuilder long_measurements() {
  PlanBuilder builder = toy_builder();
  runner::StageKind& bench = builder.kind("bench");
  bench.timeout_s = 1;
  bench.seconds = {builder.add_question("seconds", "s", {2220, 2220, 2220, 2220})};
  bench.expected_seconds = {builder.add_question("from", "f", {2700, 2700, 2700, 2700}),
                            builder.add_question("to", "t", {3600, 3600, 3600, 3600})};
  return builder;
}

TEST(Notable, IsTheLongestMeasurementWithItsBoundAndWhatIsExpected) {
  PlanBuilder builder = long_measurements();
  const plan::Plan plan = builder.plan();
  EXPECT_THAT(notable_text(plan, {}, std::nullopt),
              HasSubstr(fmt::format("note: the longest measurement is {} of {}: at least 37 min 00 "
                                    "s, expected 45 min 00 s to 1 h 00 min\n",
                                    stage_named(plan, "bench").id, plan.points[0].point.name)));
  builder.make_all(plan);
  EXPECT_EQ(notable_text(builder.plan(), {}, std::nullopt), "");
}

TEST(Notable, AreServersThatOutlastTheLimitOfTheirJobs) {
  PlanBuilder builder = long_measurements();
  const plan::Plan plan = builder.plan();
  EXPECT_THAT(notable_text(plan, {}, 6000),
              HasSubstr(fmt::format(
                  "warning: 2 servers may reach the time limit of their jobs, 100 minutes, before "
                  "all measurements are done: {} of {} and its measurements take at least 1 h 14 "
                  "min, expected 1 h 30 min to 2 h 00 min. Set slurm: server_minutes of the site "
                  "file to 120 or more\n",
                  stage_named(plan, "serve").id, plan.points[0].point.name)));
  EXPECT_THAT(notable_text(plan, {}, 7200), Not(HasSubstr("warning")));
  EXPECT_THAT(notable_text(plan, {}, std::nullopt), Not(HasSubstr("warning")));
}

TEST(Notable, AreStagesThatAreEndedTooEarly) {
  PlanBuilder builder = long_measurements();
  builder.kind("build").timeout_s = 3600;
  builder.kind("build").expected_seconds = {
      builder.add_question("from", "f", {3000, 3000, 3000, 3000}),
      builder.add_question("to", "t", {7200, 7200, 7200, 7200})};
  const plan::Plan plan = builder.plan();
  EXPECT_THAT(
      notable_text(plan, {}, std::nullopt),
      HasSubstr(fmt::format("warning: 2 of the stages 'build' may time out: their limit is "
                            "1 h 00 min, but {} of {} is expected to take 50 min 00 s "
                            "to 2 h 00 min; give 'build' a longer timeout_s in the runner\n",
                            stage_named(plan, "build").id, plan.points[0].point.name)));
}

}  // namespace plan_summary_test
}  // namespace orch::cli
