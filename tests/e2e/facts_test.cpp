// A model on a hub whose facts decide about points: unknown facts are reported, resolved in the
// right order, remembered, and resolved again only on request. A runner of YAML and small scripts,
// and a hub of one file.
#include "e2e/toy.hpp"

#include <regex>

#include <gmock/gmock.h>

namespace orch::e2e {
namespace facts_test {

using testing::HasSubstr;
using testing::Not;

constexpr const char* k_hub_runner = R"(
runner: hub
parameters:
  model: {type: text}
  tp: {type: integer, min: 1, default: 1}
  osl: {type: integer, default: 4}
  concurrency: {type: integer, default: 1}
facts: {from: download, file: config.json, names: {model_heads: {type: integer, keys: [num_attention_heads]}}}
resolve:
  hf: {argv: [/usr/bin/python3, "{file:resolve.py}", "{model.source}", "{model.revision}"], timeout_s: 20}
rules:
  - {name: heads, require: "model_heads % tp = 0", because: "{model_heads} heads cannot be shared by {tp} ranks", when: "tp > 1"}
  - {name: few, level: warn, require: "model_heads >= 16", because: "only {model_heads} heads"}
stages:
  download:
    kind: task
    reads: [model]
    argv: [/usr/bin/python3, "{file:download.py}", "{model.source}", "{model.revision}", "{out}"]
    outputs: [config.json]
  make:
    kind: task
    needs: [download]
    reads: [tp]
    argv: [/usr/bin/python3, "{file:make.py}", "plain", "0", "{out}"]
    outputs: [model.txt, prompts.jsonl]
  serve:
    kind: service
    needs: [make]
    ports: [http]
    argv: [/usr/bin/python3, "{file:serve.py}", "{port:http}", plain, "{stage:make}/model.txt"]
    ready: {port: http, get: [/ready], timeout_s: 20}
    stop_s: 5
  bench:
    kind: measure
    needs: [serve, make]
    reads: [osl, concurrency]
    argv: ["{orchestrate}", bench, --url, "http://127.0.0.1:{port:serve.http}", --protocol, triton-http, --model, toy, --stream,
           --concurrency, "{concurrency}", --requests, "6", --warmup, "1", --osl, "{osl}", --prompts, "{stage:make}/prompts.jsonl",
           --wake-lag-ms-limit, "{measure.wake_lag_ms}", --client-cpu-limit, "{measure.client_cpu_share}", --out, "{out}", --format, json]
    outputs: [measurement.json, requests.jsonl]
)";

constexpr const char* k_resolve = R"(import os, sys
source, revision = sys.argv[1:]
hub = dict(line.split() for line in open(os.path.join(os.path.dirname(sys.argv[0]), "hub.txt")))
if source + "@" + revision not in hub:
    sys.exit(f"404: the hub has no {source} at {revision}")
print("asking the hub")
print(hub[source + "@" + revision])
)";

constexpr const char* k_download = R"(import json, sys
source, revision, out = sys.argv[1:]
assert len(revision) == 40, revision
print("downloading", source, revision)
json.dump({"num_attention_heads": int(source.rsplit("heads", 1)[1])}, open(out + "/config.json", "w"))
)";

const std::string k_first = std::string(40, 'a'), k_second = std::string(40, 'b');

class Hub : public testing::Test {
 protected:
  Hub() {
    std::filesystem::create_directories(sweep.folder() + "/runners/hub");
    sweep.write("runners/hub/runner.yaml", k_hub_runner)
        .write("runners/hub/resolve.py", k_resolve)
        .write("runners/hub/download.py", k_download);
    sweep.write("runners/hub/make.py", k_toy_make).write("runners/hub/serve.py", k_toy_serve);
    hub_has("main", k_first);
    sweep.write(
        "m.yaml",
        "name: hub\nrunner: hub\nmodels: {eight: {source: 'hf:toy/heads8', revision: main}}\n"
        "axes: {model: [eight], tp: [1, 2, 3]}\nmeasure: {limits: {wake_lag_ms: 1000, "
        "client_cpu_share: 1000}}\n");
  }
  void hub_has(const std::string& revision, const std::string& commit) {
    sweep.write("runners/hub/hub.txt", "hf:toy/heads8@" + revision + " " + commit + "\n");
  }

  std::int64_t attempts(const std::string& stage) {
    return sweep
        .value("select count(*) from attempt a join stage s on s.id = a.stage_id where s.name = '" +
               stage + "'")
        .get<std::int64_t>();
  }

  Sweep sweep;
};

TEST_F(Hub, IsNotAskedByAPlanWhichReportsUnknownFacts) {
  const Finished plan = sweep.orchestrate({"plan", "m.yaml"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("3 points: 1 run, 2 undecided"));
  EXPECT_THAT(plan.out, HasSubstr("hf:toy/heads8@main is not resolved yet"));
  const Json json = Json::parse(sweep.orchestrate({"plan", "m.yaml", "--json"}).out);
  const Json& download = json["stages"][0];
  EXPECT_TRUE(download["digest"].is_null());
  EXPECT_EQ(download["unknown"], Json::array({"hf:toy/heads8@main"}));
  EXPECT_FALSE(std::filesystem::exists(sweep.store()));
}

TEST_F(Hub, IsAskedByARunWhichDownloadsDecidesAndMeasures) {
  const Finished run = sweep.orchestrate({"run", "m.yaml"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("resolved hf:toy/heads8@main: " + k_first));
  EXPECT_THAT(run.err,
              HasSubstr("rejected 1 of 3 points: heads: 8 heads cannot be shared by 3 ranks"));
  EXPECT_EQ(sweep.value("select count(*) from results"), 2);
  EXPECT_EQ(sweep.value("select count(*) from run"), 1);
  EXPECT_EQ(attempts("download"), 1);
  EXPECT_EQ(attempts("make"), 2);
  EXPECT_EQ(sweep.value("select count(*) from point where status = 'undecided'"), 0);

  // Recorded facts need no hub.
  std::filesystem::remove(sweep.folder() + "/runners/hub/hub.txt");
  const Finished plan = sweep.orchestrate({"plan", "m.yaml"});
  EXPECT_THAT(plan.out, HasSubstr("3 points: 2 reuse, 1 reject"));
  EXPECT_EQ(sweep.orchestrate({"run", "m.yaml"}).code, 0);
  EXPECT_EQ(attempts("bench"), 2);
}

TEST_F(Hub, IsForgottenWithItsModelButNotItsFacts) {
  const std::string runner = k_hub_runner, download = "  download:\n    kind: task\n";
  sweep.write("runners/hub/runner.yaml",
              std::regex_replace(runner, std::regex(download), download + "    keep: engines\n"));
  std::ofstream(sweep.folder() + "/m.yaml", std::ios::app) << "keep: results\n";
  const Finished run = sweep.orchestrate({"run", "m.yaml"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(sweep.value("select count(*) from artifact where removed_at is not null"), 1);
  for (const auto& entry : std::filesystem::directory_iterator(sweep.store() + "/artifacts"))
    EXPECT_FALSE(entry.path().filename().string().starts_with("download-"));
  EXPECT_THAT(sweep.orchestrate({"plan", "m.yaml"}).out, HasSubstr("3 points: 2 reuse, 1 reject"));
  EXPECT_EQ(sweep.orchestrate({"run", "m.yaml"}).code, 0);
  EXPECT_EQ(attempts("download"), 1) << "its absence makes nothing stale";
  EXPECT_EQ(sweep.orchestrate({"verify"}).code, 0);

  std::string matrix = Sweep::read(sweep.folder() + "/m.yaml");
  sweep.write("m.yaml", matrix.replace(matrix.find("tp: [1, 2, 3]"), 13, "tp: [1, 2, 3, 4]"));
  const Finished more = sweep.orchestrate({"run", "m.yaml"});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_EQ(attempts("download"), 2) << "a new point is made from it";
  EXPECT_EQ(sweep.value("select count(*) from results"), 3);
}

TEST_F(Hub, RevealsAWarningThatIsPrintedOnce) {
  EXPECT_THAT(sweep.orchestrate({"plan", "m.yaml"}).err, Not(HasSubstr("few")));
  const Finished run = sweep.orchestrate({"run", "m.yaml"});
  EXPECT_EQ(run.code, 0) << run.err;
  const std::string warning = "warning: few: 2 points: only 8 heads (eight_tp1-";
  const std::size_t first = run.err.find(warning);
  ASSERT_NE(first, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("warning: few", first + 1), std::string::npos) << run.err;
  EXPECT_LT(run.err.find("download"), first)
      << "the warning was printed before the model was downloaded:\n"
      << run.err;
  EXPECT_THAT(sweep.orchestrate({"plan", "m.yaml"}).err, HasSubstr(warning));
  const Json points = Json::parse(sweep.orchestrate({"plan", "m.yaml", "--json"}).out)["points"];
  EXPECT_EQ(points[0]["warnings"], Json::array({"few: only 8 heads"}));
  EXPECT_EQ(points[2]["warnings"], Json::array()) << "it is rejected";
}

TEST_F(Hub, IsAskedAgainOnlyWithUpdate) {
  ASSERT_EQ(sweep.orchestrate({"run", "m.yaml", "--where", "tp = 1"}).code, 0);
  hub_has("main", k_second);
  EXPECT_THAT(sweep.orchestrate({"run", "m.yaml", "--where", "tp = 1"}).err,
              Not(HasSubstr("resolved")));
  EXPECT_EQ(attempts("download"), 1);
  const Finished updated = sweep.orchestrate({"run", "m.yaml", "--where", "tp = 1", "--update"});
  EXPECT_EQ(updated.code, 0) << updated.err;
  EXPECT_THAT(updated.err,
              HasSubstr("resolved hf:toy/heads8@main: " + k_first + " -> " + k_second));
  EXPECT_EQ(attempts("download"), 2);
  EXPECT_EQ(attempts("bench"), 2);
}

TEST_F(Hub, WithoutTheModelReportsItsOwnError) {
  hub_has("v2", k_first);
  const Finished run = sweep.orchestrate({"run", "m.yaml"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("model 'eight': hf:toy/heads8@main cannot be resolved: 404: the "
                                 "hub has no hf:toy/heads8 at main"));
}

TEST_F(Hub, WithUntilRunsNoLaterStage) {
  const Finished run = sweep.orchestrate({"run", "m.yaml", "--until", "make"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(attempts("make"), 2);
  EXPECT_EQ(attempts("serve"), 0);
  EXPECT_THAT(sweep.orchestrate({"plan", "m.yaml", "--until", "mak"}).err,
              HasSubstr("did you mean 'make'?"));
}

TEST_F(Hub, ExplainsWhatChanged) {
  ASSERT_EQ(sweep.orchestrate({"run", "m.yaml", "--where", "tp = 1"}).code, 0);
  std::ofstream(sweep.folder() + "/runners/hub/make.py", std::ios::app) << "# a comment\n";
  const Finished plan = sweep.orchestrate({"plan", "m.yaml", "--where", "tp = 1", "--explain"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("file.make.py"));
  EXPECT_THAT(plan.out, Not(HasSubstr("download-")));
}

}  // namespace facts_test
}  // namespace orch::e2e
