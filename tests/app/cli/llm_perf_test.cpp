// `orchestrate llm-perf` with the command lines of published instructions: the names that it
// prints, which scripts and `orchestrate import` read, and the file of its profile.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "fakes/temp_folder.hpp"
#include "os/system/files.hpp"
#include "results/imports/reading_of.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

#include <nlohmann/json.hpp>
#include <stdlib.h>

namespace orch::cli {
namespace llm_perf_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using imports::figure;
using imports::parameter;

// The first request, which no figure includes, is number 0.
class LlmPerf : public testing::Test {
 protected:
  // Every word between blanks is a token.
  LlmPerf() {
    fs::copy(ORCH_SOURCE_DIR "/tests/docs/stand_in/tokenizers.py", folder_.file("tokenizers.py"));
    ::setenv("PYTHONPATH", folder_.path().c_str(), 1);
    fs::create_directory(folder_.file("Qwen2-7B"));
    write("Qwen2-7B/tokenizer.json", "{}");
    write("openorca_10.jsonl", rows("{{\"text_input\": \"Question {} of ten?\"}}\n", 10));
  }
  ~LlmPerf() override { ::unsetenv("PYTHONPATH"); }

  static std::string rows(fmt::format_string<int> row, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format(row, std::move(i));
    return text;
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name)) << text;
  }
  std::string read(const std::string& name) const {
    return system::RealFiles().read(folder_.file(name)).value_or("");
  }

  // The limits are so wide that a busy machine fails no test.
  CommandResult run(const truth::Server& server, const std::vector<std::string>& more,
                    const std::string& rows = "openorca_10.jsonl") const {
    const std::vector<std::pair<std::string, std::string>> defaults = {
        {"-u", fmt::format("127.0.0.1:{}", server.port())},
        {"-i", "http"},
        {"-m", "ensemble"},
        {"--tokenizer-path", folder_.file("Qwen2-7B")},
        {"--input-data", folder_.file(rows)},
        {"--prompt-cache", folder_.file("cache")},
        {"--cpus", "all"},
        {"--wake-lag-ms-limit", "1000"},
        {"--client-cpu-limit", "1000"}};
    std::vector<std::string> words = {"llm-perf"};
    for (const auto& [name, value] : defaults)
      if (std::find(more.begin(), more.end(), name) == more.end())
        words.insert(words.end(), {name, value});
    words.insert(words.end(), more.begin(), more.end());
    return run_command(add_llm_perf, words);
  }

  // The bodies that SERVER was sent, without the first request of each call.
  static std::vector<nlohmann::json> measured(const truth::Server& server) {
    std::vector<nlohmann::json> bodies;
    for (const truth::Served& served : server.log()) {
      if (served.request.method != "POST") continue;
      bodies.push_back(nlohmann::json::parse(served.request.body));
      if (bodies.back()["text_input"] == "Is anyone there?") bodies.pop_back();
    }
    return bodies;
  }

  static std::vector<imports::Reading> read_back(const std::string& text) {
    EXPECT_EQ(imports::format_of(text), "llm-perf");
    return imports::read(text);
  }

  fakes::TempFolder folder_;
};

// TEXT with every number that has a fraction as N.
std::string shape(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\d+\.\d+(e-?\d+)?)"), "N");
}

TEST_F(LlmPerf, PrintsTheLinesOfThePublishedOutput) {
  truth::Server server(truth::always(truth::stream({.tokens = 3})));
  const CommandResult result = run(server, {"--concurrency", "1,4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string block =
      "------------------------------------------------------------\n"
      "Request concurrency: {}\n"
      "average_input_token_per_sec: N\n"
      "average_output_token_per_sec: N\n"
      "average_ttft: N\n"
      "average_latency: N\n"
      "p99_ttft: N\n"
      "p99_latency: N\n"
      "payload and results: 10 10\n"
      "throughput: N infer/sec.\n";
  EXPECT_EQ(shape(result.out),
            shape(fmt::format("triton_url: 127.0.0.1:{}, protocol: http, model: ensemble\n",
                              server.port())) +
                fmt::format(fmt::runtime(block), 1) + fmt::format(fmt::runtime(block), 4));
}

TEST_F(LlmPerf, ImportReadsWhatItPrints) {
  truth::Server server(truth::always(truth::stream({.tokens = 3})));
  const auto readings = read_back(run(server, {"--concurrency", "2,3"}).out);
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(parameter(readings[0], "model"), "ensemble");
  EXPECT_EQ(parameter(readings[0], "concurrency"), "2");
  EXPECT_EQ(parameter(readings[1], "concurrency"), "3");
  for (const imports::Reading& one : readings) {
    const double latency_s = figure(one, "request_latency_ms") / 1000;
    EXPECT_GT(latency_s, 0);
    EXPECT_LE(figure(one, "ttft_ms"), figure(one, "request_latency_ms"));
    EXPECT_LE(figure(one, "ttft_ms"), figure(one, "ttft_ms", "p99") * 1.000001);
    EXPECT_GT(figure(one, "requests_per_s"), 0);
    // Four words in a prompt, three in an answer.
    EXPECT_NEAR(figure(one, "llm_perf_average_input_token_per_sec") * latency_s, 4, 1e-9);
    EXPECT_NEAR(figure(one, "llm_perf_average_output_token_per_sec") * latency_s, 3, 1e-9);
  }
}

TEST_F(LlmPerf, SendsEveryRowAtEachConcurrencyAndLetsTheModelEndAnswers) {
  truth::Server server(truth::always(truth::stream()));
  const CommandResult result = run(server, {"--concurrency", "2,16"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("concurrency 16: warning: all prompts were sent before"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("concurrency 2: warning: all prompts")));
  const auto bodies = measured(server);
  ASSERT_EQ(bodies.size(), 20u);
  for (const std::size_t begin : {0u, 10u}) {
    std::set<std::string> prompts;
    for (std::size_t i = begin; i < begin + 10; ++i) {
      prompts.insert(bodies[i]["text_input"]);
      EXPECT_EQ(bodies[i]["max_tokens"], 1024);
      EXPECT_EQ(bodies[i]["stream"], true);
      EXPECT_FALSE(bodies[i].contains("min_length"));
    }
    EXPECT_EQ(prompts.size(), 10u);
  }
}

TEST_F(LlmPerf, NoEosAsksForTheLengthOfOsl) {
  truth::Server server(truth::always(truth::stream()));
  EXPECT_EQ(run(server, {"--osl", "5", "--no-eos"}).exit_code, 0);
  for (const auto& body : measured(server)) {
    EXPECT_EQ(body["max_tokens"], 5);
    EXPECT_EQ(body["min_length"], 5);
  }
}

TEST_F(LlmPerf, TakesThePublishedFormsOfPromptFiles) {
  write("input.jsonl", rows("{{\"input\": \"prompt {}\", \"output\": \"one two\"}}\n", 3));
  write("pa.json",
        "{\"data\": [{\"text_input\": [\"a\"], \"max_tokens\": [1]},"
        "{\"text_input\": [\"b\"], \"max_tokens\": [1]}]}");
  truth::Server server(truth::always(truth::stream({.tokens = 1})));
  EXPECT_THAT(run(server, {}, "input.jsonl").out, HasSubstr("payload and results: 3 3\n"));
  EXPECT_THAT(run(server, {"--osl", "7"}, "pa.json").out, HasSubstr("payload and results: 2 2\n"));
  const auto bodies = measured(server);
  ASSERT_EQ(bodies.size(), 5u);
  EXPECT_EQ(bodies[0]["max_tokens"], 1024) << "recorded answers end no answer";
  EXPECT_EQ(bodies[3]["max_tokens"], 1) << "as its row says";
}

TEST_F(LlmPerf, AnswersWithoutTextHaveNoTokensAndCountForTheRest) {
  // Half of the answers are an end token, which has no text.
  truth::Server server([](const truth::Request& request) {
    return std::make_shared<const truth::Answer>(
        request.number % 2 == 0
            ? truth::stream({.tokens = 2})
            : truth::stream({.tokens = 0, .last_event = truth::event_json("")}));
  });
  const CommandResult result = run(server, {});
  EXPECT_THAT(result.out, HasSubstr("payload and results: 10 10\n")) << result.err;
  const auto readings = read_back(result.out);
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_NEAR(figure(readings[0], "llm_perf_average_output_token_per_sec") *
                  figure(readings[0], "request_latency_ms") / 1000,
              1, 1e-9);
}

TEST_F(LlmPerf, AnUnstreamedAnswerIsItsOwnFirstResponse) {
  truth::Server server(truth::always(truth::body(200, truth::event_json("one two"))));
  const auto readings = read_back(run(server, {"--no-stream"}).out);
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_GT(figure(readings[0], "ttft_ms"), 0);
  EXPECT_EQ(figure(readings[0], "ttft_ms"), figure(readings[0], "request_latency_ms"));
}

TEST_F(LlmPerf, CountsRequestsThatFailed) {
  truth::Server server(
      truth::except(4, truth::body(500, R"({"error":"no"})"), truth::stream({.tokens = 1})));
  const CommandResult result = run(server, {});
  EXPECT_THAT(result.out, HasSubstr("payload and results: 10 9\n"));
  EXPECT_THAT(result.err, HasSubstr("concurrency 1: warning: 1 of 10 requests failed, the first: "
                                    "HTTP 500: no\n"));
}

TEST_F(LlmPerf, NothingAnsweredIsNoFigureAndStatus4) {
  truth::Server server(truth::always(truth::body(500, R"({"error":"no"})")));
  const CommandResult result = run(server, {});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("Request concurrency: 1\npayload and results: 10 0\n"
                                    "throughput: 0.0 infer/sec.\n"));
  EXPECT_THAT(result.err, HasSubstr("not valid"));
}

TEST_F(LlmPerf, TheProfileIsThatOfPerfAnalyzerWithAnExperimentForEachConcurrency) {
  truth::Server server(truth::always(truth::stream({.tokens = 3})));
  const CommandResult result =
      run(server, {"--concurrency", "1,2", "--profile-export-file", folder_.file("profile.json")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string text = read("profile.json");
  EXPECT_EQ(imports::format_of(text), "profile-export");
  const auto readings = imports::read(text);
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(parameter(readings[1], "concurrency"), "2");
  for (const imports::Reading& one : readings) {
    ASSERT_EQ(one.requests.records.size(), 10u);
    EXPECT_EQ(one.requests.records[0].event_ns.size(), 3u);
    EXPECT_EQ(one.requests.texts[0].answer, truth::answer_text(3));
    EXPECT_THAT(one.requests.texts[0].prompt, testing::StartsWith("Question "));
  }
  const auto printed = read_back(result.out);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(figure(readings[i], "request_latency_ms"),
                figure(printed.at(i), "request_latency_ms"), 1e-6);
}

TEST_F(LlmPerf, RefusesAProfileThatCannotBeWrittenBeforeItMeasures) {
  truth::Server server(truth::always(truth::stream()));
  const CommandResult folder = run(server, {"--profile-export-file", folder_.file("Qwen2-7B")});
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_EQ(folder.err, fmt::format("orchestrate llm-perf: cannot write {}: Is a directory\n",
                                    folder_.file("Qwen2-7B")));
  EXPECT_EQ(run(server, {"--profile-export-file", folder_.file("none/profile.json")}).exit_code, 1);
  EXPECT_TRUE(server.log().empty());
}

TEST_F(LlmPerf, ErrorsNameItsOwnOptions) {
  truth::Server server(truth::always(truth::stream()));
  const auto error = [&](const std::vector<std::string>& words) {
    const CommandResult result = run(server, words);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(error({"--tokenizer-path", folder_.file("none")}),
            "orchestrate llm-perf: --tokenizer-path " + folder_.file("none") +
                " does not exist; name the model's folder, or its tokenizer.json\n");
  EXPECT_EQ(error({"--concurrency", "0"}),
            "orchestrate llm-perf: --concurrency must be at least 1, it is 0\n");
  EXPECT_EQ(error({"-u", "grpc://127.0.0.1:1"}),
            "orchestrate llm-perf: grpc://127.0.0.1:1 is a gRPC URL, which triton-http does not "
            "support; use http://, or -i grpc\n");
  EXPECT_TRUE(server.log().empty());
}

struct Finished {
  int exit_code = 0;
  std::string err;
};

Finished run_program(std::vector<std::string> words) {
  words.insert(words.begin(), {"orchestrate", "llm-perf"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStderr();
  Finished finished;
  finished.exit_code = orch::cli::main(static_cast<int>(argv.size()), argv.data());
  finished.err = testing::internal::GetCapturedStderr();
  return finished;
}

TEST_F(LlmPerf, AnOptionThatItDoesNotHaveIsOneErrorWithARemedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"--request-rate", "'llm-perf' has no option '--request-rate'; 'orchestrate bench' has it"},
      {"--measurement-interval",
       "'llm-perf' has no option '--measurement-interval'; 'orchestrate bench' has --duration S"},
      {"-b", "'llm-perf' has no option '-b'; 'orchestrate bench' has --batch N"},
      {"--tokenizer-pth",
       "unknown option '--tokenizer-pth' of 'llm-perf'; did you mean '--tokenizer-path'?"}};
  for (const auto& [option, message] : cases) {
    const Finished finished = run_program({"-u", "localhost:1", "-m", "m", option, "1"});
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_EQ(finished.err, message + "\nRun with --help for more information.\n");
  }
}

}  // namespace llm_perf_test
}  // namespace orch::cli
