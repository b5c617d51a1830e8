#include "system/machine.hpp"
#include "system/ports.hpp"
#include "system/process.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
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
  }
  ~ProcessTest() override { std::filesystem::remove_all(folder); }

  Spawn spawn(std::vector<std::string> argv) {
    return {.argv = std::move(argv), .env = {{"PATH", "/usr/bin:/bin"}, {"COLOUR", "blue"}}, .work = folder, .log = folder + "/log", .token = "test" + std::to_string(::getpid()) + "x" + std::to_string(++spawned_)};
  }

  // The exits until PROCESS is among them; ends by itself when the test's own time limit does.
  Exit wait_for(const ProcessId& process) {
    while (true)
      for (const Exit& exit : processes.wait(1.0))
        if (exit.process == process) return exit;
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
  int spawned_ = 0;
};

TEST_F(ProcessTest, RunsInItsFolderWithItsEnvironmentAndItsLog) {
  const auto process = processes.spawn(spawn({"sh", "-c", "pwd; echo $COLOUR; echo $HOME; echo err >&2; exit 7"}));
  ASSERT_TRUE(process) << process.error().text();
  const Exit exit = wait_for(*process);
  EXPECT_EQ(exit.code, 7);
  EXPECT_EQ(log(), folder + "\nblue\n\nerr\n");
}

TEST_F(ProcessTest, ArgumentsArriveByteForByte) {
  const std::string hostile = "$(touch x); 'a\"b' \n*\\";
  ASSERT_TRUE(processes.spawn(spawn({"printf", "%s|", hostile, "", "-n"})));
  (void)processes.wait(5);
  EXPECT_EQ(log(), hostile + "||-n|");
}

TEST_F(ProcessTest, AProgramThatIsNotThereIsAnErrorAndNotAnExit) {
  const auto process = processes.spawn(spawn({"no-such-program-here"}));
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().text(), "cannot run 'no-such-program-here': no such program, or it is not executable");
}

TEST_F(ProcessTest, DeathBySignalIsToldApartFromAnExit) {
  const auto process = processes.spawn(spawn({"sh", "-c", "kill -SEGV $$"}));
  const Exit exit = wait_for(*process);
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.code, -1);
}

TEST_F(ProcessTest, TheTreeIncludesWhoeverLeftTheGroup) {
  Spawn tree = spawn({"sh", "-c", "setsid sh -c 'echo ready; exec sleep 1000' & wait"});
  const auto process = processes.spawn(tree);
  ASSERT_TRUE(process);
  while (log().empty()) (void)processes.wait(0.01);
  ASSERT_TRUE(processes.tree_alive(*process, tree.token, true));
  processes.signal_tree(*process, tree.token, SIGKILL);
  EXPECT_EQ(wait_for(*process).signal, SIGKILL);
  while (processes.tree_alive(*process, tree.token, true)) (void)processes.wait(0.01);
  SUCCEED();
}

TEST_F(ProcessTest, AProcessThatTookTheNumberOverIsNotSignalled) {
  Spawn other = spawn({"sleep", "1000"});
  const auto process = processes.spawn(other);
  ASSERT_TRUE(process);
  const ProcessId earlier{process->pid, process->start_ticks - 1};
  processes.signal_tree(earlier, "a-token-nobody-has", SIGKILL);
  EXPECT_TRUE(processes.wait(0).empty());
  processes.signal_tree(*process, other.token, SIGKILL);
  EXPECT_EQ(wait_for(*process).signal, SIGKILL);
}

TEST_F(ProcessTest, NoDescriptorOfOursIsInherited) {
  const int ours = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_TRUE(processes.spawn(spawn({"sh", "-c", "ls /proc/self/fd | tr '\\n' ' '"})));
  (void)processes.wait(5);
  ::close(ours);
  EXPECT_EQ(log(), "0 1 2 3 ");  // 3 is what ls itself reads the folder with
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
