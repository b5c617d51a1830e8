// The whole chain on real parts: a model is made, quantized, converted, built, served by a real
// Triton and measured. All tests read the results of one sweep.
#include "e2e/sweep.hpp"

namespace orch::e2e {
namespace chain_test {

constexpr const char* k_matrix = R"(
name: chain
runner: triton-openvino
models:
  nano: {source: "generate:nano"}
axes:
  model: [nano]
  precision: [f16, q4_0]
  length: [{isl: 16, osl: 8}, {isl: 48, osl: 16}]
  batch_size: [2, 4]
  load: [{concurrency: 1}, {concurrency: 4}]
defaults: {num_prompts: 12}
measure:
  warmup: 2
  # This is no test of the machine's quietness: other work on its few cores may not fail it.
  limits: {wake_lag_ms: 1000, client_cpu_share: 1000}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

class Chain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sweep = new Sweep();
    // The runners are in the source tree, the matrix is not.
    std::filesystem::create_directory_symlink(std::string(ORCH_SOURCE_DIR) + "/runners",
                                              sweep->folder() + "/runners");
    std::filesystem::create_directory_symlink(std::string(ORCH_SOURCE_DIR) + "/templates",
                                              sweep->folder() + "/templates");
    sweep->write("chain.yaml", k_matrix);
    first = sweep->orchestrate({"run", "chain.yaml"});
  }
  static void TearDownTestSuite() { delete sweep; }

  static Sweep* sweep;
  static Finished first;
};

Sweep* Chain::sweep = nullptr;
Finished Chain::first;

TEST_F(Chain, EveryPointEndsWithAValidResult) {
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(sweep->value("select count(*) from results"), 16);
  EXPECT_EQ(sweep->value("select count(*) from results_all where not valid"), 0);
}

TEST_F(Chain, SharedWorkIsDoneOnce) {
  auto attempts = [&](const std::string& stage) {
    return sweep->value("select count(*) from stages where name = '" + stage +
                        "' and attempts > 0");
  };
  EXPECT_EQ(attempts("environment"), 1);
  EXPECT_EQ(attempts("download"), 1);
  EXPECT_EQ(attempts("build"), 2);  // distinct (model, precision)
  EXPECT_EQ(attempts("serve"),
            4);  // distinct (model, precision, batch_size): lengths and loads share a server
  EXPECT_EQ(attempts("bench"), 16);
  EXPECT_EQ(sweep->value("select sum(attempts) from stages where name = 'serve'"), 4);
}

TEST_F(Chain, TokenCountsMatchTheRequestAndTheServer) {
  for (const Json& row : sweep->query("select isl, osl, isl_counted, isl_reported, osl_counted, "
                                      "osl_reported, error_rate from results")) {
    EXPECT_EQ(row["isl_counted"], row["isl"]) << row;
    EXPECT_EQ(row["osl_counted"], row["osl"]) << row;
    EXPECT_EQ(row["isl_reported"], row["isl"]) << row;
    EXPECT_EQ(row["osl_reported"], row["osl"]) << row;
    EXPECT_EQ(row["error_rate"], 0) << row;
  }
}

TEST_F(Chain, TheWorkOfEachModelIsRecorded) {
  const char* models[] = {"ensemble", "preprocessing", "tensorrt_llm"};
  for (const char* model : models) {
    const Json rows =
        sweep->query(fmt::format("select distinct delta from server_metrics where family = "
                                 "'nv_inference_request_success' and model = '{}'",
                                 model));
    EXPECT_EQ(rows, Json::parse(R"([{"delta": 12.0}])"))
        << model << ": the measured requests and no warm-up";
  }
  EXPECT_EQ(
      sweep->value("select count(*) from server_metrics where family = "
                   "'nv_inference_queue_duration_us' and model = 'preprocessing' and delta >= 0"),
      16);
  EXPECT_EQ(sweep->value(
                "select count(*) from server_metrics where family = 'nv_trt_llm_request_metrics' "
                "and label = 'max' and kind = 'gauge' and after in (2, 4)"),
            16);
}

// The server and its client are in separate containments. A window of less than 50 ms has no CPU
// share.
TEST_F(Chain, TheUseByTheServersProcessesIsRecorded) {
  EXPECT_GE(sweep->value("select count(*) from results where server_cpu_share > 0 and "
                         "server_memory_gib_peak > 0.01"),
            8);
}

TEST_F(Chain, AnswersAreKeptAndPromptsDifferFromTheWarmUp) {
  EXPECT_EQ(sweep->value("select count(*) from answers where not warmup and answer <> ''"),
            16 * 12);
  EXPECT_EQ(sweep->value("select count(*) from answers where warmup"), 16 * 2);
}

TEST_F(Chain, ProvenanceNamesCommandsArtifactsAndTheMachine) {
  EXPECT_EQ(sweep->value("select count(*) from provenance where kind = 'task' and (command is null "
                         "or artifact_digest is null)"),
            0);
  EXPECT_EQ(sweep->value("select count(distinct machine) from provenance"), 1);
}

TEST_F(Chain, TheServerLeavesNothingBehind) {
  for (const Json& row : sweep->query("select token from attempt")) {
    const std::string token = row["token"];
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
      EXPECT_FALSE(entry.path().filename().string().starts_with(token)) << entry.path();
    system::RealProcesses processes;
    EXPECT_FALSE(processes.alive({.token = token,
                                  .leader = {},
                                  .boot_id = system::boot_id(),
                                  .containment = {},
                                  .cgroup = {}}))
        << token;
  }
  EXPECT_TRUE(std::filesystem::is_empty(sweep->store() + "/attempts"));
}

TEST_F(Chain, PlainSqliteReadsTheDatabase) {
  const Finished shell =
      sweep->run({"sqlite3", sweep->store() + "/results.db", "select count(*) from results"});
  EXPECT_EQ(shell.out, "16\n") << shell.err;
}

TEST_F(Chain, ARunEndsWithTheCommandOfItsReport) {
  const std::size_t line = first.err.find("Report: orchestrate report");
  ASSERT_NE(line, std::string::npos) << first.err;
  EXPECT_EQ(first.err.find('\n', line), first.err.size() - 1) << "it is the last line";
  const Finished report = sweep->orchestrate({"report"});
  ASSERT_EQ(report.code, 0) << report.err;
  std::ifstream page(report.out.substr(0, report.out.find('\n')));
  const std::string text((std::istreambuf_iterator<char>(page)), {});
  std::size_t points = 0;
  for (std::size_t at = 0; (at = text.find("<th><a href=\"#p", at)) != std::string::npos; ++at)
    ++points;
  EXPECT_EQ(points, 16u);
  EXPECT_NE(text.find("id=\"latencies\""), std::string::npos) << "from the records of requests";
  EXPECT_NE(text.find("id=\"server\""), std::string::npos) << "from the server's statistics";
  EXPECT_NE(text.find("id=\"timeline\""), std::string::npos);
}

TEST_F(Chain, RunningAgainStartsNothingAndReportsWhy) {
  const Json before = sweep->value("select count(*) from attempt");
  const Finished again = sweep->orchestrate({"run", "chain.yaml"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(sweep->value("select count(*) from attempt"), before);
  EXPECT_EQ(again.err.find("started"), std::string::npos) << again.err;
  EXPECT_NE(again.err.find("made by run 1; nothing in its digest has changed"), std::string::npos)
      << again.err;
  EXPECT_EQ(sweep->value("select count(*) from results"), 16);
}

TEST_F(Chain, AChangedLengthRunsOnlyTheStagesThatReadIt) {
  sweep->write("longer.yaml",
               with(with(k_matrix, "name: chain", "name: longer"), "isl: 48", "isl: 40"));
  const Finished done = sweep->orchestrate({"run", "longer.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json rows = sweep->query(
      "select name, count(*) as made from stages where experiment = 'longer' and state = 'done' "
      "group by name order by name");
  EXPECT_EQ(
      rows,
      Json::parse(
          R"([{"name":"bench","made":8},{"name":"prompts","made":2},{"name":"serve","made":4}])"))
      << rows;
  EXPECT_EQ(sweep->value("select count(*) from results where experiment = 'longer'"), 16);
}

TEST_F(Chain, PointsThatTheEngineCannotServeAreRejectedWithAReason) {
  sweep->write("tp.yaml", with(k_matrix, "defaults: {", "defaults: {tp: 2, "));
  const Finished plan = sweep->orchestrate({"plan", "tp.yaml", "--json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  const Json points = Json::parse(plan.out)["points"];
  ASSERT_EQ(points.size(), 16u);
  EXPECT_EQ(points[0]["status"], "reject");
  EXPECT_EQ(points[0]["reason"].get<std::string>().rfind("one-rank: tp 2, pp 1: ", 0), 0u)
      << points[0]["reason"];
}

}  // namespace chain_test
}  // namespace orch::e2e
