// The request that goes to each server alone before the first load, over every protocol.
#include "bench/load/bench_all.hpp"
#include "bench/load/bench_target.hpp"
#include "bench/protocol/grpc_speaker.hpp"
#include "bench/record/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace first_request_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using truth::Server;

prompt::PromptSet prompts() {
  prompt::PromptSet set;
  for (int i = 0; i < 4; ++i) {
    set.warmup.push_back({.text_input = "warm " + std::to_string(i), .isl = 3});
    set.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  }
  return set;
}

BenchOptions options(const std::string& url, std::string_view protocol = "triton-http") {
  BenchOptions out = one_at_a_time(url, 4);
  out.protocol = protocol;
  out.first_request = true;
  return out;
}

record::Measurement measured(const BenchOptions& with) { return bench_one(with, prompts()); }

Error error_of(const BenchOptions& with) {
  auto result = bench_all(with, prompts());
  return result.ok() ? Error{.kind = ErrorKind::internal, .message = "no error", .where = {}}
                     : result.error();
}

// The answer of SCRIPT to posts, and 404 for pages.
truth::Script to_posts(truth::Script script) {
  return [script = std::move(script)](const truth::Request& request) {
    return request.method == "POST"
               ? script(request)
               : std::make_shared<const truth::Answer>(truth::body(404, "Not Found"));
  };
}

int posts(const Server& server) {
  int count = 0;
  for (const truth::Served& served : server.log()) count += served.request.method == "POST";
  return count;
}

// --- one that succeeds ---

TEST(FirstRequest, IsSentAloneWithAPromptOfItsOwn) {
  Server server(truth::always(truth::stream()));
  BenchOptions with = options(server.url());
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1},
                {.kind = record::Load::Kind::closed, .concurrency = 2}};
  with.requests = 2;
  with.warmup = 2;
  const auto all = bench_all(with, prompts());
  ASSERT_TRUE(all.ok()) << all.error().message;
  const auto log = server.log();
  ASSERT_EQ(log.size(), 9u) << "once, before the first load";
  EXPECT_EQ(log[0].request.body,
            R"({"text_input":"Is anyone there?","max_tokens":2,"min_length":2,"stream":true})");
  EXPECT_LT(log[0].token_ns.back(), log[1].arrived_ns);
  for (const record::Measurement& one : *all) {
    EXPECT_EQ(one.records.size(), 4u) << "warm-up and measured requests";
    ASSERT_EQ(one.first_requests.size(), 1u);
  }
  EXPECT_THAT(all->front().verdict.warnings, ElementsAre());
  const auto record = nlohmann::json::parse(
      record::measurement_json(with, *all))["measurements"][0]["first_requests"][0];
  EXPECT_EQ(record["url"], server.url());
  EXPECT_EQ(record["status"], 200);
  EXPECT_GT(record["latency_ms"], 0);
  EXPECT_EQ(record["error"], nullptr);
}

TEST(FirstRequest, IsLeftOutUnlessAskedFor) {
  Server server(truth::always(truth::stream()));
  BenchOptions with = options(server.url());
  with.first_request = false;
  EXPECT_TRUE(measured(with).first_requests.empty());
  EXPECT_EQ(server.log().size(), 4u);
}

TEST(FirstRequest, NeverRepeatsAPrompt) {
  Server server(truth::always(truth::stream()));
  prompt::PromptSet set = prompts();
  set.measured[2].text_input = "Is anyone there?";
  set.warmup[1].text_input = "Is anyone there??";
  EXPECT_TRUE(bench_all(options(server.url()), set).ok());
  EXPECT_EQ(nlohmann::json::parse(server.log()[0].request.body)["text_input"],
            "Is anyone there???");
}

TEST(FirstRequest, SendsIdsOfThePromptsToAModelThatTakesIds) {
  Server server(
      truth::always(truth::stream()),
      {.config =
           R"({"name":"tensorrt_llm","max_batch_size":8,"input":[{"name":"input_ids","data_type":"TYPE_INT32","dims":[-1]},
    {"name":"input_lengths","data_type":"TYPE_INT32","dims":[1]},{"name":"request_output_len","data_type":"TYPE_INT32","dims":[1]}],
    "model_transaction_policy":{"decoupled":true}})"});
  prompt::PromptSet set;
  set.measured = {{.text_input = "", .ids = {7, 8, 9}, .isl = 3},
                  {.text_input = "", .ids = {9, 9, 9, 9}, .isl = 4}};
  BenchOptions with = options(server.url());
  with.requests = 2;
  ASSERT_TRUE(bench_all(with, set).ok());
  EXPECT_EQ(nlohmann::json::parse(server.log()[0].request.body)["input_ids"],
            nlohmann::json::array({9, 9, 9, 9, 9}));
}

TEST(FirstRequest, GoesToEveryServer) {
  Server one(truth::always(truth::stream()));
  Server two(to_posts(truth::always(truth::body(404, R"({"error":"no such model"})"))));
  BenchOptions with = options(one.url());
  with.urls.push_back(two.url());
  EXPECT_EQ(error_of(with).message,
            two.url() +
                " refused the first request: HTTP 404: no such model; check --url, --protocol, "
                "--model and the options of the request, or leave this request out with "
                "--no-first-request");
  EXPECT_EQ(one.log().size(), 1u);
  EXPECT_EQ(posts(two), 1);
}

// A metrics page that counts a request only after it was read once more, as servers do that count
// shortly after the end of an answer.
TEST(FirstRequest, IsNotInTheCountersOfTheWindow) {
  Server server([answered = 0, counted = 0](const truth::Request& request) mutable {
    if (request.method == "POST")
      return ++answered, std::make_shared<const truth::Answer>(truth::stream());
    const int shown = std::exchange(counted, answered);
    return std::make_shared<const truth::Answer>(truth::body(
        200,
        fmt::format("# TYPE nv_llm_output_token_len histogram\nnv_llm_output_token_len_sum "
                    "{}\nnv_llm_output_token_len_count {}\n",
                    4 * shown, shown),
        truth::After::close));
  });
  BenchOptions with = options(server.url());
  with.metrics_urls = {server.url() + "/metrics"};
  with.metrics_interval_s = 0;
  const record::Measurement measurement = measured(with);
  EXPECT_EQ(measurement.server.before->series.at("nv_llm_output_token_len_count").value, 1);
  EXPECT_EQ(measurement.server.after->series.at("nv_llm_output_token_len_count").value, 5);
}

// --- one that fails, over every protocol ---

class EveryProtocol : public testing::TestWithParam<std::shared_ptr<const protocol::Speaker>> {};

TEST_P(EveryProtocol, OverloadIsAWarningAndTheLoadFollows) {
  const protocol::Speaker& speaker = *GetParam();
  const auto server =
      speaker.serve({.events = {{.bytes = speaker.refusal("busy")}}, .refused = 503}, true);
  BenchOptions with = options(server->url(), speaker.protocol());
  with.ca_file = speaker.ca_file();
  const record::Measurement measurement = measured(with);
  EXPECT_EQ(measurement.records.size(), 4u);
  ASSERT_EQ(measurement.first_requests.size(), 1u);
  EXPECT_EQ(measurement.first_requests[0].error, speaker.refused("busy"));
  EXPECT_THAT(measurement.verdict.warnings,
              testing::Contains(fmt::format("the first request to {} failed: {}", server->url(),
                                            speaker.refused("busy"))));
}

TEST_P(EveryProtocol, AFailureInsideTheAnswerEndsTheBenchmark) {
  const protocol::Speaker& speaker = *GetParam();
  const auto server =
      speaker.serve({.events = {{.bytes = speaker.failure("no such model")}}}, true);
  BenchOptions with = options(server->url(), speaker.protocol());
  with.ca_file = speaker.ca_file();
  const Error error = error_of(with);
  EXPECT_EQ(error.kind, ErrorKind::invalid);
  EXPECT_THAT(error.message, AllOf(StartsWith(server->url().substr(0, 4)),
                                   HasSubstr("refused the first request: the server reported "
                                             "inside its answer: no such model")));
  EXPECT_LE(server->requests(), 4) << "one, and pages of the server";
}

INSTANTIATE_TEST_SUITE_P(FirstRequest, EveryProtocol, testing::ValuesIn(protocol::all_speakers()),
                         [](const auto& speaker) { return speaker.param->name(); });

TEST(FirstRequest, AMissingTokenNamesItsOption) {
  for (const int status : {401, 403}) {
    Server server(truth::always(truth::body(status, R"({"error":{"message":"no"}})")));
    BenchOptions with = options(server.url(), "openai-chat");
    EXPECT_EQ(error_of(with).message,
              fmt::format("{} refused the first request: HTTP {}: no; give a token with "
                          "--token-file or --token-env",
                          server.url(), status));
    EXPECT_EQ(server.log().size(), 1u);
    with.authorization = "Bearer xyz";
    EXPECT_THAT(error_of(with).message,
                HasSubstr("; the token of --token-file or --token-env is not accepted"));
  }
}

TEST(FirstRequest, AMissingTokenNamesItsOptionOverGrpc) {
  for (const int status : {7, 16}) {
    truth::GrpcServer server(truth::triton(
        truth::GrpcAnswer{.pieces = {}, .status = status, .message = "no", .trailers_only = true}));
    EXPECT_THAT(
        error_of(options(server.url(), "triton-grpc")).message,
        AllOf(HasSubstr(status == 7 ? "gRPC PERMISSION_DENIED: no" : "gRPC UNAUTHENTICATED: no"),
              HasSubstr("; give a token with --token-file or --token-env")));
    EXPECT_EQ(truth::inferences(server).size(), 1u);
  }
}

// The posts are refused with 404, and the list of models is answered.
truth::Script openai() {
  return [](const truth::Request& request) {
    return std::make_shared<const truth::Answer>(
        request.path == "/v1/models"
            ? truth::body(200, R"({"data":[{"id":"llama-3"}]})")
            : truth::body(404, R"({"error":{"message":"no such model"}})"));
  };
}

TEST(FirstRequest, AWrongModelNamesTheModelsOfAnOpenAiServer) {
  Server server(openai());
  BenchOptions with = options(server.url(), "openai-chat");
  with.model = "lama-3";
  EXPECT_EQ(error_of(with).message,
            server.url() +
                " has no model 'lama-3'; its models are: llama-3; did you mean 'llama-3'? (HTTP "
                "404: no such model)");
  EXPECT_EQ(posts(server), 1);
}

TEST(FirstRequest, AnOpenAiServerIsRecognisedUnderATritonProtocol) {
  Server server(openai(), {.config_status = 404, .config = R"({"detail":"Not Found"})"});
  EXPECT_THAT(error_of(options(server.url())).message,
              StartsWith("no Triton at " + server.url() +
                         ": /v2/health/ready answers 404, but /v1/models answers; use --protocol "
                         "openai-chat or openai-completions (HTTP 404: "));
  EXPECT_THAT(error_of(options(server.url(), "triton-grpc")).message,
              StartsWith("no Triton at " + server.url()))
      << "the query for the model fails before the first request";
}

TEST(FirstRequest, AnAnswerOfAnotherProtocolEndsTheBenchmark) {
  Server server(to_posts(truth::always(truth::body(200, "<html>Welcome</html>"))));
  EXPECT_THAT(error_of(options(server.url(), "openai-chat")).message,
              HasSubstr("refused the first request: the server answered without a stream"));
  EXPECT_EQ(posts(server), 1);
}

TEST(FirstRequest, AServerThatBreaksOffEndsTheBenchmark) {
  Server server(to_posts(truth::always({.pieces = {}, .after = truth::After::reset})));
  const Error error = error_of(options(server.url(), "openai-chat"));
  EXPECT_EQ(error.kind, ErrorKind::unavailable);
  EXPECT_THAT(error.message, HasSubstr("did not answer the first request: "));
}

TEST(FirstRequest, ATimeoutIsAWarning) {
  Server server(truth::except(0, {.pieces = {}, .after = truth::After::silent}, truth::stream()));
  BenchOptions with = options(server.url());
  with.timeout_s = 1;
  const record::Measurement measurement = measured(with);
  EXPECT_EQ(measurement.records.size(), 4u);
  EXPECT_EQ(measurement.first_requests[0].status, 0);
  EXPECT_EQ(measurement.first_requests[0].error, "no complete answer within 1 s");
}

TEST(FirstRequest, AnInterruptEndsIt) {
  std::atomic<bool> stopped = false;
  Server server([&stopped](const truth::Request&) {
    stopped = true;
    return std::make_shared<const truth::Answer>(
        truth::Answer{.pieces = {}, .after = truth::After::silent});
  });
  int kept = 0;
  const Status ended = run_bench(options(server.url()), prompts(), stopped, {},
                                 [&kept](const record::Measurement&) { ++kept; });
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().kind, ErrorKind::interrupted);
  EXPECT_EQ(kept, 0);
}

}  // namespace first_request_test
}  // namespace orch::load
