// The table of commands: known and unknown names, and the internal commands.
#include "app/cli/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::cli {
namespace main_test {

struct Finished {
  int exit_code = 0;
  std::string out, err;
};

Finished run(std::vector<std::string> words) {
  words.insert(words.begin(), "orchestrate");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Finished finished;
  finished.exit_code = orch::cli::main(static_cast<int>(argv.size()), argv.data());
  finished.out = testing::internal::GetCapturedStdout();
  finished.err = testing::internal::GetCapturedStderr();
  return finished;
}

TEST(Main, SuggestsACommandForAMisspelledOne) {
  const Finished finished = run({"rnu"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, testing::StartsWith("unknown command 'rnu'; did you mean 'run'?"));
}

TEST(Main, SuggestsAnOptionForAMisspelledOne) {
  const Finished finished = run({"plan", "--explian", "m.yaml"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, testing::HasSubstr("unknown option '--explian' of 'plan'"));
}

TEST(Main, KnowsOptionsOfOtherLoadGenerators) {
  const Finished finished = run({"bench", "-u", "localhost:8000", "--input-file", "p.jsonl"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, testing::HasSubstr("'bench' has no option '-u', which other tools "
                                               "have; here it is --url URL"));
}

TEST(Main, HelpListsNoInternalCommand) {
  const Finished finished = run({"--help"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.out, testing::HasSubstr("bench"));
  EXPECT_THAT(finished.out, testing::Not(testing::HasSubstr("guardian")));
}

TEST(Main, PromptsNeedsAJobFileAndACommand) {
  const Finished finished = run({"prompts", "jobs.json"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, testing::HasSubstr("the command that makes prompts is missing"));
}

TEST(Main, PromptsReportsAJobFileThatCannotBeRead) {
  const Finished finished = run({"prompts", "/nowhere/jobs.json", "true"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.err, testing::HasSubstr("/nowhere/jobs.json"));
}

}  // namespace main_test
}  // namespace orch::cli
