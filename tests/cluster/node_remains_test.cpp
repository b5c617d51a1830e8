#include "cluster/node_remains.hpp"

#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <optional>

namespace orch::cluster {
namespace node_remains_test {

class NodeRemainsTest : public testing::Test {
 protected:
  NodeRemainsTest() {
    launch.token = system::new_token();
    launch.tmp = folder.file("tmp");
    std::filesystem::create_directories(launch.tmp);
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
}  // namespace orch::cluster
