// What `plan --executor slurm` says of times that it cannot know.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "fakes/temp_folder.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace orch::cli {
namespace plan_on_cluster_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_runner = R"(runner: own
stages:
  serve:
    kind: service
    argv: [/bin/server, "{port:http}"]
    ports: [http]
    resources: {gpus: 1}
    ready: {port: http, get: [/], timeout_s: 90}
  measure:
    kind: measure
    needs: [serve]
    argv: ["{orchestrate}", "{port:serve.http}", "{out}"]
    outputs: [measurement.json]
)";
constexpr const char* k_behind =
    "; Slurm decides how many stages run at once, and how long they are queued\n";

class PlanOnCluster : public testing::Test {
 protected:
  PlanOnCluster() {
    std::filesystem::create_directories(folder.file("runners/own"));
    write("runners/own/runner.yaml", k_runner);
    write("matrix.yaml", "name: m\nrunner: own\n");
    write("site.yaml", "{}\n");
    write("times.yaml", "{serve: 60, measure: 600}\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name)) << text;
  }
  std::string plan(const std::string& machine, const std::vector<std::string>& words) const {
    write("machine.yaml", machine + "\n");
    std::vector<std::string> all = {
        "plan",    folder.file("matrix.yaml"), "--runners", folder.file("runners"),
        "--site",  folder.file("site.yaml"),   "--machine", folder.file("machine.yaml"),
        "--store", folder.file("results")};
    all.insert(all.end(), words.begin(), words.end());
    const CommandResult planned = run_command(add_plan, all);
    EXPECT_EQ(planned.exit_code, 0) << planned.err;
    return planned.out;
  }
  std::string times() const { return folder.file("times.yaml"); }

  fakes::TempFolder folder;
};

TEST_F(PlanOnCluster, SaysThatItsTimeIsThatOfOneNode) {
  const std::string machine = "{gpus: 8, gpu_model: X}";
  const std::string note = std::string("note: this is the time on one node") + k_behind;
  EXPECT_THAT(plan(machine, {"--executor", "slurm", "--times", times()}), HasSubstr(note));
  EXPECT_THAT(plan(machine, {"--executor", "slurm", "--times", times(), "--schedule"}),
              EndsWith(note));
  EXPECT_THAT(plan(machine, {"--times", times()}), Not(HasSubstr("Slurm")));
  EXPECT_THAT(plan(machine, {"--times", times(), "--schedule"}), Not(HasSubstr("Slurm")));
}

TEST_F(PlanOnCluster, SaysThatItsTimeIsThatOfOneMachineWithTheGpusOfAllNodes) {
  EXPECT_THAT(plan("{nodes: 2, gpus: 8, gpu_model: X}",
                   {"--executor", "slurm", "--times", times(), "--schedule"}),
              testing::AllOf(HasSubstr(" on 16 GPUs, "),
                             EndsWith(std::string("note: this is the time on one machine with the "
                                                  "GPUs of 2 nodes") +
                                      k_behind)));
}

TEST_F(PlanOnCluster, SaysNothingOfATimeThatIsNotKnown) {
  EXPECT_THAT(plan("{gpus: 8, gpu_model: X}", {"--executor", "slurm"}),
              testing::AllOf(HasSubstr("Time:  unknown before the first run\n"),
                             Not(HasSubstr("Slurm decides"))));
}

}  // namespace plan_on_cluster_test
}  // namespace orch::cli
