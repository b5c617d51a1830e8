// Two hosts that share a store: processes with host names of their own, which therefore cannot look
// each other up. They know each other by the lease alone.
#include "crash/diary.hpp"
#include "crash/local_slurm.hpp"
#include "crash/reference.hpp"

#include <csignal>
#include <filesystem>
#include <regex>

#include <gtest/gtest.h>

namespace orch::crash {
namespace two_hosts_test {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

// A stage of the first host takes so long that it runs whenever something is done to that host.
const World::Variables k_slow = {{"ORCH_CRASH_PACE", "task=20000"}};

class TwoHosts : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("unshare --uts hostname nodea 2>/dev/null") != 0)
      GTEST_SKIP() << "no right to give a process another host name (unshare --uts)";
  }

  // A host that is silent for 2 s is dead; what it started ends at once.
  static Options options() {
    return {.grace_s = 0, .extra_site = "store: {shared: true, silent_s: 2}\n"};
  }

  static World::Run start_on(World& world, const std::string& host,
                             const World::Variables& variables,
                             const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> argv = {
        "unshare",  "--uts",     "sh",  "-c",         "hostname \"$0\" && exec \"$@\"",
        host,       ORCH_BINARY, "run", "crash.yaml", "--site",
        "site.yaml"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return world.spawn(argv, variables);
  }

  static std::vector<Entry> starts(const World& world) {
    std::vector<Entry> found = read_diary(world);
    std::erase_if(found, [](const Entry& entry) { return entry.word != "start"; });
    return found;
  }
  static bool has_started(World& world, World::Run& run) {
    return wait_for([&] { return run.wait(0) || !starts(world).empty(); }, k_patience_s) &&
           !run.wait(0);
  }
  static Lines ask(const World& world, const std::string& sql) {
    return ask_store(world.store(), world.folder(), sql);
  }
  // Everything that a writer writes, byte by byte.
  static std::string written(const World& world) {
    std::string all = world.read("results/results.db");
    std::set<std::string> records;
    for (const auto& entry : fs::directory_iterator(world.store() + "/records"))
      records.insert(entry.path().filename().string());
    for (const std::string& name : records) all += name + world.read("results/records/" + name);
    return all;
  }
};

TEST_F(TwoHosts, TheSecondIsRefusedAndNamesTheFirst) {
  World world(options());
  World::Run first = start_on(world, "nodea", {{"ORCH_CRASH_PACE", "task=4000"}});
  ASSERT_TRUE(has_started(world, first)) << world.read(first.err);
  World::Run second = start_on(world, "nodeb", k_paced);
  EXPECT_EQ(world.finish(second).code, 3);
  EXPECT_TRUE(std::regex_search(
      world.last_stderr(),
      std::regex(fmt::format("is in use by pid {} on nodea since .*; wait for it, end it there",
                             first.pid))))
      << world.last_stderr();
  std::string status;
  world.orchestrate({"status"}, &status);
  EXPECT_NE(status.find(fmt::format("running (pid {} on nodea", first.pid)), std::string::npos)
      << status;
  first.kill();
  world.finish(first);
}

TEST_F(TwoHosts, TheSecondTakesOverWhenTheFirstHasDied) {
  World world(options());
  world.write_matrix("axes: {precision: [f16]}\n");
  World::Run first = start_on(world, "nodea", k_slow);
  ASSERT_TRUE(has_started(world, first)) << world.read(first.err);
  first.kill();
  world.finish(first);
  World::Run second = start_on(world, "nodeb", k_paced);
  EXPECT_EQ(world.finish(second).code, 0) << world.last_stderr();
  EXPECT_NE(
      world.last_stderr().find(fmt::format("s for a sign of life of pid {} on nodea", first.pid)),
      std::string::npos)
      << world.last_stderr();
  EXPECT_EQ(ask(world, "SELECT DISTINCT failure_class, host FROM attempt WHERE ok = 0"),
            Lines{"lost nodea"});
  EXPECT_EQ(ask(world, "SELECT DISTINCT host FROM attempt WHERE ok = 1"), Lines{"nodeb"});
  EXPECT_EQ(ask(world, "PRAGMA journal_mode"), Lines{"delete"});
}

TEST_F(TwoHosts, TheFirstWritesNothingWhenItWakesAfterTheSecondTookOver) {
  World world(options());
  world.write_matrix("axes: {precision: [f16]}\n");
  World::Run first = start_on(world, "nodea", k_slow);
  ASSERT_TRUE(has_started(world, first)) << world.read(first.err);
  // Not in the middle of a commit, which would keep SQLite's lock.
  ASSERT_TRUE(wait_for(
      [&] {
        first.kill(SIGSTOP);
        if (!fs::exists(world.store() + "/results.db-journal")) return true;
        first.kill(SIGCONT);
        return false;
      },
      k_patience_s));
  World::Run second = start_on(world, "nodeb", k_paced);
  EXPECT_EQ(world.finish(second).code, 0) << world.last_stderr();
  const std::string before = written(world);
  first.kill(SIGCONT);
  EXPECT_EQ(world.finish(first).code, 3) << world.last_stderr();
  EXPECT_NE(world.last_stderr().find("was taken over by"), std::string::npos)
      << world.last_stderr();
  EXPECT_TRUE(written(world) == before);
}

class TwoHostsOnSlurm : public TwoHosts {
 protected:
  void SetUp() override {
    TwoHosts::SetUp();
    if (!IsSkipped() && !slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
  }

  Slurm slurm;
};

// `orchestrate run` as a job whose node dies: the jobs that it started go on.
TEST_F(TwoHostsOnSlurm, JobsAreTakenOverFromAnotherHostAndNoneIsStartedTwice) {
  Options shared = options();
  shared.grace_s = 60;
  shared.variables = slurm.variables();
  World world(shared);
  world.write_matrix("axes: {precision: [f16]}\n");
  World::Variables variables = {{"ORCH_CRASH_PACE", "task=6000"}, {"SLURM_JOB_ID", "4711"}};
  World::Run first = start_on(world, "nodea", variables, {"--executor", "slurm"});
  ASSERT_TRUE(has_started(world, first)) << world.read(first.err);
  first.kill();
  world.finish(first);
  World::Run second =
      start_on(world, "nodeb", {{"ORCH_CRASH_PACE", "task=10"}}, {"--executor", "slurm"});
  EXPECT_EQ(world.finish(second).code, 0) << world.last_stderr();
  EXPECT_NE(world.last_stderr().find("on nodea (job 4711 of Slurm)"), std::string::npos)
      << world.last_stderr();
  std::map<std::string, int> counts;
  for (const Entry& entry : starts(world)) ++counts[entry.stage];
  for (const auto& [stage, count] : counts) EXPECT_EQ(count, 1) << stage;
  EXPECT_EQ(ask(world, "SELECT count(*) FROM attempt WHERE ok = 0"), Lines{"0"});
}

}  // namespace two_hosts_test
}  // namespace orch::crash
