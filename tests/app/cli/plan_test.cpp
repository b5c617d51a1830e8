#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "fakes/temp_folder.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace orch::cli {
namespace plan_test {

constexpr const char* k_runner = R"(runner: own
parameters:
  tp: {type: integer, default: 1, help: ranks}
  num_prompts: {type: integer, default: 50}
rules: [{name: big, require: tp <= host_gpus, because: "{tp} ranks, {host_gpus} GPUs"}]
stages:
  serve:
    kind: service
    reads: [tp]
    argv: [/bin/server, "{port:http}"]
    ports: [http]
    ready: {port: http, get: [/], timeout_s: 90}
  measure:
    kind: measure
    needs: [serve]
    reads: [num_prompts]
    argv: ["{orchestrate}", "{port:serve.http}", "{out}"]
    outputs: [measurement.json]
)";

class PlanForSlurm : public testing::Test {
 protected:
  PlanForSlurm() {
    std::filesystem::create_directories(folder.file("runners/own"));
    std::ofstream(folder.file("runners/own/runner.yaml")) << k_runner;
    std::ofstream(folder.file("matrix.yaml")) << "name: m\nrunner: own\naxes: {tp: [1, 2]}\n";
    std::ofstream(folder.file("site.yaml")) << "{}\n";
  }
  CommandResult plan(const std::string& machine, const std::vector<std::string>& script) {
    std::ofstream(folder.file("machine.yaml")) << machine << "\n";
    std::vector<std::string> words = {
        "plan",    folder.file("matrix.yaml"), "--runners", folder.file("runners"),
        "--site",  folder.file("site.yaml"),   "--machine", folder.file("machine.yaml"),
        "--store", folder.file("results")};
    words.insert(words.end(), script.begin(), script.end());
    return run_command(add_plan, words);
  }
  CommandResult plan(const std::string& machine) {
    return plan(machine, {"--executor", "slurm", "--script", folder.file("jobs")});
  }

  fakes::TempFolder folder;
};

TEST_F(PlanForSlurm, WithoutADecidedPointHasNoJobs) {
  const CommandResult planned = plan("{cpus: 3}");
  EXPECT_EQ(planned.exit_code, 2);
  EXPECT_EQ(planned.out, "");
  EXPECT_THAT(planned.err, testing::HasSubstr("no jobs: 2 of 2 points are undecided"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("jobs")));
}

TEST_F(PlanForSlurm, WhosePointsAreRejectedHasNoJobs) {
  EXPECT_THAT(plan("{gpus: 0}").err, testing::HasSubstr("no jobs: 2 points: 2 reject"));
}

TEST_F(PlanForSlurm, AScriptOfNoPointIsAnErrorOnAnyExecutor) {
  for (const auto& script :
       std::vector<std::vector<std::string>>{{"--script"}, {"--executor", "slurm", "--script"}}) {
    const CommandResult undecided = plan("{cpus: 3}", script), rejected = plan("{gpus: 0}", script);
    EXPECT_EQ(undecided.exit_code, 2);
    EXPECT_EQ(undecided.out, "");
    EXPECT_THAT(undecided.err, testing::HasSubstr("no script: 2 of 2 points are undecided"));
    EXPECT_EQ(rejected.exit_code, 2);
    EXPECT_THAT(rejected.err, testing::HasSubstr("no script: 2 points: 2 reject"));
    EXPECT_EQ(plan("{gpus: 1, gpu_model: X}", script).exit_code, 0);
  }
}

TEST_F(PlanForSlurm, WithAPointThatCanRunWritesItsFiles) {
  const CommandResult planned = plan("{gpus: 1, gpu_model: X}");
  EXPECT_EQ(planned.exit_code, 0) << planned.err;
  EXPECT_THAT(planned.out, testing::EndsWith("submits the jobs\n"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("jobs/submit.sh")));
}

TEST_F(PlanForSlurm, CheckNamesTheRequestsThatAPercentileNeeds) {
  EXPECT_THAT(
      run_command(add_check, {"check", folder.file("matrix.yaml"), "--runners",
                              folder.file("runners"), "--site", folder.file("site.yaml")})
          .err,
      testing::HasSubstr("50 requests per measurement (num_prompts) give no upper limit for "
                         "p95 (needs 72), p99 (needs 368), p99.9 (needs 3688)\n"));
}

}  // namespace plan_test
}  // namespace orch::cli
