// Scores of answers that a toy server gave: what they do to the rows, and what a kill leaves.
#include "e2e/toy.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

namespace orch::e2e {
namespace score_test {

// A finished run and its own answers as references.
void scored_project(Sweep& sweep) {
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Finished written = sweep.orchestrate({"score", "--write-references", "answers.jsonl"});
  ASSERT_EQ(written.code, 0) << written.err;
}

const std::vector<std::string> k_score = {"score", "--references", "answers.jsonl", "--scorer",
                                          "exact"};

TEST(Score, OfAnswersThatAreTheReferencesIsOne) {
  Sweep sweep;
  ASSERT_NO_FATAL_FAILURE(scored_project(sweep));
  const Finished done = sweep.orchestrate(k_score);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select score_exact from results"), 1);
}

TEST(Score, ThatWasKilledOnceItWasStoredIsThereOnce) {
  Sweep sweep;
  ASSERT_NO_FATAL_FAILURE(scored_project(sweep));
  std::vector<std::string> killed = {"/bin/sh", "-c",
                                     "ORCHESTRATE_KILL=scores-committed:1 "
                                     "ORCHESTRATE_KILL_COUNT=kills exec \"$0\" \"$@\"",
                                     ORCH_BINARY};
  killed.insert(killed.end(), k_score.begin(), k_score.end());
  EXPECT_EQ(sweep.run(killed).code, -1) << "it was killed";
  EXPECT_EQ(sweep.value("select count(*) from scores"), 1);
  const Finished again = sweep.orchestrate(k_score);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(sweep.value("select count(*) from scores"), 1);
  EXPECT_EQ(sweep.value("select score_exact from results"), 1);
  EXPECT_EQ(sweep.orchestrate({"verify"}).code, 0);
}

// Whether PID is a process that has not ended.
bool is_alive(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return !text.empty() && text[text.rfind(')') + 2] != 'Z';
}

TEST(Score, ThatIsKilledTakesItsScorerAlong) {
  Sweep sweep;
  ASSERT_NO_FATAL_FAILURE(scored_project(sweep));
  sweep.write("slow.sh", "#!/bin/sh\nsleep 600 &\necho $$ $! >pids.new; mv pids.new pids\nwait\n");
  std::filesystem::permissions(sweep.folder() + "/slow.sh", std::filesystem::perms::owner_all);
  const auto scoring =
      sweep.start({"score", "--references", "answers.jsonl", "--program", "./slow.sh"});
  int scorer = 0, below = 0;
  sweep.wait_until(
      [&] { return bool(std::ifstream(sweep.folder() + "/pids") >> scorer >> below); });
  EXPECT_TRUE(is_alive(scorer) && is_alive(below));
  ::kill(scoring.pid, SIGKILL);
  sweep.finish(scoring);
  sweep.wait_until([&] { return !is_alive(scorer) && !is_alive(below); });
}

}  // namespace score_test
}  // namespace orch::e2e
