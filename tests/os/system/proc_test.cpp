#include "os/system/tree_signal.hpp"

#include <set>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {
namespace proc_test {

TEST(Proc, ShowsParentGroupAndSessionOfAProcess) {
  const auto facts = process_facts(::getpid());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->id.pid, ::getpid());
  EXPECT_GT(facts->id.start_ticks, 0U);
  EXPECT_EQ(facts->parent, ::getppid());
  EXPECT_EQ(facts->group, ::getpgrp());
  EXPECT_EQ(facts->session, ::getsid(0));
  EXPECT_FALSE(facts->ended);
  EXPECT_FALSE(process_facts(1 << 30));
}

TEST(Proc, AZombieHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const auto facts = process_facts(child);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->ended);
  EXPECT_FALSE(process_facts(child));
}

TEST(Proc, EveryOtherProcessIsVisited) {
  std::set<int> pids;
  for_each_process([&](int pid) { pids.insert(pid); });
  EXPECT_TRUE(pids.contains(::getppid()));
  EXPECT_FALSE(pids.contains(::getpid()));
  EXPECT_EQ(own_pid("/proc"), ::getpid());
}

TEST(Proc, AFileThatCannotBeOpenedIsEmpty) {
  EXPECT_EQ(read_proc("/proc/no-such-file"), "");
  EXPECT_FALSE(read_proc("/proc/self/stat").empty());
}

}  // namespace proc_test
}  // namespace orch::system
