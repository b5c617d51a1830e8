// Runs that add sessions of a toy server until a difference is decided. One flavour of it sleeps
// before each token.
#include "e2e/toy.hpp"

namespace orch::e2e {
namespace resolve_test {

// The server of flavour "slow" sleeps 20 ms before each token, every other one 10 ms: what the
// machine does meanwhile is small beside both.
void slow_project(Sweep& sweep, const std::string& matrix) {
  toy_project(sweep, matrix);
  std::string server = Sweep::read(sweep.folder() + "/runners/toy/serve.py");
  const std::string token = "            event = b'data";
  server.insert(server.find(token),
                "            time.sleep(0.02 if flavour == 'slow' else 0.01)\n");
  server.replace(server.find("import http.server"), 18, "import time, http.server");
  sweep.write("runners/toy/serve.py", server);
}

constexpr const char* k_sessions =
    "select count(distinct m.session_id) from results_all r join measurement m on m.id = "
    "r.measurement where r.flavour = ";

TEST(Resolve, AddsSessionsOfBothSidesUntilTheyDiffer) {
  Sweep sweep;
  slow_project(sweep, "axes: {flavour: [plain, slow, sweet], concurrency: [1, 2]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml", "--resolve", "plain against slow"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find(", 1 session a side: too few sessions for a first look"),
            std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("3 sessions a side: they differ"), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("After 1 round: decided"), std::string::npos) << done.err;
  EXPECT_EQ(sweep.value(k_sessions + std::string("'plain'")), 3);
  EXPECT_EQ(sweep.value(k_sessions + std::string("'slow'")), 3);
  EXPECT_EQ(sweep.value(k_sessions + std::string("'sweet'")), 1) << "it is on no side";

  const Finished again = sweep.orchestrate({"run", "toy.yaml", "--resolve", "plain against slow"});
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.err.find("After 0 rounds: decided"), std::string::npos) << again.err;
  EXPECT_EQ(sweep.value(k_sessions + std::string("'slow'")), 3) << "the sessions are there already";
}

TEST(Resolve, MeasuresTheSidesInTurn) {
  Sweep sweep;
  slow_project(sweep, "axes: {flavour: [plain, slow]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml", "--resolve", "plain against slow"}).code, 0);
  EXPECT_EQ(sweep.value("select group_concat(flavour, ' ') from (select flavour from results_all "
                        "order by measurement)"),
            "plain slow slow plain plain slow");
}

TEST(Resolve, IsAskedByAMatrixAsWell) {
  Sweep sweep;
  slow_project(sweep, "axes: {flavour: [plain, slow]}\n");
  std::string matrix = Sweep::read(sweep.folder() + "/toy.yaml");
  matrix.insert(
      matrix.find("limits:"),
      "until_difference: 5 %, of: request_latency_ms, between: flavour, most_sessions: 4, ");
  sweep.write("toy.yaml", matrix);
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find("slow against plain: request_latency_ms +"), std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("they differ"), std::string::npos) << done.err;
}

TEST(Resolve, StopsAtTheBudgetAndGoesOnLater) {
  Sweep sweep;
  slow_project(sweep, "axes: {flavour: [plain, slow]}\n");
  const Finished first = sweep.orchestrate(
      {"run", "toy.yaml", "--resolve", "plain against slow", "--budget", "0.01s"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("the next round would end after the budget"), std::string::npos)
      << first.err;
  EXPECT_EQ(sweep.value(k_sessions + std::string("'slow'")), 1);
  const Finished second = sweep.orchestrate({"run", "toy.yaml", "--resolve", "plain against slow"});
  EXPECT_NE(second.err.find("they differ"), std::string::npos) << second.err;
}

TEST(Resolve, RefusesWhatItCannotCompareBeforeAnythingRuns) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain, sweet]}\n");
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "toy.yaml"});
    const Finished done = sweep.orchestrate(words);
    EXPECT_EQ(done.code, 2);
    return done.err;
  };
  EXPECT_NE(refused({"--resolve", "plain against sour"}).find("--resolve"), std::string::npos);
  EXPECT_NE(refused({"--resolve", "plain against sweet", "--of", "output_tsp"})
                .find("'output_tsp' is not a metric; did you mean 'output_tps'?"),
            std::string::npos);
  EXPECT_NE(refused({"--budget", "2h"}).find("add --resolve \"A against B\""), std::string::npos);
  EXPECT_NE(refused({"--resolve", "plain against sweet", "--again", "1"}).find("leave --again out"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(sweep.folder() + "/results/results.db"));
}

}  // namespace resolve_test
}  // namespace orch::e2e
