// One contract for every containment that works here: however a tree tries to escape, no process
// of it is left.
#include "escape.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace orch::system {
namespace escape_test {

using namespace escape;

using Case = std::tuple<Containment, std::string>;

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      std::string(to_string(std::get<0>(info.param))) + "_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Escape : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!is_available(containment))
      GTEST_SKIP() << "no " << to_string(containment) << " here: this process may not make one";
  }
  void expect_nothing_left(const Tree& tree) {
    EXPECT_EQ(left(file), 0U);
    EXPECT_TRUE(tree.cgroup.empty() || !std::filesystem::exists(tree.cgroup)) << tree.cgroup;
    EXPECT_FALSE(processes.alive(tree));  // checked last: it would remove the folder
  }
  // Kills the process that started the tree, then ends the orphaned tree.
  void orphaned(bool subreaper, bool by_token_alone) {
    const auto keeper = start_keeper(processes, containment, subreaper, mode, folder.path);
    ASSERT_TRUE(keeper);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);  // this process must not adopt the orphans
    ::kill(keeper->self.leader.pid, SIGKILL);
    while (processes.wait(1).empty()) {
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    RealProcesses later;
    Tree tree = keeper->tree;
    if (by_token_alone)
      tree = Tree{.token = tree.token,
                  .leader = {},
                  .boot_id = "",
                  .containment = Containment::session,
                  .cgroup = ""};
    // A PID namespace ends with its parent.
    EXPECT_TRUE(later.alive(tree) || containment == Containment::pid_namespace);
    EXPECT_TRUE(later.end(tree, 20));
    expect_nothing_left(keeper->tree);
  }

  const Containment containment = std::get<0>(GetParam());
  const std::string mode = std::get<1>(GetParam());
  Folder folder;
  const std::string file = folder.path + "/file";
  RealProcesses processes;
};

TEST_P(Escape, NoProcessIsLeftWhenItsStarterEndsIt) {
  const auto tree = processes.spawn(spawn_of(containment, mode, file));
  ASSERT_TRUE(tree) << tree.error().text();
  ASSERT_TRUE(wait_for_text(file, "ready", 20));
  ASSERT_GT(left(file), 0U);
  EXPECT_TRUE(processes.alive(*tree));
  EXPECT_TRUE(processes.end(*tree, 20));
  expect_nothing_left(*tree);
  const auto exits = processes.wait(0);
  ASSERT_EQ(exits.size(), 1U);
  EXPECT_EQ(exits[0].signal, SIGKILL);
}

TEST_P(Escape, NoProcessIsLeftWhenALaterProcessEndsIt) { orphaned(false, false); }
TEST_P(Escape, NoProcessIsLeftWhenItsStarterWasASubreaper) { orphaned(true, false); }
TEST_P(Escape, NoProcessIsLeftWhenOnlyItsTokenIsKnown) { orphaned(false, true); }

INSTANTIATE_TEST_SUITE_P(All, Escape,
                         ::testing::Combine(::testing::Values(Containment::cgroup,
                                                              Containment::pid_namespace,
                                                              Containment::session),
                                            ::testing::ValuesIn(k_modes)),
                         name_of);

class Contained : public ::testing::TestWithParam<Containment> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam()))
      GTEST_SKIP() << "no " << to_string(GetParam()) << " here: this process may not make one";
    log_ = Descriptor(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
  ~Contained() override {
    for (const Tree& tree : trees_) processes.end(tree, 20);
  }
  Result<Tree> shell(const std::string& script) {
    auto tree = processes.spawn({.argv = {"sh", "-c", script},
                                 .env = {{"PATH", "/usr/bin:/bin"}},
                                 .work = folder.path,
                                 .log = log_.get(),
                                 .token = new_token(),
                                 .containment = GetParam()});
    if (tree) trees_.push_back(*tree);
    return tree;
  }
  Exit wait_for(const Tree& tree) {
    for (const double until = now_s() + 20; now_s() < until;)
      for (const Exit& exit : processes.wait(0.1))
        if (exit.process == tree.leader) return exit;
    ADD_FAILURE() << "it did not end";
    return {};
  }

  Folder folder;
  const std::string log = folder.path + "/log";
  RealProcesses processes;

 private:
  Descriptor log_;
  std::vector<Tree> trees_;
};

TEST_P(Contained, ReportsTheExitOfTheProgram) {
  const auto seven = shell("exit 7");
  EXPECT_EQ(wait_for(*seven).code, 7);
  EXPECT_FALSE(processes.alive(*seven));
  const auto crash = shell("kill -SEGV $$");
  const Exit exit = wait_for(*crash);
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.code, -1);
}

TEST_P(Contained, CpuTimeIncludesTheProcessesThatItWaitedFor) {
  const auto tree = shell("sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; exit 0");
  const Exit exit = wait_for(*tree);
  EXPECT_GT(exit.cpu_s, 0.005);
  EXPECT_GT(exit.max_rss_bytes, 100'000U);
}

TEST_P(Contained, AProgramThatCannotRunIsAnErrorAndLeavesNothing) {
  std::ofstream(folder.path + "/garbage") << "\x7f"
                                          << "ELF";
  std::filesystem::permissions(folder.path + "/garbage", std::filesystem::perms::all);
  const auto tree = processes.spawn({.argv = {folder.path + "/garbage"},
                                     .env = {},
                                     .work = "/",
                                     .token = new_token(),
                                     .containment = GetParam()});
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().text(), "cannot run '" + folder.path + "/garbage': Exec format error");
  EXPECT_TRUE(processes.wait(0).empty());
}

TEST_P(Contained, TermReachesEveryProcessOnce) {
  const auto tree = shell(
      "trap 'echo leader' TERM; setsid sh -c 'trap \"echo other; exit\" TERM; echo ready; while :; "
      "do sleep 0.01; done' & while :; do wait && break; done; wait");
  ASSERT_TRUE(wait_for_text(log, "ready", 20));
  processes.signal(*tree, SIGTERM);
  (void)wait_for(*tree);
  EXPECT_TRUE(processes.end(*tree, 20));
  const std::string text = text_of(log);
  for (const char* line : {"leader\n", "other\n"}) {
    const std::size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line << text;
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << text;
  }
}

TEST_P(Contained, AProgramFindsItselfInProc) {
  const auto tree = shell("read -r pid rest < /proc/self/stat; [ $pid = $$ ] && echo same");
  EXPECT_EQ(wait_for(*tree).code, 0);
  EXPECT_EQ(text_of(log), "same\n");
}

INSTANTIATE_TEST_SUITE_P(All, Contained,
                         ::testing::Values(Containment::cgroup, Containment::pid_namespace,
                                           Containment::session),
                         [](const ::testing::TestParamInfo<Containment>& one) {
                           std::string name(to_string(one.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A user without rights over others, with a lower limit that cannot be raised.
class EnvironmentAlone : public ::testing::TestWithParam<std::string> {};

TEST_P(EnvironmentAlone, MarksATreeUnderALowerLimit) {
  const std::string mode = GetParam();
  Folder folder;
  std::filesystem::permissions(folder.path, std::filesystem::perms::all);
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to change the user";
  RealProcesses processes;
  const std::string record = folder.path + "/record", file = folder.path + "/file";
  const auto keeper = processes.spawn(
      {.argv = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "prlimit",
                "--locks=5:5", ORCH_ESCAPEE, "keep", "session", "no", record, mode, file},
       .env = {{"PATH", "/usr/bin:/bin"}},
       .work = "/",
       .token = ""});
  ASSERT_TRUE(keeper) << keeper.error().text();
  ASSERT_TRUE(wait_for_text(record, "\n", 20) && wait_for_text(file, "ready", 20));
  Tree tree;
  std::istringstream(text_of(record)) >> tree.token;
  EXPECT_TRUE(processes.alive(tree));
  EXPECT_TRUE(processes.end(tree, 20));
  EXPECT_EQ(left(file), 0U);
  EXPECT_TRUE(processes.end(*keeper, 20));
}

INSTANTIATE_TEST_SUITE_P(All, EnvironmentAlone, ::testing::Values("stubborn", "slow_to_die"),
                         [](const auto& mode) { return mode.param; });

TEST(PidNamespace, AnUnprivilegedUserGetsOneUnderTheirOwnId) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to change the user";
  Folder folder;
  std::filesystem::permissions(folder.path, std::filesystem::perms::all);
  RealProcesses processes;
  const std::string record = folder.path + "/record", file = folder.path + "/file";
  const auto keeper = processes.spawn(
      {.argv = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ORCH_ESCAPEE, "keep",
                "pid-namespace", "no", record, "escape", file},
       .env = {{"PATH", "/usr/bin:/bin"}},
       .work = "/",
       .token = ""});
  ASSERT_TRUE(keeper) << keeper.error().text();
  while (!wait_for_text(record, "\n", 0.1))
    for (const Exit& exit : processes.wait(0))
      if (exit.process == keeper->leader)
        GTEST_SKIP() << "this system forbids unprivileged user namespaces";
  ASSERT_TRUE(wait_for_text(file, "ready", 20));
  struct stat made {};
  ASSERT_EQ(::stat(file.c_str(), &made), 0);
  EXPECT_EQ(made.st_uid, 65534U);
  ::kill(keeper->leader.pid, SIGKILL);
  EXPECT_TRUE(wait_until_free(file, 20));
}

TEST(PidNamespace, ShowsTheHostsProcThroughItsInit) {
  if (!is_available(Containment::pid_namespace))
    GTEST_SKIP() << "no PID namespace here: this process may not make one";
  Folder folder;
  RealProcesses processes;
  const std::string record = folder.path + "/record", own = fmt::format("{}/status", ::getpid());
  const std::string look = fmt::format(
      "grep -q \"^Pid:.{}$\" /proc/1/fd/4/{} && ! grep -q \"^Pid:.{}$\" /proc/{} && test "
      "$(readlink /proc/1/fd/4/self) != $(readlink /proc/self); echo $? > {}",
      ::getpid(), own, ::getpid(), own, record);
  ASSERT_TRUE(processes.spawn({.argv = {"/bin/sh", "-c", look},
                               .env = {{"PATH", "/usr/bin:/bin"}},
                               .work = "/",
                               .token = new_token(),
                               .containment = Containment::pid_namespace}));
  ASSERT_TRUE(wait_for_text(record, "\n", 20));
  EXPECT_EQ(text_of(record), "0\n");
}

TEST(PidNamespace, EndsWithTheProcessThatStartedIt) {
  if (!is_available(Containment::pid_namespace))
    GTEST_SKIP() << "no PID namespace here: this process may not make one";
  Folder folder;
  RealProcesses processes;
  const auto keeper =
      start_keeper(processes, Containment::pid_namespace, false, "escape", folder.path);
  ASSERT_TRUE(keeper);
  ASSERT_EQ(holders(folder.path + "/file"), 3U);
  ::kill(keeper->self.leader.pid, SIGKILL);
  EXPECT_TRUE(wait_until_free(folder.path + "/file", 20));
  for (const double until = now_s() + 20; processes.alive(keeper->tree) && now_s() < until;)
    (void)processes.wait(0.01);
  EXPECT_FALSE(processes.alive(keeper->tree));
}

}  // namespace escape_test
}  // namespace orch::system
