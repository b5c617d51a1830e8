// Short commands run to their end: real children, bounded by the time limits under test.
#include "os/system/run_to_end.hpp"

#include "fakes/temp_folder.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {
namespace run_to_end_test {

class RunToEnd : public ::testing::Test {
 protected:
  static Command shell(const std::string& script) {
    return {.argv = {"sh", "-c", script}, .env = {{"PATH", "/usr/bin:/bin"}}};
  }
  CommandResult run(const Command& command) {
    auto result = run_to_end(processes_, clock_, command);
    EXPECT_TRUE(result) << result.error().text();
    return result ? *std::move(result) : CommandResult();
  }
  // Whether this process has a child, ended or not.
  static bool has_child() {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
  }
  RealProcesses processes_;
  RealClock clock_;
};

TEST_F(RunToEnd, SeparatesWhatACommandWritesToItsTwoOutputs) {
  const CommandResult result = run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(result.end, CommandResult::End::exited);
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.reason(), "err");
}

TEST_F(RunToEnd, GivesTheCommandItsInputArgumentsEnvironmentAndFolder) {
  const fakes::TempFolder folder;
  Command command = shell("cat; echo \"$1\" $COLOUR $HOME; pwd");
  command.argv.insert(command.argv.end(), {"sh", "a  b"});
  command.env["COLOUR"] = "blue";
  command.work = folder.path().string();
  command.input = "first\nsecond\n";
  EXPECT_EQ(run(command).output, "first\nsecond\na  b blue\n" + folder.path().string() + "\n");
}

TEST_F(RunToEnd, ACommandWithoutInputReadsAnEmptyOne) {
  EXPECT_EQ(run(shell("cat; echo end")).output, "end\n");
}

TEST_F(RunToEnd, ReportsTheSignalThatEndedTheCommand) {
  const CommandResult result = run(shell("kill -SEGV $$"));
  EXPECT_EQ(result.end, CommandResult::End::exited);
  EXPECT_EQ(result.code, -1);
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST_F(RunToEnd, AMissingProgramIsAnError) {
  const auto result = run_to_end(processes_, clock_, {.argv = {"no-such-program-here"}, .env = {}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(),
            "cannot run 'no-such-program-here': no such program, or it is not executable");
}

TEST_F(RunToEnd, AProgramThatTheKernelCannotRunIsAnError) {
  const fakes::TempFolder folder;
  const std::string path = folder.file("not-a-program");
  std::ofstream(path) << "no format of a program";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const auto result = run_to_end(processes_, clock_, {.argv = {path}, .env = {}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "cannot run '" + path + "': Exec format error");
  EXPECT_FALSE(has_child());
}

TEST_F(RunToEnd, AMissingFolderIsAnError) {
  Command command = shell("true");
  command.work = "/no/such/folder";
  const auto result = run_to_end(processes_, clock_, command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(),
            "cannot run '/usr/bin/sh' in the folder '/no/such/folder': No such file or directory");
  EXPECT_FALSE(has_child());
}

TEST_F(RunToEnd, KeepsTheEndOfLongOutputAndNeverBlocksTheCommand) {
  Command command =
      shell("i=0; while [ $i -lt 40000 ]; do echo line $i; i=$((i+1)); done; echo last");
  command.most_output_bytes = 20;
  const CommandResult result = run(command);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "998\nline 39999\nlast\n");
}

TEST_F(RunToEnd, EndsACommandThatExceedsItsTime) {
  Command command = shell("sleep 1000 & wait");
  command.timeout_s = 0.01;
  const CommandResult result = run(command);
  EXPECT_EQ(result.end, CommandResult::End::timed_out);
  EXPECT_EQ(result.code, -1);
}

TEST_F(RunToEnd, EndsACommandThatIsCancelledAndKeepsItsOutput) {
  const fakes::TempFolder folder;
  Command command = shell("echo started; touch $F/started; exec sleep 1000");
  command.env["F"] = folder.path().string();
  command.is_cancelled = [&] { return std::filesystem::exists(folder.path() / "started"); };
  const CommandResult result = run(command);
  EXPECT_EQ(result.end, CommandResult::End::cancelled);
  EXPECT_EQ(result.output, "started\n");
}

TEST_F(RunToEnd, AsksWithTermBeforeItKills) {
  const fakes::TempFolder folder;
  // Until it has begun its program, a child of the shell has the shell's trap.
  Command command =
      shell("trap 'echo asked; exit 0' TERM; sh -c 'touch $F/started; exec sleep 1000' & wait");
  command.env["F"] = folder.path().string();
  command.stop_s = 60;
  command.is_cancelled = [&] { return std::filesystem::exists(folder.path() / "started"); };
  const CommandResult result = run(command);
  EXPECT_EQ(result.end, CommandResult::End::cancelled);
  EXPECT_EQ(result.output, "asked\n");
}

TEST_F(RunToEnd, LeavesNoProcessOfTheCommandBehind) {
  const CommandResult result = run(shell("setsid sleep 1000 & echo $!"));
  EXPECT_EQ(result.code, 0);
  EXPECT_FALSE(identify(std::stoi(result.output)));
}

TEST_F(RunToEnd, ReapsTheOrphansOfTheCommand) {
  run(shell("true & setsid sh -c 'true & sleep 1000' & sleep 1000 & exit 0"));
  EXPECT_FALSE(has_child());
}

TEST_F(RunToEnd, LeavesOtherChildrenUnreaped) {
  const pid_t other = ::fork();
  if (other == 0) ::_exit(7);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(other), &info, WEXITED | WNOWAIT), 0);
  run(shell("true & exit 3"));
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other) << "another child was reaped";
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(RunToEnd, SaysSoWhenTheExitStatusWasTaken) {
  const fakes::TempFolder folder;
  Command command = shell("until test -e $F/go; do sleep 0.001; done; exit 3");
  command.env["F"] = folder.path().string();
  command.is_cancelled = [&] {
    std::ofstream(folder.file("go")) << "go";
    ::waitpid(-1, nullptr, 0);
    return false;
  };
  const auto result = run_to_end(processes_, clock_, command);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().text().starts_with("another thread took the exit status of process "))
      << result.error().text();
}

std::atomic<int> g_children = 0;
void on_child(int) { ++g_children; }

TEST_F(RunToEnd, LeavesTheHandlerOfSigchldAlone) {
  struct sigaction own {};
  own.sa_handler = on_child;
  own.sa_flags = SA_NODEFER;
  struct sigaction before {
  }, after{};
  ::sigaction(SIGCHLD, &own, &before);
  Command command = shell("sleep 1000 & wait");
  command.timeout_s = 0.01;
  EXPECT_EQ(run(command).end, CommandResult::End::timed_out);
  EXPECT_EQ(run(shell("exit 3")).code, 3);
  ::sigaction(SIGCHLD, &before, &after);
  EXPECT_EQ(after.sa_handler, on_child);
  EXPECT_TRUE(after.sa_flags & SA_NODEFER) << "it was replaced and set again";
  EXPECT_GE(g_children, 2) << "another handler had the signal meanwhile";
}

// A descriptor that a thread opened without close-on-exec would reach the child of another thread,
// and keep a pipe open after its owner has closed it.
TEST_F(RunToEnd, ACommandHoldsNoPipeOfAnotherThread) {
  const fakes::TempFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    RealProcesses processes;
    Command command = shell("touch $F/started; exec sleep 1000");
    command.env["F"] = folder.path().string();
    command.is_cancelled = [&] { return stop.load(); };
    static_cast<void>(run_to_end(processes, clock_, command));
  });
  while (!std::filesystem::exists(folder.path() / "started")) std::this_thread::yield();
  ::close(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "the command of the other thread holds the pipe";
  EXPECT_EQ(run(shell("ls -l /proc/self/fd | grep -c pipe:")).output, "2\n");
  stop = true;
  other.join();
  ::close(ends[0]);
}

TEST_F(RunToEnd, ThreadsRunCommandsAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int number = 1; number <= 4; ++number)
    threads.emplace_back([&, number] {
      RealProcesses processes;
      const std::string text = std::to_string(number);
      for (int round = 0; round < 10; ++round) {
        const auto result = run_to_end(processes, clock_, shell("echo " + text + "; exit " + text));
        if (!result || result->code != number || result->output != text + "\n") ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(has_child());
}

TEST_F(RunToEnd, TheReasonOfAFailureIsTheLastLineOfStderrOrElseOfStdout) {
  EXPECT_EQ(run(shell("echo first; echo; echo '  last  '; echo; exit 1")).reason(), "last");
  EXPECT_EQ(run(shell("echo out; echo why >&2; echo later; exit 1")).reason(), "why");
  EXPECT_EQ(run(shell("exit 1")).reason(), "");
}

}  // namespace run_to_end_test
}  // namespace orch::system
