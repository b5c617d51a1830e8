// `best` on a store that a run made, and `best --confirm`, which measures with a toy server.
#include "e2e/toy.hpp"

#include <csignal>

namespace orch::e2e {
namespace best_test {

// The server of flavour "slow" sleeps 40 ms before each token, every other one 5 ms: what the
// machine does meanwhile is small beside the difference.
void project_with_a_slow_flavour(Sweep& sweep) {
  toy_project(sweep, "axes: {flavour: [slow, plain, sweet, \"it's\"]}\n");
  std::string server = Sweep::read(sweep.folder() + "/runners/toy/serve.py");
  const std::string token = "            event = b'data";
  server.insert(server.find(token),
                "            time.sleep(0.04 if flavour == 'slow' else 0.005)\n");
  server.replace(server.find("import http.server"), 18, "import time, http.server");
  sweep.write("runners/toy/serve.py", server);
}

const std::vector<std::string> k_question = {"best", "--maximize", "output_tps", "--subject-to",
                                             "error_rate = 0"};

std::vector<std::string> confirming() {
  std::vector<std::string> words = k_question;
  words.emplace_back("--confirm");
  return words;
}

// Sessions that have measured FLAVOUR.
Json sessions_of(Sweep& sweep, const std::string& flavour) {
  return sweep.value(
      "select count(distinct m.session_id) from results_all r join measurement m on m.id = "
      "r.measurement where r.flavour = '" +
      flavour + "'");
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

void expect_three_new_sessions(Sweep& sweep) {
  for (const char* flavour : {"plain", "sweet", "it''s"})
    EXPECT_EQ(sessions_of(sweep, flavour), 4) << flavour;
  EXPECT_EQ(sessions_of(sweep, "slow"), 1) << "it is not among the first three";
}

TEST(Best, EndsWithALineThatReproducesTheBest) {
  Sweep sweep;
  project_with_a_slow_flavour(sweep);
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const Finished best = sweep.orchestrate(k_question);
  ASSERT_EQ(best.code, 0) << best.err;
  EXPECT_NE(best.out.find("one session of each allows no claim"), std::string::npos) << best.out;
  const std::string line = last_line(best.out);
  ASSERT_TRUE(line.starts_with("orchestrate reproduce ")) << best.out;
  const Finished again =
      sweep.run({"bash", "-c", std::string(ORCH_BINARY) + line.substr(line.find(' '))});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("stages have the digests that they had"), std::string::npos)
      << again.err;
}

TEST(BestConfirm, MeasuresTheFirstThreeInThreeNewSessionsAndReportsOnlyThese) {
  Sweep sweep;
  project_with_a_slow_flavour(sweep);
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const Finished done = sweep.orchestrate(confirming());
  ASSERT_EQ(done.code, 0) << done.err;
  expect_three_new_sessions(sweep);
  EXPECT_NE(done.out.find("measured again, in new sessions only"), std::string::npos) << done.out;
  EXPECT_EQ(done.out.find("slow"), std::string::npos) << done.out;
  EXPECT_EQ(done.out.find("corrected"), std::string::npos) << done.out;
}

TEST(BestConfirm, GoesOnAfterItWasKilled) {
  Sweep sweep;
  project_with_a_slow_flavour(sweep);
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const auto killed = sweep.start(confirming());
  sweep.wait_until([&] { return sweep.value("select count(*) from results_all") >= 7; });
  ::kill(killed.pid, SIGKILL);
  EXPECT_EQ(sweep.finish(killed).code, -1) << "it ended before it was killed";
  const Finished done = sweep.orchestrate(confirming());
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find("going on measuring"), std::string::npos) << done.err;
  expect_three_new_sessions(sweep);
  EXPECT_NE(done.out.find("measured again, in new sessions only"), std::string::npos) << done.out;
}

TEST(BestConfirm, GoesOnAfterASignal) {
  Sweep sweep;
  project_with_a_slow_flavour(sweep);
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const auto stopped = sweep.start(confirming());
  sweep.wait_until(
      [&] { return sweep.stderr_of(stopped).find("done     bench") != std::string::npos; });
  ::kill(stopped.pid, SIGINT);
  EXPECT_EQ(sweep.finish(stopped).code, 130);
  const Finished done = sweep.orchestrate(confirming());
  ASSERT_EQ(done.code, 0) << done.err;
  expect_three_new_sessions(sweep);
}

}  // namespace best_test
}  // namespace orch::e2e
