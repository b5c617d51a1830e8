#include "run/slurm/node_remains.hpp"

#include "fakes/temp_folder.hpp"
#include "run/execute/exit_record.hpp"

#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch::slurm {
namespace node_remains_test {

class NodeRemainsTest : public testing::Test {
 protected:
  NodeRemainsTest() {
    launch.token = system::new_token();
    launch.tmp = folder.file("tmp");
    launch.undo = folder.file("attempt/undo.json");
    launch.env = {{"PATH", "/usr/bin:/bin"}};
    launch.after = {{"sh", "-c", ": > " + folder.file("container-removed")}};
    std::filesystem::create_directories(launch.tmp);
    std::filesystem::create_directories(folder.file("attempt"));
    job.emplace(folder.file("node"));
    job->keep(launch);
  }
  // By the next job.
  bool is_removed() {
    NodeRemains(folder.file("node")).clear(host.host());
    return !std::filesystem::exists(launch.tmp);
  }

  fakes::TempFolder folder;
  system::RealHost host;
  execute::Launch launch;
  std::optional<NodeRemains> job;
};

TEST_F(NodeRemainsTest, OfAJobThatLivesStay) { EXPECT_FALSE(is_removed()); }

TEST_F(NodeRemainsTest, OfADeadJobGoWithItsProcesses) {
  const auto tree = host.processes.spawn(
      {.argv = {"/bin/sleep", "60"}, .env = {}, .work = folder.path(), .token = launch.token});
  ASSERT_TRUE(tree);
  job.reset();  // the kernel frees its locks
  EXPECT_TRUE(is_removed());
  EXPECT_FALSE(host.processes.alive(*tree));
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("node")));
}

// Its run gives the attempt up as soon as Slurm reports the death.
TEST_F(NodeRemainsTest, OfADeadJobAreTakenBackWithoutTheFolderOfItsAttempt) {
  ASSERT_TRUE(execute::run_before(host.host(), launch));
  std::filesystem::remove_all(folder.file("attempt"));
  is_removed();
  EXPECT_FALSE(std::filesystem::exists(folder.file("container-removed"))) << "its job lives";
  job.reset();
  EXPECT_TRUE(is_removed());
  EXPECT_TRUE(std::filesystem::exists(folder.file("container-removed")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("node")));
}

// The engine may not answer at that moment.
TEST_F(NodeRemainsTest, WhatCannotBeTakenBackIsTriedAgainByTheNextJob) {
  const std::string up = folder.file("engine-is-up");
  launch.after = {{"sh", "-c", "test -e " + up}};
  ASSERT_TRUE(execute::run_before(host.host(), launch));
  for (const bool ended : {true, false}) {
    if (ended) job->forget(launch.token);
    else job.reset();
    is_removed();
    EXPECT_FALSE(std::filesystem::is_empty(folder.file("node")));
  }
  std::ofstream(up).put('1');
  is_removed();
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("node")));
}

TEST_F(NodeRemainsTest, OfALaunchThatEndedAreForgotten) {
  job->forget(launch.token);
  job.reset();
  EXPECT_FALSE(is_removed());
}

TEST_F(NodeRemainsTest, AreNotReadWhereOthersMayWrite) {
  job.reset();
  ASSERT_EQ(::chmod(folder.file("node").c_str(), 0777), 0);
  EXPECT_FALSE(is_removed());
}

}  // namespace node_remains_test
}  // namespace orch::slurm
