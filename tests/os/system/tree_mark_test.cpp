#include "os/system/tree_signal.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::system {
namespace tree_mark_test {

TEST(TreeMark, ALimitThatAUserMaySetIsNotTheMarkOfAToken) {
  for (int i = 0; i < 1000; ++i) {
    const std::string token = new_token();
    ASSERT_TRUE(limit_mark(token)) << token;
  }
  EXPECT_FALSE(limit_mark("o000000000000400"));
  EXPECT_FALSE(limit_mark("test"));
  EXPECT_FALSE(limit_mark(""));
}

class TreeMarkTest : public ::testing::Test {
 protected:
  // A process of a tree with a new token that runs until the end of the test.
  void SetUp() override {
    const auto started = processes_.spawn({.argv = {"sleep", "1000"},
                                           .env = {{"PATH", "/usr/bin:/bin"}},
                                           .work = "/",
                                           .token = new_token()});
    ASSERT_TRUE(started) << started.error().text();
    tree = *started;
  }
  void TearDown() override { processes_.end(tree, 20); }

  Tree tree;

 private:
  RealProcesses processes_;
};

TEST_F(TreeMarkTest, IsCarriedByTheProcessesOfItsTreeOnly) {
  const TreeMark own(tree), other(Tree{.token = new_token(),
                                       .leader = {},
                                       .boot_id = {},
                                       .containment = Containment::session,
                                       .cgroup = {}});
  EXPECT_TRUE(own.in_limits_of(tree.leader.pid));
  EXPECT_TRUE(own.carried_by(tree.leader.pid));
  EXPECT_FALSE(own.carried_by(::getpid()));
  EXPECT_FALSE(other.in_limits_of(tree.leader.pid));
  EXPECT_FALSE(other.carried_by(tree.leader.pid));
}

TEST_F(TreeMarkTest, TokensOfChildrenAreReadFromTheirMarks) {
  EXPECT_TRUE(tokens_of_children(::getpid()).contains(tree.token));
  EXPECT_TRUE(tokens_of_children(tree.leader.pid).empty());
}

}  // namespace tree_mark_test
}  // namespace orch::system
