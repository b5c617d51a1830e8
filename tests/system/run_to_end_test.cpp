// Short commands run to their end: real children, bounded by the time limits under test.
#include "system/run_to_end.hpp"

#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace orch::system {
namespace {

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
  Command command = shell("trap 'echo asked; exit 0' TERM; sleep 1000 & touch $F/started; wait");
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

TEST_F(RunToEnd, TheReasonOfAFailureIsTheLastLineOfStderrOrElseOfStdout) {
  EXPECT_EQ(run(shell("echo first; echo; echo '  last  '; echo; exit 1")).reason(), "last");
  EXPECT_EQ(run(shell("echo out; echo why >&2; echo later; exit 1")).reason(), "why");
  EXPECT_EQ(run(shell("exit 1")).reason(), "");
}

}  // namespace
}  // namespace orch::system
