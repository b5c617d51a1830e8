#include "os/system/tree_signal.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace orch::system {
namespace tree_signal_test {

class TreeSignal : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto started =
        processes_.spawn({.argv = {"sh", "-c", "setsid sleep 1000 & exec sleep 1000"},
                          .env = {{"PATH", "/usr/bin:/bin"}},
                          .work = "/",
                          .token = new_token()});
    ASSERT_TRUE(started) << started.error().text();
    tree = *started;
  }
  void TearDown() override { processes_.end(tree, 20); }
  Exit wait_for_leader() {
    while (true)
      for (const Exit& exit : processes_.wait(1))
        if (exit.process == tree.leader) return exit;
  }

  Tree tree;

 private:
  RealProcesses processes_;
};

TEST_F(TreeSignal, FindsTheProcessesOfATreeAndNoOthers) {
  for (const Search search : {Search::by_limit, Search::by_all_marks}) {
    std::vector<ProcessId> found;
    // The child may not have been forked yet, so only the leader is certain.
    EXPECT_GE(signal_once(tree, TreeMark(tree), 0, search, &found), 1U);
    EXPECT_NE(std::find(found.begin(), found.end(), tree.leader), found.end());
    EXPECT_TRUE(any_alive(found));
  }
  Tree unknown;
  unknown.token = new_token();
  EXPECT_EQ(signal_once(unknown, TreeMark(unknown), SIGKILL, Search::by_all_marks), 0U);
}

TEST_F(TreeSignal, ASignalEndsTheLeader) {
  std::vector<ProcessId> found;
  signal_once(tree, TreeMark(tree), SIGKILL, Search::by_all_marks, &found);
  EXPECT_EQ(wait_for_leader().signal, SIGKILL);
  std::erase_if(found, [&](const ProcessId& one) { return one != tree.leader; });
  EXPECT_FALSE(any_alive(found));
}

TEST_F(TreeSignal, AProcessThatReusesANumberIsNotSignalled) {
  EXPECT_FALSE(signal_process({tree.leader.pid, tree.leader.start_ticks - 1}, SIGKILL));
  EXPECT_TRUE(identify(tree.leader.pid));
  EXPECT_TRUE(signal_process(tree.leader, SIGKILL));
  EXPECT_EQ(wait_for_leader().signal, SIGKILL);
}

TEST_F(TreeSignal, WithoutNewProcessesOfTheTreeNoneIsKilled) {
  Tree unknown;
  unknown.token = new_token();
  EXPECT_FALSE(kill_newest(TreeMark(unknown)));
}

}  // namespace tree_signal_test
}  // namespace orch::system
