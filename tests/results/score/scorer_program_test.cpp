// Scorers of all kinds of misbehaviour: one clear error each, and no score.
#include "results/score/scorer_program.hpp"

#include "fakes/temp_folder.hpp"
#include "os/system/clock.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::score {
namespace scorer_program_test {

using testing::AllOf;
using testing::HasSubstr;

class ScorerProgram : public testing::Test {
 protected:
  // A shell script as the scorer of three answers; $IN is what it reads.
  auto run(const std::string& script, double timeout_s = 60) {
    const std::filesystem::path file = folder_.path() / "judge.sh";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    const Scorer scorer{.name = "judge",
                        .version = "1",
                        .digest = "d",
                        .argv = {file.string()},
                        .program = "./judge.sh"};
    return run_scorer({.processes = processes_,
                       .clock = clock_,
                       .environment = {{"PATH", "/usr/bin:/bin"}},
                       .folder = folder_.path().string(),
                       .timeout_s = timeout_s},
                      scorer, questions_);
  }
  std::string error(const std::string& script, double timeout_s = 60) {
    const auto scores = run(script, timeout_s);
    return scores ? "" : scores.error().message;
  }

  const fakes::TempFolder folder_;
  system::RealProcesses processes_;
  system::RealClock clock_;
  const std::vector<std::string> references_ = {"a", "b"};
  std::vector<Question> questions_ = {
      {.id = 1, .prompt = "p", .answer = "x", .references = &references_, .point = "P", .idx = 0},
      {.id = 2, .prompt = "p", .answer = "y", .references = nullptr, .point = "P", .idx = 1},
      {.id = 3, .prompt = "p", .answer = "z", .references = nullptr, .point = "P", .idx = 2}};
};

constexpr const char* k_good =
    "cat >in; echo '{\"id\": 3, \"score\": 1}'; echo; echo '{\"id\": 1, \"score\": 0.5, \"why\": "
    "[]}'; echo '{\"id\": 2, \"score\": null}'";

TEST_F(ScorerProgram, MayAnswerInAnyOrderAndGiveNoScore) {
  const auto scores = run(k_good);
  ASSERT_TRUE(scores.ok()) << scores.error().text();
  EXPECT_EQ(scores->at(1), 0.5);
  EXPECT_EQ(scores->at(2), std::nullopt);
  EXPECT_EQ(scores->at(3), 1.0);
}

TEST_F(ScorerProgram, ReadsOneObjectALineWithAllReferences) {
  ASSERT_TRUE(run(k_good).ok());
  std::ifstream in(folder_.path() / "in");
  std::string first;
  std::getline(in, first);
  EXPECT_EQ(first, R"({"answer":"x","id":1,"prompt":"p","references":["a","b"]})");
}

TEST_F(ScorerProgram, GetsHostileAnswersAsTextThatNothingExecutes) {
  constexpr char k_hostile[] = "$(touch owned)`touch owned`\n\"}{\x1b[2J\0\xff";
  const std::string hostile(k_hostile, sizeof k_hostile - 1);
  questions_[0].answer = hostile;
  ASSERT_TRUE(run(k_good).ok());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "owned"));
  std::ifstream in(folder_.path() / "in");
  std::string first;
  std::getline(in, first);
  EXPECT_THAT(first, AllOf(HasSubstr(R"($(touch owned)`touch owned`\n\"}{\u001b[2J\u0000)"),
                           HasSubstr("\xef\xbf\xbd")));
}

TEST_F(ScorerProgram, ThatFailsIsNamedWithItsLastWordsEscaped) {
  EXPECT_EQ(
      error("echo boom; echo 'no \033[31mmodel' >&2; exit 3"),
      "the scorer './judge.sh' ended with status 3: no \\x1b[31mmodel; correct it: no score was "
      "stored");
  EXPECT_THAT(error("kill -SEGV $$"), HasSubstr("was ended by signal 11"));
}

TEST_F(ScorerProgram, WhoseLineIsNoScoreIsNamedWithTheLineAndTheForm) {
  const std::string form = "a line must be {\"id\": N, \"score\": NUMBER or null}";
  for (const auto& [line, fault] : std::vector<std::pair<std::string, std::string>>{
           {"garbage", "'garbage': not a JSON object"},
           {"[1]", "not a JSON object"},
           {"{\"id\": 1, \"score\": NaN}", "'{\"id\": 1, \"score\": NaN}': not a JSON object"},
           {"{\"id\": 1, \"score\": 1e999}", "not a JSON object"},
           {"{\"id\": 1, \"score\": \"0.5\"}", "it has no number 'score'"},
           {"{\"id\": 1}", "it has no number 'score'"},
           {"{\"score\": 1}", "it has no integer 'id'"},
           {"{\"id\": \"1\", \"score\": 1}", "it has no integer 'id'"},
           {"{\"id\": 9, \"score\": 1}", "no answer has this id"}})
    EXPECT_THAT(error("cat >/dev/null; echo '{\"id\": 2, \"score\": 1}'; echo '" + line + "'"),
                AllOf(HasSubstr("output line 2 of the scorer './judge.sh' is"), HasSubstr(fault),
                      HasSubstr(form)))
        << line;
}

TEST_F(ScorerProgram, ThatScoresAnAnswerTwiceOrNotAtAllIsNamed) {
  EXPECT_THAT(error("echo '{\"id\": 2, \"score\": 1}'; echo '{\"id\": 2, \"score\": 0}'"),
              AllOf(HasSubstr("line 2"), HasSubstr("this id has a score already")));
  EXPECT_THAT(error("echo '{\"id\": 2, \"score\": 1}'"),
              HasSubstr("scored 1 of 3 answers: the one with id 1 (request 0 of P) is missing"));
  EXPECT_THAT(error("true"), HasSubstr("scored 0 of 3 answers"));
}

// A reader takes the first or the last of them: neither is what the scorer meant.
TEST_F(ScorerProgram, ThatAnswersTwiceInOneLineIsNamed) {
  for (const char* line :
       {R"({"id": 2, "score": 0, "score": 1})", R"({"id": 1, "score": 0, "id": 2})",
        R"({"id": 2, "score": 1, "sc\u006fre": 0})"})
    EXPECT_THAT(error(std::string("cat >/dev/null; printf '%s\\n' '") + line + "'"),
                AllOf(HasSubstr("output line 1 of the scorer './judge.sh' is"),
                      HasSubstr("it answers twice"), HasSubstr("occurs twice")))
        << line;
}

TEST_F(ScorerProgram, ThatHangsIsEndedWithAllItsProcesses) {
  EXPECT_THAT(error("sleep 1000 & echo $! >child; wait", 0.3),
              AllOf(HasSubstr("took longer than"), HasSubstr("--timeout")));
  std::ifstream in(folder_.path() / "child");
  std::string pid;
  std::getline(in, pid);
  EXPECT_FALSE(std::filesystem::exists("/proc/" + pid));
}

TEST_F(ScorerProgram, ThatCannotBeStartedIsNamed) {
  const Scorer missing{
      .name = "x", .version = "", .digest = "", .argv = {"/no/such"}, .program = "/no/such"};
  const auto scores = run_scorer({.processes = processes_,
                                  .clock = clock_,
                                  .environment = {},
                                  .folder = folder_.path().string()},
                                 missing, questions_);
  ASSERT_FALSE(scores.ok());
  EXPECT_THAT(scores.error().text(),
              AllOf(HasSubstr("'/no/such' could not be started"), HasSubstr("chmod +x")));
}

}  // namespace scorer_program_test
}  // namespace orch::score
