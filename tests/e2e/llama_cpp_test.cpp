// llama.cpp's real server from a model's name to the results. All tests read the results of one
// sweep; the last ones kill further runs on its store.
#include "e2e/sweep.hpp"

#include <csignal>
#include <filesystem>

namespace orch::e2e {
namespace llama_cpp_test {

constexpr const char* k_matrix = R"(
name: llama
runner: llama-cpp
models:
  nano: {source: "generate:nano"}
axes:
  model: [nano]
  precision: [f16, q4_0]
  length: [{isl: 16, osl: 8}, {isl: 48, osl: 16}]
  load: [{concurrency: 1}, {concurrency: 6}]
defaults: {num_prompts: 12, batch_size: 2}
measure:
  warmup: 2
  # This is no test of the machine's quietness: other work on its few cores may not fail it.
  limits: {wake_lag_ms: 1000, client_cpu_share: 1000}
)";

// Measurements that take seconds.
constexpr const char* k_long_matrix = R"(
name: long
runner: llama-cpp
models:
  tiny: {source: "generate:tiny"}
axes:
  load: [{concurrency: 1}, {concurrency: 2}]
defaults: {model: tiny, num_prompts: 30, isl: 64, osl: NUMBER, batch_size: 2}
measure:
  warmup: 1
  limits: {wake_lag_ms: 1000, client_cpu_share: 1000}
)";

// On the files of k_matrix.
constexpr const char* k_own_matrix = R"(
name: own
runner: llama-cpp
models:
  nano: {source: "generate:nano"}
axes:
  load: [{concurrency: 1}, {concurrency: 6}]
defaults: {binary: own-server, model: nano, precision: q4_0, num_prompts: 12, batch_size: 2, osl: 8}
measure:
  warmup: 2
  limits: {wake_lag_ms: 1000, client_cpu_share: 1000}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

class LlamaCpp : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sweep = new Sweep();
    for (const char* name : {"runners", "templates"})
      std::filesystem::create_directory_symlink(std::string(ORCH_SOURCE_DIR) + "/" + name,
                                                sweep->folder() + "/" + name);
    sweep->write("llama.yaml", k_matrix);
    first = sweep->orchestrate({"run", "llama.yaml"});
  }
  static void TearDownTestSuite() { delete sweep; }

  // A run of NAME whose first measurement is under way.
  static Sweep::Started start_measuring(const std::string& name) {
    const Json before = measuring();
    const Sweep::Started run = sweep->start({"run", name});
    sweep->wait_until(
        [&] { return has_ended(run) || (measuring() != before && !measuring().empty()); });
    EXPECT_FALSE(has_ended(run)) << sweep->stderr_of(run);
    return run;
  }
  // The attempts of measurements that have not ended.
  static Json measuring() {
    return sweep->query(
        "select a.token from attempt a join stage s on s.id = a.stage_id where s.kind = 'measure' "
        "and a.spawned_at is not null and a.ended_at is null");
  }
  static bool has_ended(const Sweep::Started& run) {
    const std::string stat = Sweep::read(fmt::format("/proc/{}/stat", run.pid));
    return stat.empty() || stat.substr(stat.rfind(')') + 2, 1) == "Z";
  }
  static void kill_guardians(const Sweep::Started& run) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string folder = entry.path().string();
      if (Sweep::read(folder + "/cmdline").find(std::string("\0guardian", 9)) == std::string::npos)
        continue;
      std::istringstream fields(Sweep::read(folder + "/stat"));
      std::string pid, name, state;
      int parent = 0;
      fields >> pid >> name >> state >> parent;
      if (parent == run.pid) guardians.push_back(std::stoi(pid));
    }
    for (const int guardian : guardians) ::kill(guardian, SIGKILL);
  }
  static Json server_starts(const std::string& experiment) {
    return sweep->value("select sum(attempts) from stages where name = 'serve' and experiment = '" +
                        experiment + "'");
  }

  static Sweep* sweep;
  static Finished first;
  static inline std::vector<int> guardians;
};

Sweep* LlamaCpp::sweep = nullptr;
Finished LlamaCpp::first;

TEST_F(LlamaCpp, EveryPointEndsWithAValidResult) {
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(sweep->value("select count(*) from results"), 8);
  EXPECT_EQ(sweep->value("select count(*) from results_all where not valid"), 0);
}

// Both lengths fit the smallest slot.
TEST_F(LlamaCpp, LengthsAndLoadsShareAServer) {
  const auto made = [&](const std::string& stage) {
    return sweep->value("select count(*) from stages where name = '" + stage +
                        "' and attempts > 0");
  };
  EXPECT_EQ(made("download"), 1);
  EXPECT_EQ(made("convert"), 2);
  EXPECT_EQ(made("serve"), 2);
  EXPECT_EQ(made("bench"), 8);
}

TEST_F(LlamaCpp, TokenCountsMatchTheRequestAndTheServer) {
  for (const Json& row : sweep->query("select isl, osl, isl_counted, isl_reported, osl_counted, "
                                      "osl_reported, error_rate from results")) {
    for (const char* name : {"isl", "osl"})
      for (const char* by : {"_counted", "_reported"})
        EXPECT_EQ(row[std::string(name) + by], row[name]) << row;
    EXPECT_EQ(row["error_rate"], 0) << row;
  }
}

TEST_F(LlamaCpp, TheServersOwnCountersAreThoseOfTheMeasuredRequests) {
  EXPECT_EQ(sweep->value("select count(*) from server_metrics m join results r using (point) where "
                         "family = 'llamacpp:tokens_predicted_total' and delta = 12 * osl"),
            8);
  EXPECT_EQ(sweep->value("select count(*) from server_metrics m join results r using (point) where "
                         "family = 'llamacpp:prompt_tokens_total' and delta = 12 * isl"),
            8);
  EXPECT_EQ(sweep->value("select count(*) from server_metrics where family = "
                         "'llamacpp:prompt_tokens_cached_total' and delta = 0"),
            8);
}

TEST_F(LlamaCpp, TheServersVersionIsRecorded) {
  EXPECT_NE(sweep->query("select * from provenance where stage like 'serve%'")
                .dump()
                .find("2026.10.11549"),
            std::string::npos);
}

TEST_F(LlamaCpp, RunningAgainStartsNothing) {
  const Json before = sweep->value("select count(*) from attempt");
  const Finished again = sweep->orchestrate({"run", "llama.yaml"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(sweep->value("select count(*) from attempt"), before);
}

// The packaged server takes the words of llama-server, so it stands in for one.
TEST_F(LlamaCpp, AServerOfOnesOwnIsStartedByItsPath) {
  sweep->write("own-server", R"sh(#!/bin/sh
if [ "$1" = --version ]; then echo "version: 4967 (4bb8ad17)"; exit; fi
here=$(dirname "$0")
exec "$here"/results/artifacts/environment-*/out/venv/bin/python3 \
  "$here/runners/llama-cpp/scripts/serve.py" "$@"
)sh");
  std::filesystem::permissions(sweep->folder() + "/own-server", std::filesystem::perms::owner_all);
  sweep->write("own.yaml", k_own_matrix);
  const Finished done = sweep->orchestrate({"run", "own.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep->value("select count(*) from results where experiment = 'own' and osl_reported = "
                         "8 and error_rate = 0"),
            2);
  EXPECT_EQ(sweep->value("select sum(attempts) from stages where name = 'serve_binary'"), 1);
  EXPECT_EQ(sweep->value("select distinct runner_version from results where experiment = 'own'"),
            "llama-server 4967 (4bb8ad17)");
}

// The words with which packaged() starts the server of the package on the files of k_matrix.
constexpr const char* k_packaged = R"sh(#!/bin/sh
cd "$(dirname "$0")"
model=$(echo results/artifacts/convert-*/out/model.gguf | cut -d' ' -f1)
exec results/artifacts/environment-*/out/venv/bin/python3 runners/llama-cpp/scripts/serve.py \
  --model "$model" --alias nano --host 127.0.0.1 --ctx-size 2048 --metrics "$@"
)sh";

constexpr const char* k_any_matrix = R"(
name: any
runner: openai-server
models:
  nano: {source: "generate:nano"}
axes:
  load: [{concurrency: 1}, {concurrency: 2}]
defaults: {model: nano, isl: 16, osl: 8, num_prompts: 12, batch_size: 2, context: 256, START}
measure:
  warmup: 2
  limits: {wake_lag_ms: 1000, client_cpu_share: 1000}
)";

void write_packaged(Sweep& sweep) {
  sweep.write("packaged", k_packaged);
  std::filesystem::permissions(sweep.folder() + "/packaged", std::filesystem::perms::owner_all);
}

TEST_F(LlamaCpp, AnyServerIsStartedByTheWordsOfStart) {
  write_packaged(*sweep);
  sweep->write("any.yaml",
               with(k_any_matrix, "START",
                    "ready_path: /health, start: [\"" + sweep->folder() +
                        "/packaged\", --port, \"{port}\", --parallel, \"{batch_size}\"]"));
  const Finished done = sweep->orchestrate({"run", "any.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep->value("select count(*) from results where experiment = 'any' and service = "
                         "'own' and osl_reported = 8 and error_rate = 0"),
            2);
  EXPECT_EQ(sweep->value("select count(*) from server_metrics where experiment = 'any' and family "
                         "= 'llamacpp:tokens_predicted_total' and delta = 96"),
            2);
}

// With its own runner and with the one of any server.
TEST_F(LlamaCpp, AServerThatRunsAlreadyIsMeasuredAndLives) {
  write_packaged(*sweep);
  const std::string port = std::to_string(free_port()), url = "http://127.0.0.1:" + port;
  const Sweep::Started server =
      sweep->start_program({sweep->folder() + "/packaged", "--port", port, "--parallel", "2"});
  sweep->wait_until([&] {
    return sweep->run({"/usr/bin/curl", "-sf", url + "/health"}).code == 0 || has_ended(server);
  });
  for (const char* runner : {"openai-server", "llama-cpp"}) {
    const std::string name = std::string("running-") + runner;
    std::string matrix =
        with(with(k_any_matrix, "name: any", "name: " + name), "openai-server", runner);
    sweep->write("running.yaml", with(matrix, ", START", "") + "service: {url: \"" + url +
                                     "\", machine: this one}\n");
    const Finished done = sweep->orchestrate({"run", "running.yaml"});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(sweep->value("select count(*) from results where experiment = '" + name +
                           "' and service = '" + url +
                           "' and prefix_cache = 'unknown' and osl_reported = 8"),
              2);
    EXPECT_EQ(sweep->value("select count(*) from stages where experiment = '" + name +
                           "' and name in ('environment', 'quantize', 'convert')"),
              0);
  }
  EXPECT_FALSE(has_ended(server));
  ::kill(server.pid, SIGKILL);
  sweep->finish(server);
}

TEST_F(LlamaCpp, TheServerIsAdoptedAfterTheOrchestratorWasKilled) {
  sweep->write("long.yaml", with(k_long_matrix, "NUMBER", "64"));
  const Sweep::Started run = start_measuring("long.yaml");
  ::kill(run.pid, SIGKILL);
  sweep->finish(run);
  const Finished done = sweep->orchestrate({"run", "long.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(server_starts("long"), 1);
  EXPECT_GE(sweep->value("select count(*) from event where kind = 'adopted'"), 1);
  EXPECT_EQ(sweep->value("select count(*) from results where experiment = 'long'"), 2);
}

TEST_F(LlamaCpp, AnotherServerIsStartedAfterTheGuardiansWereKilledToo) {
  sweep->write("longer.yaml",
               with(with(k_long_matrix, "NUMBER", "65"), "name: long", "name: longer"));
  const Sweep::Started run = start_measuring("longer.yaml");
  ::kill(run.pid, SIGSTOP);  // so that it starts nothing more
  kill_guardians(run);
  ::kill(run.pid, SIGKILL);
  sweep->finish(run);
  EXPECT_FALSE(guardians.empty());
  const Finished done = sweep->orchestrate({"run", "longer.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(server_starts("longer"), 2);
  EXPECT_EQ(sweep->value("select count(*) from results where experiment = 'longer'"), 2);
}

TEST_F(LlamaCpp, NoServerIsLeft) {
  for (const Json& row : sweep->query("select token from attempt")) {
    system::RealProcesses processes;
    EXPECT_FALSE(processes.alive({.token = row["token"],
                                  .leader = {},
                                  .boot_id = system::boot_id(),
                                  .containment = {},
                                  .cgroup = {}}))
        << row;
  }
  EXPECT_TRUE(std::filesystem::is_empty(sweep->store() + "/attempts"));
}

}  // namespace llama_cpp_test
}  // namespace orch::e2e
