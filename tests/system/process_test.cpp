#include "system/files.hpp"
#include "system/machine.hpp"
#include "system/marks.hpp"
#include "system/ports.hpp"
#include "system/process.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

namespace orch::system {
namespace {

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

  // How the leader of TREE ended; the test's own time limit ends what never does.
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

TEST_F(ProcessTest, AProgramThatIsNotThereIsAnErrorAndNotAnExit) {
  const auto process = processes.spawn(spawn({"no-such-program-here"}));
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().text(),
            "cannot run 'no-such-program-here': no such program, or it is not executable");
}

TEST_F(ProcessTest, DeathBySignalIsToldApartFromAnExit) {
  const auto process = processes.spawn(spawn({"sh", "-c", "kill -SEGV $$"}));
  const Exit exit = wait_for(process);
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.code, -1);
}

TEST_F(ProcessTest, AFolderThatIsNotThereIsAnErrorThatNamesIt) {
  Spawn in_nowhere = spawn({"/bin/true"});
  in_nowhere.work = folder + "/nowhere";
  const auto process = processes.spawn(in_nowhere);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().text(), "cannot run '/bin/true' in the folder '" + folder +
                                        "/nowhere': No such file or directory");
}

TEST_F(ProcessTest, TheTreeIncludesWhoeverLeftTheGroup) {
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

TEST_F(ProcessTest, AProcessThatTookTheNumberOverIsNotSignalled) {
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

TEST_F(ProcessTest, OfAnotherBootNothingIsLeftAndNobodyIsSignalled) {
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

TEST_F(ProcessTest, NoDescriptorOfOursIsInherited) {
  const int ours = ::open("/dev/null", O_RDONLY);  // without close-on-exec
  const auto process = processes.spawn(spawn({"sh", "-c", "ls /proc/self/fd | tr '\\n' ' '"}));
  wait_for(process);
  ::close(ours);
  EXPECT_EQ(log(), "0 1 2 3 ");  // 3 is what ls itself reads the folder with
}

TEST_F(ProcessTest, AChildHasNoSignalBlockedOrIgnoredThatWeHave) {
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

TEST_F(ProcessTest, TheDescriptorIsReadableUntilEveryExitWasTold) {
  const auto tree = processes.spawn(spawn({"sleep", "1000"}));
  pollfd event{processes.descriptor(), POLLIN, 0};
  (void)processes.wait(0);
  EXPECT_EQ(::poll(&event, 1, 0), 0);
  EXPECT_TRUE(processes.end(*tree, 5));  // which saw the exit, and does not tell it
  EXPECT_EQ(::poll(&event, 1, 0), 1);
  EXPECT_EQ(processes.wait(0).size(), 1U);
  EXPECT_EQ(::poll(&event, 1, 0), 0);
}

TEST_F(ProcessTest, TokensAreNumbersThatNobodyHasAsALimit) {
  for (int i = 0; i < 1000; ++i) {
    const std::string token = new_token();
    ASSERT_TRUE(limit_mark(token)) << token;
  }
  EXPECT_FALSE(limit_mark("o000000000000400"));
  EXPECT_FALSE(limit_mark("test"));
  EXPECT_FALSE(limit_mark(""));
}

TEST(Ports, ALeaseIsExclusiveAndEndsWithItsOwner) {
  char name[] = "/tmp/orchestrate-ports-test-XXXXXX";
  const std::string folder = ::mkdtemp(name);
  RealPorts first(folder, {21000, 21009}), second(folder, {21000, 21009});
  {
    auto a = first.lease(3);
    auto b = second.lease(3);
    ASSERT_TRUE(a && b);
    for (const PortLease& x : *a)
      for (const PortLease& y : *b) EXPECT_NE(x.port(), y.port());
    EXPECT_EQ(first.lease(8).error().kind, ErrorKind::conflict);
  }
  EXPECT_TRUE(first.lease(3));
  std::filesystem::remove_all(folder);
}

TEST(Ports, APortThatSomebodyListensOnIsNotLeased) {
  char name[] = "/tmp/orchestrate-ports-test-XXXXXX";
  const std::string folder = ::mkdtemp(name);
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  socklen_t size = sizeof address;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const int taken = ntohs(address.sin_port);
  EXPECT_EQ(RealPorts(folder, {taken, taken}).lease(1).error().kind, ErrorKind::conflict);
  std::filesystem::remove_all(folder);
}

TEST(Machine, KnowsItsProcessorsAndMemory) {
  const Machine machine = detect_machine();
  EXPECT_GE(machine.cpus, 1);
  EXPECT_GT(machine.memory_gib, 0.1);
  EXPECT_FALSE(machine.cpu_model.empty());
}

}  // namespace
}  // namespace orch::system
