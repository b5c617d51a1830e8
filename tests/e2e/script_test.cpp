// `plan --script` on real parts: the script makes the same files as `run`.
#include "e2e/sweep.hpp"

#include <map>
#include <set>

namespace orch::e2e {
namespace script_test {

namespace fs = std::filesystem;

// The quickstart, reduced to two points of two precisions.
constexpr const char* k_matrix = R"yaml(
name: by-hand
runner: triton-openvino
models:
  tiny: {source: "generate:tiny"}
axes:
  model: [tiny]
  precision: [f16, q8_0]
  length: [{isl: 32, osl: 32}]
  batch_size: [4]
  load: [{concurrency: 2}]
let:
  num_prompts: "max(10, 5 * concurrency)"
measure:
  warmup: concurrency
  # Other work on the machine's few cores must not fail this test.
  limits: {wake_lag_ms: 1000, client_cpu_share: 1000}
)yaml";

class ByHand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sweep = new Sweep();
    fs::create_directory_symlink(std::string(ORCH_SOURCE_DIR) + "/runners",
                                 sweep->folder() + "/runners");
    fs::create_directory_symlink(std::string(ORCH_SOURCE_DIR) + "/templates",
                                 sweep->folder() + "/templates");
    sweep->write("matrix.yaml", k_matrix);
    plan = sweep->orchestrate({"plan", "matrix.yaml", "--script"});
    sweep->write("plan.sh", plan.out);
    by_hand = sweep->run({"env", "OUT=by-hand", "bash", "plan.sh"});
    run = sweep->orchestrate({"run", "matrix.yaml"});
    stages = Json::parse(sweep->orchestrate({"plan", "matrix.yaml", "--json"}).out, nullptr,
                         false)["stages"];
  }
  static void TearDownTestSuite() { delete sweep; }

  // The name of the folder of a stage's artifact; "" without one.
  static std::string artifact(const Json& stage) {
    if (stage["kind"] == "service") return "";
    return stage["id"].get<std::string>() + (stage["kind"] == "measure" ? ".1" : "");
  }

  // Path below FOLDER -> sha256.
  static std::map<std::string, std::string> files_of(const std::string& folder) {
    std::map<std::string, std::string> digests;
    const Finished sums =
        sweep->run({"bash", "-c", "cd \"$0\" && find . -type f -exec sha256sum {} +", folder});
    EXPECT_EQ(sums.code, 0) << sums.err;
    std::istringstream lines(sums.out);
    for (std::string digest, path; lines >> digest >> path;) digests[path] = digest;
    return digests;
  }

  static Sweep* sweep;
  static Finished plan, by_hand, run;
  static Json stages;
};

Sweep* ByHand::sweep = nullptr;
Finished ByHand::plan, ByHand::by_hand, ByHand::run;
Json ByHand::stages;

TEST_F(ByHand, TheScriptRunsToItsEnd) {
  ASSERT_EQ(plan.code, 0) << plan.err;
  ASSERT_EQ(by_hand.code, 0) << by_hand.err;
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(by_hand.err.find("done: "), std::string::npos) << by_hand.err;
}

TEST_F(ByHand, EveryFileEqualsTheOneOfTheRun) {
  std::size_t compared = 0;
  for (const Json& stage : stages) {
    if (stage["kind"] != "task" || stage["stage"].get<std::string>().ends_with("environment"))
      continue;  // the environment cannot be moved
    const auto made = files_of(sweep->store() + "/artifacts/" + artifact(stage) + "/out");
    EXPECT_EQ(files_of(sweep->folder() + "/by-hand/artifacts/" + artifact(stage) + "/out"), made)
        << stage["id"];
    compared += made.size();
  }
  EXPECT_GT(compared, 40u);
}

TEST_F(ByHand, TheScriptMakesExactlyTheArtifactsOfTheRun) {
  std::set<std::string> expected, found;
  for (const Json& stage : stages)
    if (!artifact(stage).empty()) expected.insert(artifact(stage));
  for (const auto& entry : fs::directory_iterator(sweep->folder() + "/by-hand/artifacts"))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

TEST_F(ByHand, EveryMeasurementIsCompleteAndCountsTheRequestedTokens) {
  std::size_t measurements = 0;
  for (const Json& stage : stages) {
    if (stage["kind"] != "measure") continue;
    ++measurements;
    const std::string out = sweep->folder() + "/by-hand/artifacts/" + artifact(stage) + "/out";
    const Json record = Json::parse(Sweep::read(out + "/measurement.json"), nullptr, false);
    ASSERT_FALSE(record.is_discarded()) << out;
    const Json& one = record["measurements"][0];
    EXPECT_EQ(one["load"]["requests"], 10) << one;
    EXPECT_EQ(one["valid"], true) << one;
    EXPECT_EQ(one["metrics"]["error_rate"], 0) << one;
    const std::string requests = Sweep::read(out + "/requests.jsonl");
    EXPECT_EQ(std::count(requests.begin(), requests.end(), '\n'), 12);
  }
  EXPECT_EQ(measurements, 2u);
}

TEST_F(ByHand, NoServerIsLeft) {
  const std::string folder = sweep->folder() + "/by-hand/";
  for (const auto& process : fs::directory_iterator("/proc")) {
    if (process.path().filename().string().find_first_not_of("0123456789") != std::string::npos)
      continue;
    EXPECT_EQ(Sweep::read(process.path().string() + "/cmdline").find(folder), std::string::npos)
        << process.path();
  }
  for (const Json& stage : stages) {
    if (stage["kind"] != "service") continue;
    const std::string log = Sweep::read(folder + "logs/" + stage["id"].get<std::string>() + ".log");
    const auto at = log.find("shm-region-prefix-name=");
    if (at == std::string::npos) continue;
    const std::string token = log.substr(at + 23, 17);
    for (const auto& entry : fs::directory_iterator("/dev/shm"))
      EXPECT_FALSE(entry.path().filename().string().starts_with(token)) << entry.path();
  }
}

}  // namespace script_test
}  // namespace orch::e2e
