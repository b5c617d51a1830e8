#include "os/system/server_processes.hpp"

#include <csignal>
#include <cstdlib>
#include <ctime>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {
namespace server_processes_test {

ProcessFacts process(int pid, int parent, int session, bool has_terminal = false) {
  return {.id = {pid, 1},
          .group = pid,
          .session = session,
          .ended = false,
          .marked = false,
          .parent = parent,
          .has_terminal = has_terminal};
}

TEST(ServerTree, HasMpirunAndEveryRankWhenOneRankListens) {
  // systemd - orchestrator 10 - guardian 20 (its own session) - mpirun 21 - ranks 30 31 - worker 40
  const std::vector<ProcessFacts> all = {
      process(1, 0, 1),    process(10, 1, 10),  process(20, 10, 20),
      process(21, 20, 20), process(30, 21, 20), process(31, 21, 20),
      process(40, 31, 40), process(50, 10, 50), process(51, 50, 50)};
  EXPECT_EQ(server_tree(all, {30}, 51), (std::set<int>{20, 21, 30, 31, 40}));
}

TEST(ServerTree, StopsBelowAUsersShell) {
  const std::vector<ProcessFacts> all = {process(1, 0, 1),       process(5, 1, 5, true),
                                         process(6, 5, 5, true), process(7, 6, 5, true),
                                         process(8, 5, 5, true), process(90, 1, 90, true)};
  EXPECT_EQ(server_tree(all, {7}, 90), (std::set<int>{6, 7}))
      << "8 is another program of this user";
}

TEST(ServerTree, StopsBelowACommonAncestor) {
  // sh 5 - server 6, sh 5 - bench 7
  const std::vector<ProcessFacts> all = {process(1, 0, 1), process(5, 1, 5), process(6, 5, 5),
                                         process(7, 5, 5), process(8, 6, 5)};
  EXPECT_EQ(server_tree(all, {6}, 7), (std::set<int>{6, 8}));
}

TEST(ServerTree, IsEmptyWithoutAListenerThatIsAlive) {
  EXPECT_TRUE(server_tree({}, {}, 7).empty());
  EXPECT_TRUE(server_tree({}, {6}, 7).empty());
}

// A server of two processes: one listens and burns CPU time on request; its child holds memory.
class SmallServer {
 public:
  static constexpr std::size_t k_held_bytes = 96 << 20;

  SmallServer() {
    if (::pipe(to_) != 0 || ::pipe(from_) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) serve();
    static_cast<void>(::read(from_[0], &port_, sizeof port_));
  }
  SmallServer(const SmallServer&) = delete;
  SmallServer& operator=(const SmallServer&) = delete;
  ~SmallServer() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    for (const int fd : {to_[0], to_[1], from_[0], from_[1]}) ::close(fd);
  }

  int pid() const { return pid_; }
  std::uint16_t port() const { return port_; }
  void work(char tenths_of_cpu_s) {
    static_cast<void>(::write(to_[1], &tenths_of_cpu_s, 1));
    static_cast<void>(::read(from_[0], &tenths_of_cpu_s, 1));
  }

 private:
  [[noreturn]] void serve() {
    ::setpgid(0, 0);
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(fd, 1) != 0)
      ::_exit(1);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
    int held[2];
    if (::pipe(held) != 0) ::_exit(1);
    if (::fork() == 0) {
      ::close(fd);
      auto* memory = static_cast<volatile char*>(std::malloc(k_held_bytes));
      for (std::size_t i = 0; i < k_held_bytes; i += 4096) memory[i] = 1;
      static_cast<void>(::write(held[1], "x", 1));
      while (true) ::pause();
    }
    char one = 0;
    static_cast<void>(::read(held[0], &one, 1));
    const std::uint16_t port = ntohs(address.sin_port);
    static_cast<void>(::write(from_[1], &port, sizeof port));
    while (::read(to_[0], &one, 1) == 1) {
      burn(one);
      static_cast<void>(::write(from_[1], &one, 1));
    }
    ::_exit(0);
  }

  static void burn(int tenths) {
    const std::clock_t until = std::clock() + tenths * CLOCKS_PER_SEC / 10;
    while (std::clock() < until) {
    }
  }

  int to_[2] = {-1, -1}, from_[2] = {-1, -1};
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

TEST(ServerProcesses, AreFoundByPortWithTheirCpuTimeAndMemory) {
  SmallServer server;
  ASSERT_NE(server.port(), 0);
  EXPECT_EQ(listeners_on(server.port()), std::set<int>{server.pid()});
  const std::uint16_t ports[] = {server.port()};
  ServerProcesses processes(ports);
  EXPECT_TRUE(processes.unseen().empty());
  server.work(2);
  processes.look();
  EXPECT_FALSE(processes.use()) << "one look has no interval";
  server.work(3);
  processes.look();
  const auto use = processes.use();
  ASSERT_TRUE(use);
  EXPECT_EQ(use->processes, 2) << "the listener and its child";
  EXPECT_GT(use->cpu_s, 0.27) << "the time before the first look does not count";
  EXPECT_LT(use->cpu_s, 0.45);
  EXPECT_GE(use->wall_s, 0.27);
  EXPECT_GE(use->rss_bytes_peak, SmallServer::k_held_bytes);
#ifndef __SANITIZE_THREAD__  // which keeps several bytes for each byte of the program
  EXPECT_LT(use->rss_bytes_peak, SmallServer::k_held_bytes * 2);
#endif
}

TEST(ServerProcesses, ThatCannotBeFoundAreReportedAndHaveNoUse) {
  // This process listens itself: a load generator is not its server.
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::listen(fd, 1), 0);
  sockaddr_in6 address{};
  socklen_t length = sizeof address;
  ASSERT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::uint16_t ports[] = {ntohs(address.sin6_port)};
  ServerProcesses processes(ports);
  EXPECT_EQ(processes.unseen(), std::vector<std::uint16_t>{ports[0]});
  processes.look();
  processes.look();
  EXPECT_FALSE(processes.use());
  ::close(fd);
}

TEST(ServerProcesses, EnvironmentIsTheOneAtTheStart) {
  const pid_t child = ::fork();
  if (child == 0) {
    char* const argv[] = {const_cast<char*>("sleep"), const_cast<char*>("1000"), nullptr};
    char* const env[] = {const_cast<char*>("CUDA_VISIBLE_DEVICES=1,3"), const_cast<char*>("EMPTY="),
                         nullptr};
    ::execve("/bin/sleep", argv, env);
    ::_exit(1);
  }
  // Before exec the child has the environment of this process, without that variable.
  std::optional<std::string> found;
  for (int i = 0; i < 1'000'000 && !found; ++i)
    found = environment_of(child, "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(found, "1,3");
  EXPECT_EQ(environment_of(child, "EMPTY"), "");
  EXPECT_EQ(environment_of(child, "CUDA_VISIBLE"), std::nullopt);
  EXPECT_EQ(environment_of(1 << 30, "EMPTY"), std::nullopt);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace server_processes_test
}  // namespace orch::system
