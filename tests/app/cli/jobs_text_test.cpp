#include "app/cli/planning/plan_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::cli {
namespace jobs_text_test {

using plan::Stage;
using runner::Kind;

Stage stage(const std::string& name, Kind kind, plan::Share share, double seconds) {
  Stage made;
  made.id = name + "-1";
  made.spec.name = name;
  made.spec.kind = kind;
  made.spec.argv = {"/bin/x"};
  made.spec.timeout_s = 3600;
  made.status = plan::Status::run;
  made.share = std::make_shared<const plan::Share>(std::move(share));
  if (seconds > 0) made.estimate.seconds = seconds;
  return made;
}

// Two conversions, a server with two measurements, and a task that was made.
plan::Plan plan_of(double measurement_s) {
  plan::Plan plan;
  plan.isolation = matrix::Isolation::gpu;
  plan.stages = {stage("convert", Kind::task, {.memory_gib = 78.2, .tokens = {}, .cpus = 8}, 600),
                 stage("convert", Kind::task, {.memory_gib = 210, .tokens = {}, .cpus = 8}, 600),
                 stage("done", Kind::task, {.tokens = {}, .cpus = 8}, 0),
                 stage("serve", Kind::service, {.memory_gib = 20, .tokens = {}, .cpus = 6}, 60)};
  plan.stages[2].status = plan::Status::reuse;
  plan.stages[3].gpus = 2;
  for (int i = 0; i < 2; ++i) {
    Stage bench =
        stage("bench", Kind::measure, {.memory_gib = 1, .tokens = {}, .cpus = 2}, measurement_s);
    bench.needs["serve"] = "serve-1";
    plan.stages.push_back(bench);
  }
  return plan;
}

TEST(JobsText, HasALineForEachStageThatBecomesJobs) {
  EXPECT_EQ(jobs_text(plan_of(60), {.server_s = 7200}),
            "\n"
            "jobs of  jobs  GPUs  CPUs  GiB of memory  minutes\n"
            "convert     2     0     8  79 to 210           62\n"
            "serve       1     2     8  21                 120\n");
  EXPECT_EQ(jobs_text({}, {}), "");
}

TEST(JobsText, NamesWhatANodeAndWhatTheClusterDecides) {
  plan::Plan plan = plan_of(60);
  plan.isolation = matrix::Isolation::strict;
  plan.stages.erase(plan.stages.begin());
  EXPECT_EQ(jobs_text(plan, {.server_s = 7200, .requests = {{"convert", {.cpus = 0}}}}),
            "\n"
            "jobs of  jobs  GPUs  CPUs        GiB of memory  minutes\n"
            "convert     1     0  default     210                 62\n"
            "serve       1     2  the node's  the node's         120\n");
}

TEST(JobsText, SaysWhichJobsTheirTimeLimitEndsTooEarly) {
  plan::Plan plan = plan_of(3600);
  EXPECT_THAT(jobs_text(plan, {.server_s = 7200}), testing::Not(testing::HasSubstr("warning")))
      << "of servers the summary tells it";
  plan.stages[0].estimate.seconds = 4000;
  plan.stages[1].estimate.seconds = 5000;
  EXPECT_THAT(
      jobs_text(plan, {.server_s = 9000}),
      testing::EndsWith("warning: convert-1 (and 1 more like it) takes about 1 h 23 min, but "
                        "its job ends after 1 h 00 min; raise timeout_s of the stage\n"));
}

}  // namespace jobs_text_test
}  // namespace orch::cli
