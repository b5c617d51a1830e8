// The time that is left, from the first time it is shown on, beside the time that a run then takes.
#include "run/schedule/run_state.hpp"
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace run_progress_test {

class Watch final : public Observer {
 public:
  explicit Watch(fakes::FakeClock& clock) : clock_(clock) {}
  void on_event(const Event&) override {}
  void on_tick(const Progress& progress) override {
    if (progress.left_s >= 0) left_at[clock_.time_s] = progress.left_s;
  }
  std::map<double, double> left_at;  // what was shown, by time

 private:
  fakes::FakeClock& clock_;
};

struct Shown {
  double first_s = -1;   // the first time that was shown to be left
  double actual_s = -1;  // the time that was left then
};

// A run of eight measurements, of which each program takes its SECONDS.
Shown first_shown(const std::map<std::string, double>& seconds, Sweep& run) {
  for (const char* precision : {"f16", "q8"})
    for (const char* batch : {"4", "8"})
      for (const char* isl : {"32", "128"}) run.points.push_back(point(precision, batch, isl));
  for (const auto& [program, lasts_s] : seconds) run.set_duration(program, lasts_s);
  run.plan = run.plan_now();
  attempt::Workspace workspace = run.make_workspace();
  Tools tools = run.tools(workspace);
  Watch watch(run.clock);
  tools.observers = {&watch};
  EXPECT_TRUE(run_plan(run.plan, std::move(tools), run.options, run.adopted));
  if (watch.left_at.empty()) return {};
  const auto [at_s, left_s] = *watch.left_at.begin();
  return {.first_s = left_s, .actual_s = run.clock.time_s - at_s};
}

void expect_within_a_factor_of_two(const Shown& shown) {
  EXPECT_GT(shown.first_s, shown.actual_s / 2) << shown.actual_s;
  EXPECT_LT(shown.first_s, shown.actual_s * 2) << shown.actual_s;
}

const std::map<std::string, double> k_seconds = {
    {"download", 100}, {"build", 60}, {"prompts", 30}, {"bench", 20}};

TEST(TimeLeft, WithTimesOfEarlierRunsIsRightFromTheBeginning) {
  Sweep run;
  run.options.expected_s = k_seconds;
  run.options.expected_s["serve"] = 1;
  const Shown shown = first_shown(k_seconds, run);
  expect_within_a_factor_of_two(shown);
  EXPECT_GT(shown.actual_s, 300) << "it is shown from the beginning";
}

TEST(TimeLeft, IsNotShownWhileAKindOfStageIsUnknown) {
  Sweep run;
  const Shown shown = first_shown(k_seconds, run);
  expect_within_a_factor_of_two(shown);
  EXPECT_LT(shown.actual_s, 150) << "a measurement has ended";
}

TEST(TimeLeft, CorrectsEstimatesOfTheRunnerByTheStagesThatEnded) {
  Sweep run;
  run.options.expected_s = k_seconds;
  run.options.expected_s["serve"] = 1;
  run.change_plan = [](plan::Plan& made) {
    for (plan::Stage& stage : made.stages)
      if (stage.spec.name == "bench") stage.estimate.seconds = 25;
  };
  expect_within_a_factor_of_two(first_shown(k_seconds, run));
  Expectations expectations({});
  expectations.learn("bench", 50, 10);
  EXPECT_EQ(expectations.corrected("bench", 4), 20);
  EXPECT_EQ(expectations.corrected("bench", -1), 50);
  EXPECT_LT(expectations.corrected("build", -1), 0) << "others say nothing about it";
}

}  // namespace run_progress_test
}  // namespace orch::schedule
