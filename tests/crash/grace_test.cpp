// The orchestrator is killed and not started again: its guardians end everything after the grace
// period. When the guardians are killed too, the next start finds everything that is left.
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

namespace orch::crash {
namespace grace_test {

constexpr double k_grace_s = 0.3;
constexpr double k_gone_within_s = k_grace_s + 10;

const World::Variables k_slow_bench = {{"ORCH_CRASH_PACE", "bench=60000"}};
const World::Variables k_slow_task = {{"ORCH_CRASH_PACE", "task=60000"}};

bool has_started(const World& world, const std::string& stage) {
  return world.read("diary/diary").find(" " + stage) != std::string::npos;
}

// A sweep of one point with a server of MODE, run until STAGE is at work.
World::Run run_until(World& world, const std::string& mode, const World::Variables& variables,
                     const std::string& stage) {
  world.write_matrix(fmt::format("axes: {{precision: [f16]}}\ndefaults: {{mode: {}}}\n", mode));
  World::Run run = world.start(variables);
  const bool came =
      wait_for([&] { return run.wait(0) || has_started(world, stage); }, k_patience_s);
  EXPECT_TRUE(came && !run.wait(0)) << world.read(run.err);
  return run;
}

// What is left LIMIT_S after a kill, and the time until nothing was left.
std::vector<std::string> left_after(const World& world, double limit_s, double& gone_s) {
  const auto killed = Clock::now();
  const auto left = left_behind(world, {}, limit_s);
  gone_s = seconds_since(killed);
  std::vector<std::string> living;
  for (const std::string& line : left)
    if (!line.starts_with("attempts/") && !line.starts_with("artifacts/") &&
        !line.starts_with("inbox/"))
      living.push_back(line);
  return living;
}

class Abandoned : public testing::TestWithParam<const char*> {};

TEST_P(Abandoned, AServerAndItsMeasurementEndAfterTheGracePeriod) {
  World world({.grace_s = k_grace_s});
  World::Run run = run_until(world, GetParam(), k_slow_bench, "bench-");
  run.kill();
  world.finish(run);
  double gone_s = 0;
  EXPECT_EQ(left_after(world, k_gone_within_s, gone_s), std::vector<std::string>());
  fmt::print("[ abandoned ] {}: gone after {:.2f} s\n", GetParam(), gone_s);
}

TEST_P(Abandoned, WithItsGuardiansKilledTooTheNextStartFindsEverything) {
  World world({.grace_s = k_grace_s});
  World::Run run = run_until(world, GetParam(), k_slow_bench, "bench-");
  const auto guardians = guardians_of(world, run.pid);
  EXPECT_FALSE(guardians.empty());
  run.kill();
  for (const int guardian : guardians) ::kill(guardian, SIGKILL);
  world.finish(run);
  const Ended again = world.run();
  EXPECT_EQ(again.code, 0) << world.last_stderr();
  const Snapshot store = read_store(world.store(), world.folder());
  EXPECT_EQ(left_behind(world, store.folders, 5), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Servers, Abandoned,
                         testing::Values("plain", "ignores-term", "escape", "escape-wiped",
                                         "storm"),
                         [](const auto& mode) {
                           std::string name = mode.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(AbandonedTask, IsGoneAfterTheGracePeriod) {
  World world({.grace_s = k_grace_s});
  World::Run run = run_until(world, "plain", k_slow_task, "download");
  run.kill();
  world.finish(run);
  double gone_s = 0;
  EXPECT_EQ(left_after(world, k_gone_within_s, gone_s), std::vector<std::string>());
}

// A server whose guardian answers is adopted and not started again.
TEST(Adopted, ALiveServerIsNotStartedAgain) {
  World world;
  World::Run run = run_until(world, "plain", k_slow_bench, "bench-");
  run.kill();
  world.finish(run);
  EXPECT_EQ(world.run().code, 0) << world.last_stderr();
  EXPECT_EQ(starts_of(world, "serve"), 1);
}

// The next run asks a hub that answers only after the grace period of a later attempt has ended.
TEST(Adopted, ALiveServerIsNotEndedWhileTheNextRunPlans) {
  const Options options{.grace_s = 2};
  World world(options), other({.lane = 1, .grace_s = options.grace_s});
  std::string runner = world.read("runners/crash/runner.yaml");
  runner.replace(runner.find("stages:"), 0,
                 "resolve:\n  hf: {argv: [/bin/sh, -c, 'while [ ! -e " + world.folder() +
                     "/go ]; do sleep 0.01; done; echo abc']}\n");
  runner.replace(runner.find("parameters:\n"), 12, "parameters:\n  model: {type: text}\n");
  const std::string files = "weights.bin, config.json";
  runner.insert(runner.find(files) + files.size(), ", --fail, \"{model.source}\"");
  world.write("runners/crash/runner.yaml", runner);
  world.write("go", "");
  world.write_matrix(
      "axes: {precision: [f16], model: [toy]}\nmodels: {toy: {source: \"hf:toy/slow\", revision: "
      "main}}\n");
  World::Run run = world.start(k_slow_bench);
  ASSERT_TRUE(wait_for([&] { return run.wait(0) || has_started(world, "bench-"); }, k_patience_s));
  run.kill();
  EXPECT_EQ(world.finish(run).signal, SIGKILL) << world.last_stderr();
  std::filesystem::remove(world.folder() + "/go");
  World::Run next = world.start({}, {"--update"});
  World::Run abandoned = run_until(other, "plain", k_slow_bench, "bench-");
  abandoned.kill();
  other.finish(abandoned);
  double gone_s = 0;
  EXPECT_EQ(left_after(other, options.grace_s + 10, gone_s), std::vector<std::string>());
  world.write("go", "");
  EXPECT_EQ(world.finish(next).code, 0) << world.last_stderr();
  EXPECT_EQ(starts_of(world, "serve"), 1);
}

TEST(Adopted, ARunningTaskContinues) {
  World world;
  World::Run run = run_until(world, "plain", {{"ORCH_CRASH_PACE", "task=300"}}, "convert-");
  run.kill();
  world.finish(run);
  EXPECT_EQ(world.run().code, 0) << world.last_stderr();
  EXPECT_EQ(starts_of(world, "convert"), 1);
}

}  // namespace grace_test
}  // namespace orch::crash
