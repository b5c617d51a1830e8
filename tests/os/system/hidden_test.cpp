// A process still finds, signals and ends the trees that it started when /proc is hidden from it.
#include "os/system/escape.hpp"

#include <functional>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

namespace orch::system::escape {
namespace hidden_test {

// Runs CHECK in a process with its own mount namespace. Returns its result, or -1 when such a
// namespace is not allowed.
int in_own_mounts(const std::function<int()>& check) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      ::_exit(255);
    ::_exit(check());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

bool hide_proc() {
  return ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0 && !identify(::getpid());
}

bool can_hide_proc() {
  return in_own_mounts([] { return hide_proc() ? 0 : 255; }) == 0;
}

class Hidden : public ::testing::TestWithParam<Containment> {
 protected:
  void SetUp() override {
    if (!can_hide_proc()) GTEST_SKIP() << "needs the right to mount";
    if (!is_available(GetParam())) GTEST_SKIP() << "not available here: " << to_string(GetParam());
  }
  Result<Tree> shell(Processes& processes, const std::string& script) const {
    return processes.spawn({.argv = {"/bin/sh", "-c", script},
                            .env = {{"PATH", "/usr/bin:/bin"}, {"F", folder.path}},
                            .work = folder.path,
                            .log = -1,
                            .token = token_,
                            .containment = GetParam()});
  }
  // Ends the processes of a failed test.
  ~Hidden() override {
    (void)RealProcesses().end(
        {.token = token_, .leader = {}, .boot_id = {}, .containment = {}, .cgroup = {}}, 10);
  }
  Folder folder;

 private:
  const std::string token_ = new_token();
};

// Each failure has its own exit code. A remaining process of the tree would hold the file.
TEST_P(Hidden, ATreeStartedBeforeIsFoundAndEnded) {
  const std::string file = folder.path + "/held", up = folder.path + "/up";
  std::ofstream(file) << "";
  EXPECT_EQ(in_own_mounts([&] {
              RealProcesses processes;
              const auto tree = shell(processes,
                                      "exec 5<$F/held; flock -s 5; trap '' TERM; echo x > $F/up; "
                                      "while :; do sleep 1000; done");
              if (!tree || !wait_for_text(up, "x", 20)) return 1;
              if (!hide_proc()) return 2;
              if (!processes.alive(*tree)) return 3;
              if (!processes.end(*tree, 20)) return 4;
              if (processes.alive(*tree)) return 5;
              const auto exits = processes.wait(20);
              return exits.size() == 1 && exits[0].process == tree->leader &&
                             exits[0].signal == SIGKILL
                         ? 0
                         : 6;
            }),
            0);
  EXPECT_TRUE(is_free(file));
}

TEST_P(Hidden, ATreeStartedBeforeIsSignalled) {
  const std::string up = folder.path + "/up", asked = folder.path + "/asked";
  EXPECT_EQ(in_own_mounts([&] {
              RealProcesses processes;
              const auto tree = shell(processes,
                                      "trap 'echo asked >> $F/asked; exit 7' TERM; echo x > $F/up; "
                                      "while :; do sleep 0.01; done");
              if (!tree || !wait_for_text(up, "x", 20) || !hide_proc()) return 1;
              processes.signal(*tree, SIGTERM);
              const auto exits = processes.wait(20);
              if (exits.size() != 1 || exits[0].code != 7) return 2;
              return processes.alive(*tree) ? 3 : 0;
            }),
            0);
  EXPECT_EQ(text_of(asked), "asked\n");
}

TEST_P(Hidden, ATreeStartedAfterwardsIsFoundAndEnded) {
  EXPECT_EQ(in_own_mounts([&] {
              RealProcesses processes;
              if (!hide_proc()) return 1;
              const auto tree = shell(processes, "trap '' TERM; while :; do sleep 1000; done");
              if (!tree) return 2;
              if (!processes.alive(*tree)) return 3;
              return processes.end(*tree, 20) && processes.wait(20).size() == 1 ? 0 : 4;
            }),
            0);
}

// The number of a process that was reaped may belong to another process.
TEST_P(Hidden, AReapedProcessIsNotSignalledAgain) {
  EXPECT_EQ(in_own_mounts([&] {
              RealProcesses processes;
              auto ended = shell(processes, "exit 0");
              if (!ended || processes.wait(20).size() != 1) return 1;
              const pid_t stranger = ::fork();
              if (stranger == 0) {
                ::setsid();
                ::pause();
              }
              while (::getpgid(stranger) != stranger) ::usleep(200);
              if (!hide_proc()) return 2;
              ended->leader.pid = stranger;
              processes.signal(*ended, SIGKILL);
              (void)processes.end(*ended, 0.1);
              siginfo_t info{};
              const bool is_alive = ::waitid(P_PID, static_cast<id_t>(stranger), &info,
                                             WEXITED | WNOHANG | WNOWAIT) == 0 &&
                                    info.si_pid == 0;
              ::kill(stranger, SIGKILL);
              return is_alive ? 0 : 3;
            }),
            0);
}

// In the weakest containment such processes can only be found through /proc.
TEST(HiddenOrphans, AProcessThatLeftTheSessionIsNotReportedAsGone) {
  if (!can_hide_proc()) GTEST_SKIP() << "needs the right to mount";
  Folder folder;
  EXPECT_EQ(in_own_mounts([&] {
              RealProcesses processes;
              const auto tree = processes.spawn(
                  {.argv = {"/bin/sh", "-c", "setsid sh -c 'echo $$ > $F/up; exec sleep 1000' &"},
                   .env = {{"PATH", "/usr/bin:/bin"}, {"F", folder.path}},
                   .work = folder.path,
                   .log = -1,
                   .token = new_token(),
                   .containment = Containment::session});
              if (!tree || !wait_for_text(folder.path + "/up", "\n", 20) ||
                  processes.wait(20).size() != 1)
                return 1;
              if (!hide_proc()) return 255;
              const bool alive = processes.alive(*tree), ended = processes.end(*tree, 0.05);
              ::kill(std::atoi(text_of(folder.path + "/up").c_str()),
                     SIGKILL);  // an adopted child that was not reaped
              return alive && !ended && processes.end(*tree, 20) ? 0 : 2;
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(All, Hidden,
                         ::testing::Values(Containment::cgroup, Containment::pid_namespace,
                                           Containment::session),
                         [](const ::testing::TestParamInfo<Containment>& one) {
                           std::string name(to_string(one.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace hidden_test
}  // namespace orch::system::escape
