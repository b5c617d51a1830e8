// `orchestrate bench` as a user sees it: arguments in, files, messages and an exit status out.
#include "app/cli/commands.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "core/sql/database.hpp"
#include "fakes/temp_folder.hpp"
#include "os/system/files.hpp"
#include "os/system/topology/cpus.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace orch::cli {
namespace bench_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BenchCommand : public testing::Test {
 protected:
  BenchCommand() {
    std::ofstream prompts(folder_.file("prompts.jsonl"));
    for (int i = 0; i < 2; ++i)
      prompts << R"({"text_input": "w", "isl": 2, "warmup": true, "block": 0})" << '\n';
    for (int i = 0; i < 8; ++i)
      prompts << R"({"text_input": "p", "isl": 2, "warmup": false, "block": 0})" << '\n';
  }

  struct CommandResult {
    int exit_code = -1;
    std::string out;
    std::string err;
  };

  CommandResult run(const truth::Server& server, const std::vector<std::string>& more) const {
    return run(server.url(), more);
  }
  // TERMINAL: the descriptor that replaces stderr; -1 keeps stderr.
  CommandResult run(const std::string& url, const std::vector<std::string>& more,
                    int terminal = -1) const {
    std::vector<std::string> words = {"bench"};
    std::map<std::string, std::string> options = defaults_;
    options["--url"] = url;
    for (const auto& [name, value] : options)
      if (std::find(more.begin(), more.end(), name) == more.end())
        words.insert(words.end(), {name, value});
    words.insert(words.end(), more.begin(), more.end());
    CLI::App app;
    CommandResult result;
    add_bench(app, result.exit_code);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    if (terminal >= 0) ::dup2(terminal, STDERR_FILENO);
    std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
    app.parse(words);
    std::fflush(stdout);
    result.out = testing::internal::GetCapturedStdout();
    result.err = testing::internal::GetCapturedStderr();
    return result;
  }

  fakes::TempFolder folder_;
  // Options that a call may override. The limits are so wide that a busy machine fails no test.
  std::map<std::string, std::string> defaults_ = {{"--model", "m"},
                                                  {"--concurrency", "2"},
                                                  {"--requests", "4"},
                                                  {"--warmup", "2"},
                                                  {"--prompts", folder_.file("prompts.jsonl")},
                                                  {"--osl", "4"},
                                                  {"--cpus", "all"},
                                                  {"--wake-lag-ms-limit", "1000"},
                                                  {"--send-lag-ms-limit", "1000"},
                                                  {"--client-cpu-limit", "1000"}};
};

TEST_F(BenchCommand, WritesTheRecordToTheFolderAndATableToStdout) {
  truth::Server server(truth::always(truth::stream()));
  const CommandResult result = run(server, {"--out", folder_.file("out")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, testing::AllOf(HasSubstr("ttft_ms"), HasSubstr("output_tps")));
  EXPECT_EQ(result.err, "concurrency 2: 2 warm-up requests\nconcurrency 2: 4 requests\n");
  std::ifstream file(folder_.file("out/measurement.json"));
  EXPECT_EQ(nlohmann::json::parse(file)["measurements"][0]["load"]["requests"], 4);
  std::ifstream requests(folder_.file("out/requests.jsonl"));
  int lines = 0;
  for (std::string line; std::getline(requests, line);) ++lines;
  EXPECT_EQ(lines, 6);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.file("out")), fs::directory_iterator()), 3)
      << "with answers.jsonl.zst; no temporary file is left";
}

TEST_F(BenchCommand, NoAnswersRemovesTheAnswersOfAnEarlierRecord) {
  truth::Server server(truth::always(truth::stream()));
  EXPECT_EQ(run(server, {"--out", folder_.file("out")}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.file("out/answers.jsonl.zst")));
  EXPECT_EQ(run(server, {"--out", folder_.file("out"), "--no-answers"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_.file("out/answers.jsonl.zst")));
}

TEST_F(BenchCommand, JsonFormatPrintsOnlyTheRecord) {
  truth::Server server(truth::always(truth::stream()));
  const CommandResult result = run(server, {"--format", "json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(result.out)["schema"], 1);
}

TEST_F(BenchCommand, FailedRequestsAreCountedInAValidMeasurement) {
  truth::Server server(truth::except(4, truth::body(500, R"({"error":"no"})"), truth::stream()));
  const auto one = nlohmann::json::parse(
      run(server, {"--format", "json", "--wake-lag-ms-limit", "1000", "--client-cpu-limit", "1000"})
          .out)["measurements"][0];
  EXPECT_EQ(one["valid"], true) << one["reasons"];
  EXPECT_EQ(one["warnings"],
            nlohmann::json::array({"1 of 4 requests failed, the first: HTTP 500: no"}));
  EXPECT_EQ(one["metrics"]["error_rate"], 0.25);
}

TEST_F(BenchCommand, PrintsAnInvalidRecordAndExitsWith4) {
  truth::Server server(truth::always(truth::body(500, R"({"error":"no"})")));
  const CommandResult result = run(server, {"--format", "json"});
  EXPECT_EQ(result.exit_code, 4) << "a script must notice an invalid measurement";
  EXPECT_EQ(nlohmann::json::parse(result.out)["measurements"][0]["valid"], false);
}

TEST_F(BenchCommand, AWrongEndpointIsOneErrorBeforeAnyLoad) {
  truth::Server server(truth::always(truth::body(404, R"({"error":{"message":"no route"}})")));
  const CommandResult result =
      run(server, {"--protocol", "openai-chat", "--out", folder_.file("out")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "orchestrate bench: " + server.url() +
                " refused the first request: HTTP 404: no route; check --url, --protocol, --model "
                "and the options of the request, or leave this request out with "
                "--no-first-request\n");
  EXPECT_FALSE(fs::exists(folder_.file("out")));
  EXPECT_EQ(run(server, {"--protocol", "openai-chat", "--no-first-request"}).exit_code, 4)
      << "the load is sent, and its record is invalid";
}

TEST_F(BenchCommand, TheFirstRequestIsInTheRecordAndInNoFigure) {
  truth::Server server(truth::always(truth::stream()));
  const auto one = nlohmann::json::parse(
      run(server, {"--format", "json", "--no-statistics"}).out)["measurements"][0];
  EXPECT_EQ(server.log().size(), 7u) << "one more than two warm-up and four measured requests";
  EXPECT_EQ(one["first_requests"][0]["status"], 200);
  EXPECT_EQ(one["servers"][0]["requests"], 4);
  EXPECT_EQ(one["metrics"]["request_latency_ms"]["n"], 4);
}

// Ctrl-C at request NUMBER, which is never answered. The first request and two warm-up requests
// come before the measured ones.
truth::Script interrupting(int number) {
  return [number](const truth::Request& request) {
    if (request.number == number) ::kill(::getpid(), SIGINT);
    return std::make_shared<const truth::Answer>(
        request.number == number ? truth::Answer{.pieces = {}, .after = truth::After::silent}
                                 : truth::stream());
  };
}

TEST_F(BenchCommand, AnInterruptDuringWarmUpWritesNothing) {
  truth::Server server(interrupting(2));
  const CommandResult result =
      run(server, {"--concurrency", "1", "--no-statistics", "--out", folder_.file("out")});
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(fs::exists(folder_.file("out")));
}

TEST_F(BenchCommand, AnInterruptKeepsTheRecordAsInvalid) {
  truth::Server server(interrupting(5));
  const CommandResult result =
      run(server, {"--concurrency", "1", "--no-statistics", "--out", folder_.file("out"), "--db",
                   folder_.file("db"), "--format", "json"});
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.err,
            "concurrency 1: 2 warm-up requests\nconcurrency 1: 4 requests\norchestrate bench: "
            "interrupted after 0 of 1 loads were measured\n");
  std::ifstream file(folder_.file("out/measurement.json"));
  for (const nlohmann::json& record :
       {nlohmann::json::parse(result.out), nlohmann::json::parse(file)}) {
    EXPECT_EQ(record["measurements"][0]["valid"], false);
    EXPECT_EQ(record["measurements"][0]["reasons"],
              nlohmann::json::array({"interrupted after 2 requests, 1 in flight"}));
    EXPECT_EQ(record["measurements"][0]["metrics"]["error_rate"], 0);
  }
  EXPECT_TRUE(fs::exists(folder_.file("db/results.db")));
}

TEST_F(BenchCommand, SendsPromptsAsTokenIdsWithIds) {
  std::ofstream(folder_.file("ids.jsonl")) << R"({"text_input": "p", "input_ids": [5, 6]})" << '\n';
  truth::Server server(truth::always(truth::body(
      200,
      R"({"choices":[{"index":0,"text":"a","finish_reason":"length"}],"usage":{"prompt_tokens":2,"completion_tokens":4,"total_tokens":6}})")));
  const std::vector<std::string> words = {
      "--protocol", "openai-completions",     "--no-stream", "--warmup", "0", "--requests", "1",
      "--prompts",  folder_.file("ids.jsonl")};
  std::vector<std::string> with_ids = words;
  with_ids.emplace_back("--ids");
  EXPECT_EQ(run(server, words).exit_code, 0);
  EXPECT_EQ(run(server, with_ids).exit_code, 0);
  const auto log = server.log();
  ASSERT_EQ(log.size(), 4u);  // each call sends a first request as well
  EXPECT_EQ(nlohmann::json::parse(log[1].request.body)["prompt"], "p");
  EXPECT_EQ(nlohmann::json::parse(log[2].request.body)["prompt"],
            nlohmann::json::array({6, 6, 6, 6}));
  EXPECT_EQ(nlohmann::json::parse(log[3].request.body)["prompt"], nlohmann::json::array({5, 6}));
}

TEST_F(BenchCommand, FailsWhenNoServerListens) {
  auto server = std::make_unique<truth::Server>(truth::always(truth::stream()));
  const std::string unused_url = server->url();
  server.reset();
  const CommandResult result = run(unused_url, {});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("Connection refused; is the server running?"));
  EXPECT_EQ(result.out, "");
}

TEST_F(BenchCommand, InvalidArgumentsAreAUsageError) {
  truth::Server server(truth::always(truth::stream()));
  EXPECT_EQ(run(server, {"--input", "novalue"}).exit_code, 2);
  EXPECT_EQ(run(server, {"--block", "3"}).err,
            "orchestrate bench: the loads need 4 measured prompts, but " +
                folder_.file("prompts.jsonl") +
                " has 0 in block 3; prompts are not reused in a session, so make more or send "
                "fewer requests, or give --reuse-prompts\n");
  const CommandResult unknown = run(server, {"--protocol", "smtp"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err,
            "orchestrate bench: unknown protocol 'smtp'; known: triton-http, triton-grpc, "
            "openai-completions, openai-chat\n");
}

TEST_F(BenchCommand, MeasuresEveryRequestedLoad) {
  truth::Server server(truth::always(truth::stream()));
  const CommandResult result =
      run(server, {"--requests", "2", "--warmup", "0", "--request-rate", "500,1000", "--arrival",
                   "gamma", "--burstiness", "0.5", "--max", "--seed", "9", "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err,
            "concurrency 2: 2 requests\n500 requests/s (gamma 0.5): 2 requests\n1000 requests/s "
            "(gamma 0.5): 2 requests\nas fast as possible (512 open): 2 requests\n");
  const auto measured = nlohmann::json::parse(result.out)["measurements"];
  ASSERT_EQ(measured.size(), 4u);
  const auto& open = measured[1]["load"];
  EXPECT_EQ(open["arrival"], "gamma");
  EXPECT_EQ(open["request_rate"], 500);
  EXPECT_EQ(open["burstiness"], 0.5);
  EXPECT_EQ(open["seed"], 9);
  EXPECT_FALSE(open.contains("concurrency"));
  EXPECT_EQ(measured[3]["load"]["max"], true);
}

TEST_F(BenchCommand, SendsATraceAtItsTimestamps) {
  truth::Server server(truth::always(truth::stream()));
  defaults_.erase("--concurrency");
  defaults_.erase("--requests");
  std::ofstream(folder_.file("trace.jsonl")) << R"({"timestamp": 9000, "text_input": "a"}
{"timestamp": 9002, "text_input": "b"}
{"timestamp": 9002, "text_input": "c"}
{"timestamp": 9009.5, "text_input": "d"}
{"timestamp": 9700000, "text_input": "the last one warms up"}
)";
  const CommandResult result =
      run(server, {"--arrival", "trace", "--prompts", folder_.file("trace.jsonl"), "--warmup", "1",
                   "--no-statistics", "--out", folder_.file("out"), "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(result.err, "a trace: 1 warm-up request\na trace: 4 requests\n");
  EXPECT_EQ(nlohmann::json::parse(result.out)["measurements"][0]["load"]["arrival"], "trace");
  std::ifstream requests(folder_.file("out/requests.jsonl"));
  std::vector<std::int64_t> due_us;
  for (std::string line; std::getline(requests, line);)
    if (const auto row = nlohmann::json::parse(line); !row["warmup"])
      due_us.push_back(row["due_ns"].get<std::int64_t>() / 1000);
  EXPECT_EQ(due_us, (std::vector<std::int64_t>{0, 2000, 2000, 9500}));
  ASSERT_EQ(server.log().size(), 6u);
  EXPECT_THAT(server.log()[1].request.body, HasSubstr("the last one warms up"));
}

TEST_F(BenchCommand, ABearerTokenComesFromAFileOrTheEnvironment) {
  truth::Server server(truth::always(truth::stream()));
  std::ofstream(folder_.file("token")) << "\n  not-for-anybody \r\n\n";
  ASSERT_EQ(::setenv("ORCH_TEST_TOKEN", " not-for-anybody\n", 1), 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--token-file", folder_.file("token")},
        {"--token-env", "ORCH_TEST_TOKEN"}}) {
    const std::size_t before = server.log().size();
    const CommandResult result = run(server, {words[0], words[1], "--no-statistics", "--format",
                                              "json", "--out", folder_.file("out")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto log = server.log();
    ASSERT_EQ(log.size(), before + 7);
    for (std::size_t i = before; i < log.size(); ++i)
      EXPECT_THAT(log[i].request.head + "\r\n",
                  HasSubstr("\r\nAuthorization: Bearer not-for-anybody\r\n"))
          << words[0];
    std::ostringstream record;
    record << std::ifstream(folder_.file("out/measurement.json")).rdbuf();
    for (const std::string& text : {result.out, result.err, record.str()})
      EXPECT_THAT(text, testing::Not(HasSubstr("not-for-anybody")));
  }
  ::unsetenv("ORCH_TEST_TOKEN");
}

TEST_F(BenchCommand, ReportsAnInvalidTokenWithoutPrintingIt) {
  truth::Server server(truth::always(truth::stream()));
  const std::string file = folder_.file("token");
  for (const char* text : {"", " \n\n", "two words\n", "two\nlines\n", "caf\xc3\xa9\n", "a\tb"}) {
    std::ofstream(file) << text;
    const CommandResult result = run(server, {"--token-file", file});
    EXPECT_EQ(
        result.err,
        fmt::format("orchestrate bench: {} holds no token; write one line of visible characters\n",
                    file));
    EXPECT_EQ(result.exit_code, 2);
    ASSERT_EQ(::setenv("ORCH_TEST_TOKEN", text, 1), 0);
    EXPECT_EQ(run(server, {"--token-env", "ORCH_TEST_TOKEN"}).err,
              "orchestrate bench: ORCH_TEST_TOKEN holds no token; write one line of visible "
              "characters\n");
    ::unsetenv("ORCH_TEST_TOKEN");
  }
  fs::remove(file);
  EXPECT_EQ(run(server, {"--token-file", file}).err,
            fmt::format("orchestrate bench: cannot open {}: No such file or directory\n", file));
  EXPECT_TRUE(server.log().empty());
}

TEST_F(BenchCommand, CsvHasALinePerLoadAndMetric) {
  truth::Server server(truth::always(truth::stream()));
  const CommandResult result = run(server, {"--format", "csv"});
  EXPECT_TRUE(result.out.starts_with(
      "load,valid,metric,unit,mean,sd,min,max,p50,p90,p95,p99,p999,n,low,high,"
      "unsupported\nconcurrency 2,"))
      << result.out;
  for (const std::string_view metric : {"ttft_ms,ms,", "requests_per_s,requests/s,"})
    EXPECT_THAT(result.out, testing::ContainsRegex(fmt::format("\nconcurrency 2,[01],{}", metric)));
}

TEST_F(BenchCommand, AScriptWrittenForGenaiPerfReadsItsExport) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no python3";
  truth::Server server(truth::always(truth::stream()));
  const CommandResult result = run(server, {"--concurrency", "1,2", "--warmup", "1", "--out",
                                            folder_.file("out"), "--export", "genai-perf"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("ttft_ms")) << "besides what --format prints";
  const std::string artifacts = folder_.file("out/artifacts/m-triton-tensorrtllm-concurrency");
  EXPECT_THAT(result.err,
              HasSubstr("exported to " + artifacts + "1\nexported to " + artifacts + "2\n"));
  ASSERT_EQ(std::system(fmt::format("python3 '{}/tests/app/cli/genai_perf_reader.py' '{}2' >'{}'",
                                    ORCH_SOURCE_DIR, artifacts, folder_.file("read"))
                            .c_str()),
            0);
  std::ifstream read(folder_.file("read"));
  std::ostringstream text;
  text << read.rdbuf();
  EXPECT_EQ(text.str(),
            "concurrency 2\nosl 4.0\nrows 5 2\nrequests 4 concurrency 2\nanswer  t0 t1 t2 t3\n");
}

TEST_F(BenchCommand, RefusesAnExportWithoutAnswersOrOfBatches) {
  truth::Server server(truth::always(truth::stream()));
  const auto error = [&](const std::vector<std::string>& words) { return run(server, words).err; };
  EXPECT_EQ(error({"--export", "genai-perf", "--no-answers"}),
            "orchestrate bench: --export genai-perf writes the answers; leave out --no-answers\n");
  EXPECT_EQ(
      error({"--export", "genai-perf", "--batch", "2"}),
      "orchestrate bench: --export genai-perf needs one prompt per request, but --batch is 2; "
      "leave out one of them\n");
}

TEST_F(BenchCommand, ReportsInvalidLoadOptions) {
  truth::Server server(truth::always(truth::stream()));
  const auto error = [&](const std::vector<std::string>& words) { return run(server, words).err; };
  EXPECT_EQ(error({"--request-rate", "0"}),
            "orchestrate bench: --request-rate must be between 1e-06 and 1e+06 requests per "
            "second, it is 0\n");
  EXPECT_EQ(error({"--burstiness", "2"}),
            "orchestrate bench: --burstiness 2 needs --arrival gamma, but --arrival is poisson\n");
  EXPECT_EQ(
      error({"--arrival", "trace", "--warmup", "0"}),
      "orchestrate bench: --arrival trace needs a timestamp in every prompt, but prompt 1 of " +
          folder_.file("prompts.jsonl") + " has none\n");
  EXPECT_EQ(error({"--until", "ttft_ms"}),
            "orchestrate bench: --until ttft_ms is not METRIC:PERCENT, such as ttft_ms:5\n");
  EXPECT_EQ(
      error({"--token-env", "NO_SUCH_TOKEN_HERE"}),
      "orchestrate bench: --token-env NO_SUCH_TOKEN_HERE: the environment variable is not set\n");
}

TEST_F(BenchCommand, RefusesNumbersOutOfRange) {
  truth::Server server(truth::always(truth::stream()));
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--concurrency", "1,2", "--requests", "9223372036854775807"},
       "--requests must be at most 1e+08, it is 9223372036854775807"},
      {{"--request-rate", "1e6", "--duration", "3600", "--requests", "0"},
       "--request-rate 1e+06 for 3600 s gives more than 1e+08 requests; lower one of them, or give "
       "--requests"},
      {{"--request-rate", "1e-300"},
       "--request-rate must be between 1e-06 and 1e+06 requests per second, it is 1e-300"},
      {{"--request-rate", "10", "--arrival", "gamma", "--burstiness", "1e-300"},
       "--burstiness must be between 0.001 and 1000, it is 1e-300; 1 is Poisson, less is burstier"},
      {{"--timeout-s", "1e10"},
       "--timeout-s must be more than 0 and at most 2.592e+06 seconds, it is 1e+10"},
      {{"--stop-after-ms", "inf"}, "--stop-after-ms must be between 0 and 2.592e+09, it is inf"},
      {{"--stop-by", "request"},
       "--stop-by request has no effect without --stop-after-ms; give both"},
      {{"--duration", "nan"}, "--duration must be between 0 and 2.592e+06 seconds, it is nan"},
      {{"--tokens-per-event", "9223372036854775807"},
       "--tokens-per-event must be between 0 and 1000000, it is 9223372036854775807"},
      {{"--client-cpu-limit", "nan"}, "--client-cpu-limit must not be negative, but it is nan"},
      {{"--temperature", "nan"}, "--temperature must be a finite number, not nan"},
      {{"--max-in-flight", "-3", "--max"}, "--max-in-flight must not be negative, but it is -3"},
  };
  for (const auto& [words, message] : cases) {
    const CommandResult result = run(server, words);
    EXPECT_EQ(result.err, fmt::format("orchestrate bench: {}\n", message));
    EXPECT_EQ(result.exit_code, 2);
  }
}

TEST_F(BenchCommand, ReportsTheExpectedFormOfANumber) {
  const auto error = [this](const char* option, const char* word) -> std::string {
    try {
      run("http://127.0.0.1:1", {option, word});
    } catch (const CLI::ParseError& refused) {
      testing::internal::GetCapturedStdout();
      testing::internal::GetCapturedStderr();
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(error("--concurrency", "1:8:2"),
            "--concurrency: '1:8:2' is not accepted; write whole numbers, such as 1,2,4,8");
  EXPECT_EQ(error("--concurrency", "1,x"),
            "--concurrency: 'x' is not accepted; write whole numbers, such as 1,2,4,8");
  EXPECT_EQ(error("--duration", "10s"),
            "--duration: '10s' is not accepted; write seconds, such as 10 or 0.5");
  EXPECT_EQ(error("--request-rate", "1:4"),
            "--request-rate: '1:4' is not accepted; write requests per second, such as 1,2.5,4");
  EXPECT_EQ(error("--stop-after-ms", "1s"),
            "--stop-after-ms: '1s' is not accepted; write milliseconds, such as 250");
  EXPECT_EQ(error("--seed", "-1"),
            "--seed: '-1' is not accepted; write a whole number, at least 0");
  EXPECT_EQ(error("--requests", "99999999999999999999"),
            "--requests: '99999999999999999999' is not accepted; write a whole number, such as 8");
  CLI::App app;
  int exit_code = 0;
  add_bench(app, exit_code);
  for (const CLI::Option* option : app.get_subcommand("bench")->get_options())
    for (const std::string& name : option->get_lnames()) {
      if (option->get_expected_max() == 0 || name == "help") continue;
      EXPECT_THAT(error(("--" + name).c_str(), folder_.file("#").c_str()),
                  testing::Not(HasSubstr("convert")))
          << name;
    }
}

TEST_F(BenchCommand, UsesReusedPromptsForTheWarmUpToo) {
  std::ofstream(folder_.file("one.jsonl")) << R"({"text_input": "p", "isl": 2})" << '\n';
  truth::Server server(truth::always(truth::stream()));
  const CommandResult result =
      run(server, {"--prompts", folder_.file("one.jsonl"), "--reuse-prompts", "--no-statistics"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(server.log().size(), 7u) << "with the first request";
  EXPECT_THAT(result.out, HasSubstr("warm-up sent prompts that were measured after it"));
}

TEST_F(BenchCommand, SaysWhatItCannotKnowAboutTheCpusOfTheServer) {
  truth::Server server(truth::always(truth::stream()));  // in this process: it is no server's
  const CommandResult result = run(server, {"--cpus", "", "--concurrency", "1,2", "--warmup", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err,
            fmt::format("concurrency 1: 1 warm-up request\n"
                        "the CPUs of the server at port {} are unknown, because its process is not "
                        "visible (it is another user's, or in a container); --cpus LIST gives the "
                        "client CPUs of its own\n"
                        "concurrency 1: 4 requests\nconcurrency 2: 1 warm-up request\n"
                        "concurrency 2: 4 requests\n",
                        server.port()));
}

TEST_F(BenchCommand, RunsOnTheCpusThatWereAskedFor) {
  truth::Server server(truth::always(truth::stream()));
  const std::string cpu = std::to_string(*system::own_cpus().rbegin());
  const CommandResult result = run(server, {"--cpus", cpu, "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto client = nlohmann::json::parse(result.out)["measurements"][0]["client"];
  EXPECT_EQ(client["cpus"], cpu);
  EXPECT_EQ(client["cpus_why"], "--cpus was given");
  const auto error = [&](const std::string& cpus) { return run(server, {"--cpus", cpus}).err; };
  EXPECT_EQ(error("0;1"),
            "orchestrate bench: --cpus '0;1' is not a list of CPUs, such as 0-3,7, or all\n");
  EXPECT_EQ(error("60000"),
            fmt::format("orchestrate bench: --cpus 60000: this process may not run on CPU 60000; "
                        "choose from {}, or write --cpus all\n",
                        system::cpu_list(system::own_cpus())));
}

TEST_F(BenchCommand, AGrpcUrlSelectsTheGrpcProtocol) {
  EXPECT_EQ(run("grpc://127.0.0.1:1", {}).err,
            "orchestrate bench: cannot connect to 127.0.0.1:1: Connection refused; is the server "
            "running?\n");
  EXPECT_EQ(run("grpc://127.0.0.1:1", {"--protocol", "openai-chat"}).err,
            "orchestrate bench: grpc://127.0.0.1:1 is a gRPC URL, which openai-chat does not "
            "support; use http://, or --protocol triton-grpc\n");
}

TEST_F(BenchCommand, StoresEachSetOfOptionsAsItsOwnPoint) {
  truth::Server server(truth::always(truth::stream()));
  const std::vector<std::vector<std::string>> option_sets = {
      {},        {"--temperature", "0.5"}, {"--concurrency", "1"}, {"--osl", "3"},
      {"--eos"}, {"--batch", "2"},         {"--no-stream"},        {"--seed", "5"}};
  for (std::vector<std::string> words : option_sets) {
    words.insert(words.end(), {"--db", folder_.file("db"), "--warmup", "0", "--no-statistics",
                               "--no-first-request"});
    run(server, words);
  }
  auto store = sql::Database::open(folder_.file("db/results.db"));
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(*store->query_text("SELECT count(DISTINCT point) FROM results_all"), "7")
      << "another seed is a repeat";
}

TEST_F(BenchCommand, AClosedStdoutLosesNoRecord) {
  truth::Server server(truth::always(truth::stream()));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  for (const char* format : {"table", "csv", "json"}) {
    ::dup2(ends[1], STDOUT_FILENO);
    CLI::App app;
    int exit_code = -1;
    add_bench(app, exit_code);
    std::vector<std::string> words = {"bench",
                                      "--url",
                                      server.url(),
                                      "--model",
                                      "m",
                                      "--concurrency",
                                      "1,2",
                                      "--requests",
                                      "2",
                                      "--prompts",
                                      folder_.file("prompts.jsonl"),
                                      "--osl",
                                      "4",
                                      "--no-statistics",
                                      "--wake-lag-ms-limit",
                                      "1000",
                                      "--client-cpu-limit",
                                      "1000",
                                      "--format",
                                      format,
                                      "--out",
                                      folder_.file(format)};
    std::reverse(words.begin(), words.end());
    app.parse(words);
    ::dup2(before, STDOUT_FILENO);
    std::clearerr(stdout);
    EXPECT_EQ(exit_code, 0) << format;
    std::ifstream file(folder_.file(format) + "/measurement.json");
    EXPECT_EQ(nlohmann::json::parse(file)["measurements"].size(), 2u) << format;
  }
  ::close(before);
  ::close(ends[1]);
}

TEST_F(BenchCommand, ReportsUnwritableOutputsBeforeMeasuring) {
  truth::Server server(truth::always(truth::stream()));
  std::ofstream(folder_.file("taken")) << "no folder";
  for (const char* option : {"--out", "--db"}) {
    const CommandResult result = run(server, {option, folder_.file("taken")});
    EXPECT_NE(result.exit_code, 0) << option;
    EXPECT_THAT(result.err, HasSubstr(folder_.file("taken"))) << option;
  }
  EXPECT_TRUE(server.log().empty());
}

TEST_F(BenchCommand, PrintsAWriteErrorAsTheLastLine) {
  truth::Server server(truth::always(truth::stream()));
  fs::create_directories(folder_.file("out/requests.jsonl/taken"));
  const CommandResult result = run(server, {"--out", folder_.file("out"), "--format", "json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("\"ttft_ms\"")) << "the measurement is still printed";
  const std::string last = result.err.substr(result.err.rfind('\n', result.err.size() - 2) + 1);
  EXPECT_THAT(last, testing::AllOf(testing::StartsWith("orchestrate bench: cannot"),
                                   HasSubstr("requests.jsonl")));
}

TEST_F(BenchCommand, RemovesTheFilesOfAnEarlierRecord) {
  truth::Server server(truth::always(truth::stream()));
  fs::create_directories(folder_.file("out/requests.jsonl/taken"));
  std::ofstream(folder_.file("out/measurement.json")) << "{}";
  run(server, {"--out", folder_.file("out")});
  EXPECT_FALSE(fs::exists(folder_.file("out/measurement.json")));
}

// As `timeout` sends them, one to the process and one to its group.
TEST_F(BenchCommand, TwoSignalsAtOnceCountAsOne) {
  truth::Server server([answer = std::make_shared<const truth::Answer>(truth::stream())](
                           const truth::Request& request) {
    if (request.body.find("\"p\"") != std::string::npos) std::raise(SIGINT), std::raise(SIGTERM);
    return answer;
  });
  const CommandResult result = run(server, {"--out", folder_.file("out"), "--no-statistics"});
  EXPECT_THAT(result.out + result.err, HasSubstr("interrupted"));
}

TEST_F(BenchCommand, AUrlMayEndWithASlash) {
  truth::Server server(truth::always(truth::stream()));
  EXPECT_EQ(run(server.url() + "/", {}).exit_code, 0);
  EXPECT_THAT(server.log().front().request.path, testing::StartsWith("/v2/"));
}

TEST_F(BenchCommand, ShowsProgressOnATerminal) {
  const system::Descriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(::grantpt(master.get()) == 0 && ::unlockpt(master.get()) == 0);
  const system::Descriptor terminal(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::string screen;
  const auto read_until = [&](std::string_view words) {
    char text[1024];
    while (screen.find(words) == std::string::npos)
      if (const ssize_t got = ::read(master.get(), text, sizeof text); got > 0)
        screen.append(text, static_cast<std::size_t>(got));
  };
  // The server answers only after the progress line was shown.
  truth::Server server(
      [&, answer = std::make_shared<const truth::Answer>(truth::stream())](const truth::Request&) {
        read_until("\r\x1b[Kconcurrency 1: 0 of 4 requests, 1 in flight, ");
        return answer;
      });
  EXPECT_EQ(run(server.url(), {"--concurrency", "1", "--warmup", "0", "--no-first-request"},
                terminal.get())
                .exit_code,
            0);
  EXPECT_EQ(::write(terminal.get(), "the end", 7), 7);
  read_until("the end");
  EXPECT_THAT(screen, testing::EndsWith("\r\x1b[Kthe end")) << "the progress line is erased";
}

TEST_F(BenchCommand, HelpFitsOneScreenAndNamesEveryOption) {
  CLI::App app;
  int exit_code = 0;
  add_bench(app, exit_code);
  const CLI::App* bench = app.get_subcommand("bench");
  const std::string help = bench->help();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 75);  // of 80 columns
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  for (const CLI::Option* option : bench->get_options())
    for (const std::string& name : option->get_lnames()) EXPECT_THAT(help, HasSubstr("--" + name));
}

}  // namespace bench_test
}  // namespace orch::cli
