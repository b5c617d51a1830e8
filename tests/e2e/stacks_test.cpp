// One matrix with two runners: the stage of their common part runs once, and their points stand in
// one table.
#include "e2e/toy.hpp"

#include <filesystem>

namespace orch::e2e {
namespace stacks_test {

// The toy in three files: `make` is a common part, and the other runner serves with threads.
void two_runners(Sweep& sweep, const std::string& matrix) {
  toy_project(sweep, "");
  const std::string toy = k_toy_runner;
  const std::size_t parameters = toy.find("parameters:"), serve = toy.find("  serve:");
  std::string common = toy.substr(parameters, serve - parameters), own = toy.substr(serve);
  common.replace(common.find("{file:make.py}"), 14, "{file:common/make.py}");
  std::string threaded = own;
  threaded.replace(threaded.find("reads: [flavour]"), 16, "reads: [flavour, threads]");
  threaded.replace(threaded.find("{file:serve.py}"), 15, "{file:fast.py}");
  std::filesystem::create_directories(sweep.folder() + "/runners/common");
  std::filesystem::create_directories(sweep.folder() + "/runners/fast");
  sweep.write("runners/common/made.yaml", common)
      .write("runners/common/make.py", k_toy_make)
      .write("runners/toy/runner.yaml", "runner: toy\nparts: [common/made.yaml, served.yaml]\n")
      .write("runners/toy/served.yaml", "stages:\n" + own)
      .write("runners/fast/fast.py", k_toy_serve)
      .write("runners/fast/runner.yaml",
             "runner: fast\nparts: [common/made.yaml, served.yaml]\nparameters:\n  threads: {type: "
             "integer, default: 1}\n")
      .write("runners/fast/served.yaml", "stages:\n" + threaded);
  sweep.write("toy.yaml",
              "name: toy\nrunner: toy\nmeasure: {limits: {wake_lag_ms: 1000, client_cpu_share: "
              "1000}}\n" +
                  matrix);
}

constexpr const char* k_stacks =
    "axes:\n  stack: [{runner: toy}, {runner: fast, threads: 2}]\n  concurrency: [1, 2]\n";

TEST(Stacks, TwoRunnersAreMeasuredInOneRunAndShareTheirCommonStage) {
  Sweep sweep;
  two_runners(sweep, k_stacks);
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results where runner = 'toy' and threads is null"),
            2);
  EXPECT_EQ(sweep.value("select count(*) from results where runner = 'fast' and threads = 2"), 2);
  EXPECT_EQ(sweep.value("select count(*) from results_all where runner = 'fast'"), 2);
  EXPECT_EQ(sweep.value("select count(*) from stage where name = 'make'"), 1);
  EXPECT_EQ(sweep.value("select count(*) from stage where name = 'serve'"), 2);
  EXPECT_EQ(sweep.value("select count(*) from attempt"), 1 + 2 + 4);
  EXPECT_EQ(sweep.orchestrate({"verify", "--rebuild"}).code, 0);
  EXPECT_EQ(sweep.value("select count(*) from results where runner = 'fast' and threads = 2"), 2);
}

TEST(Stacks, ARunIsResumedAndTakesUpARunnerThatIsAdded) {
  Sweep sweep;
  two_runners(sweep, "axes: {concurrency: [1]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_EQ(sweep.value("select count(*) from results where runner = 'toy'"), 1);
  two_runners(sweep, "axes: {concurrency: [1]}\ninclude: [{runner: fast, threads: 3}]\n");
  const Finished again = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(sweep.value("select count(*) from attempt"), 3 + 2);  // serve and bench of the other
  EXPECT_EQ(sweep.value("select count(*) from results"), 2);
  const Finished nothing = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(nothing.code, 0) << nothing.err;
  EXPECT_EQ(sweep.value("select count(*) from attempt"), 3 + 2);
}

TEST(Stacks, TheScriptNamesTheFolderOfEachRunner) {
  Sweep sweep;
  two_runners(sweep, k_stacks);
  const Finished script = sweep.orchestrate({"plan", "toy.yaml", "--script"});
  ASSERT_EQ(script.code, 0) << script.err;
  sweep.write("plan.sh", script.out);
  const Finished by_hand = sweep.run({"env", "OUT=by-hand", "bash", "plan.sh"});
  EXPECT_EQ(by_hand.code, 0) << by_hand.out << by_hand.err;
  EXPECT_NE(script.out.find("on the runners toy and fast"), std::string::npos);
  EXPECT_NE(script.out.find("$RUNNER_2/fast.py"), std::string::npos) << script.out;
  EXPECT_NE(script.out.find("$RUNNER/serve.py"), std::string::npos) << script.out;
}

}  // namespace stacks_test
}  // namespace orch::e2e
