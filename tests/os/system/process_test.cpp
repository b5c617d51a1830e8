// Starting, signalling and ending trees of processes.
#include "os/system/process.hpp"

#include "os/system/files.hpp"

#include <csignal>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace orch::system {
namespace process_test {

class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest() {
    char name[] = "/tmp/orchestrate-process-XXXXXX";
    folder = ::mkdtemp(name);
    log_ = Descriptor(
        ::open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
  ~ProcessTest() override { std::filesystem::remove_all(folder); }

  Spawn spawn(std::vector<std::string> argv) {
    return {.argv = std::move(argv),
            .env = {{"PATH", "/usr/bin:/bin"}, {"COLOUR", "blue"}},
            .work = folder,
            .log = log_.get(),
            .token = new_token()};
  }

  // The exit of the leader of TREE; the time limit of the test program bounds the wait.
  Exit wait_for(const Result<Tree>& tree) {
    while (true)
      for (const Exit& exit : processes.wait(1.0))
        if (exit.process == tree->leader) return exit;
  }

  std::string log() const {
    std::ifstream file(folder + "/log");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  RealProcesses processes;
  std::string folder;

 private:
  Descriptor log_;
};

TEST_F(ProcessTest, RunsInItsFolderWithItsEnvironmentAndItsLog) {
  const auto process =
      processes.spawn(spawn({"sh", "-c", "pwd; echo $COLOUR; echo $HOME; echo err >&2; exit 7"}));
  ASSERT_TRUE(process) << process.error().text();
  const Exit exit = wait_for(process);
  EXPECT_EQ(exit.code, 7);
  EXPECT_EQ(log(), folder + "\nblue\n\nerr\n");
}

TEST_F(ProcessTest, ArgumentsArriveByteForByte) {
  const std::string hostile = "$(touch x); 'a\"b' \n*\\";
  const auto process = processes.spawn(spawn({"printf", "%s|", hostile, "", "-n"}));
  EXPECT_EQ(wait_for(process).code, 0);
  EXPECT_EQ(log(), hostile + "||-n|");
}

TEST_F(ProcessTest, AMissingProgramIsAnErrorAndNotAnExit) {
  const auto process = processes.spawn(spawn({"no-such-program-here"}));
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().text(),
            "cannot run 'no-such-program-here': no such program, or it is not executable");
}

TEST_F(ProcessTest, DeathBySignalDiffersFromAnExit) {
  const auto process = processes.spawn(spawn({"sh", "-c", "kill -SEGV $$"}));
  const Exit exit = wait_for(process);
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.code, -1);
}

TEST_F(ProcessTest, AMissingFolderIsAnErrorThatNamesIt) {
  Spawn in_nowhere = spawn({"/bin/true"});
  in_nowhere.work = folder + "/nowhere";
  const auto process = processes.spawn(in_nowhere);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().text(), "cannot run '/bin/true' in the folder '" + folder +
                                        "/nowhere': No such file or directory");
}

TEST_F(ProcessTest, TheTreeIncludesProcessesThatLeftTheGroup) {
  const auto tree =
      processes.spawn(spawn({"sh", "-c", "setsid sh -c 'echo ready; exec sleep 1000' & wait"}));
  ASSERT_TRUE(tree);
  while (log().empty()) (void)processes.wait(0.01);
  ASSERT_TRUE(processes.alive(*tree));
  processes.signal(*tree, SIGKILL);
  EXPECT_EQ(wait_for(tree).signal, SIGKILL);
  while (processes.alive(*tree)) (void)processes.wait(0.01);
  SUCCEED();
}

TEST_F(ProcessTest, AProcessThatReusesANumberIsNotSignalled) {
  const auto other = processes.spawn(spawn({"sleep", "1000"}));
  ASSERT_TRUE(other);
  Tree earlier = *other;
  earlier.token = new_token();
  earlier.leader.start_ticks -= 1;
  processes.signal(earlier, SIGKILL);
  EXPECT_FALSE(processes.alive(earlier));
  EXPECT_TRUE(processes.end(earlier, 5));
  EXPECT_TRUE(processes.wait(0).empty());
  EXPECT_TRUE(processes.end(*other, 5));
  EXPECT_EQ(wait_for(other).signal, SIGKILL);
}

TEST_F(ProcessTest, ATreeOfAnotherBootIsGoneAndNoProcessIsSignalled) {
  const auto tree = processes.spawn(spawn({"sleep", "1000"}));
  ASSERT_TRUE(tree);
  Tree earlier = *tree;
  earlier.boot_id = "another";
  EXPECT_FALSE(processes.alive(earlier));
  processes.signal(earlier, SIGKILL);
  EXPECT_TRUE(processes.end(earlier, 5));
  EXPECT_TRUE(processes.alive(*tree));
  EXPECT_TRUE(processes.end(*tree, 5));
}

TEST_F(ProcessTest, NoOtherDescriptorIsInherited) {
  const int inherited = ::open("/dev/null", O_RDONLY);  // without close-on-exec
  const auto process = processes.spawn(spawn({"sh", "-c", "ls /proc/self/fd | tr '\\n' ' '"}));
  wait_for(process);
  ::close(inherited);
  EXPECT_EQ(log(), "0 1 2 3 ");  // 3 is the descriptor with which ls reads the folder
}

TEST_F(ProcessTest, AChildInheritsNoBlockedOrIgnoredSignal) {
  sigset_t some, before;
  sigemptyset(&some);
  sigaddset(&some, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &some, &before);
  const auto ignored = ::signal(SIGPIPE, SIG_IGN);
  const auto process =
      processes.spawn(spawn({"grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"}));
  ::signal(SIGPIPE, ignored);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  wait_for(process);
  EXPECT_EQ(log(), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(ProcessTest, RunsUntilItEndsAndNotAsAZombie) {
  const auto tree = processes.spawn(spawn({"sleep", "1000"}));
  ASSERT_TRUE(tree);
  EXPECT_TRUE(is_running(tree->leader));
  EXPECT_FALSE(is_running({tree->leader.pid, tree->leader.start_ticks + 1}));
  wait_for_end(tree->leader, 0.01);
  EXPECT_TRUE(is_running(tree->leader));
  ::kill(tree->leader.pid, SIGKILL);
  wait_for_end(tree->leader, 60);
  EXPECT_FALSE(is_running(tree->leader));
  EXPECT_EQ(identify(tree->leader.pid), tree->leader);  // unreaped
  wait_for(tree);
}

TEST_F(ProcessTest, TheDescriptorIsReadableUntilEveryExitIsReported) {
  const auto tree = processes.spawn(spawn({"sleep", "1000"}));
  pollfd event{processes.descriptor(), POLLIN, 0};
  (void)processes.wait(0);
  EXPECT_EQ(::poll(&event, 1, 0), 0);
  EXPECT_TRUE(processes.end(*tree, 5));  // which notices the exit, but does not report it
  EXPECT_EQ(::poll(&event, 1, 0), 1);
  EXPECT_EQ(processes.wait(0).size(), 1U);
  EXPECT_EQ(::poll(&event, 1, 0), 0);
}

}  // namespace process_test
}  // namespace orch::system
