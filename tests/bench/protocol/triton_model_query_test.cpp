// Queries for the configuration of a model, to Triton servers and to others.
#include "bench/protocol/triton_model_query.hpp"

#include "bench/load/bench_all.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::protocol {
namespace triton_model_query_test {

using testing::ElementsAre;

Result<ModelFacts> ask(int status, std::string page, std::string_view authorization = {}) {
  truth::Server server(truth::always(truth::stream()),
                       {.config_status = status, .config = std::move(page)});
  const wire::Url url = *wire::parse_url(server.url());
  return ask_model_http({.url = url,
                         .protocol = "triton-http",
                         .model = "ensemble",
                         .access = {.authorization = std::string(authorization)}});
}

// The error with the server's port taken out.
std::string refusal(int status, std::string page) {
  const auto facts = ask(status, std::move(page));
  if (facts.ok()) return "accepted";
  std::string message = facts.error().message;
  const std::size_t port = message.find("127.0.0.1:");
  if (port != std::string::npos) message.erase(port + 9, message.find('/', port) - port - 9);
  return message;
}

TEST(TritonAsk, AConfigurationGivesInputsBatchSizeAndDecoupling) {
  const auto facts = ask(
      200,
      R"({"name":"m","max_batch_size":4,"input":[{"name":"text_input","data_type":"TYPE_STRING","dims":[1],"optional":false},
    {"name":"seed","data_type":"TYPE_UINT64","dims":["-1",2],"optional":true}],"output":[{"name":"text_output","data_type":"TYPE_STRING","dims":[-1]}],
    "model_transaction_policy":{"decoupled":true},"parameters":{"accumulate_tokens":{"string_value":"True"}}})");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->name, "m");
  EXPECT_EQ(facts->max_batch_size, 4);
  EXPECT_TRUE(facts->decoupled);
  EXPECT_TRUE(facts->accumulates);
  ASSERT_EQ(facts->inputs.size(), 2u);
  EXPECT_EQ(facts->input("text_input")->datatype, "BYTES");
  EXPECT_FALSE(facts->input("text_input")->optional);
  EXPECT_EQ(facts->input("seed")->datatype, "UINT64");
  EXPECT_THAT(facts->input("seed")->dims, ElementsAre(-1, 2));
  EXPECT_TRUE(facts->input("seed")->optional);
  EXPECT_EQ(facts->input("text_output"), nullptr);
}

TEST(TritonAsk, MissingFieldsOfAConfigurationAreZeroOrFalse) {
  const auto facts = ask(200, R"({"name":"m","input":[]})");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->max_batch_size, 0);
  EXPECT_FALSE(facts->decoupled);
  EXPECT_FALSE(facts->accumulates);
}

// 1.2e20 is beyond every integer.
TEST(TritonAsk, ANumberThatIsNoIntegerIsZero) {
  const auto facts = ask(
      200,
      R"({"name":"m","max_batch_size":2.5,"input":[{"name":"text_input","data_type":"TYPE_STRING","dims":["-1",118446744073709551615]}]})");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->max_batch_size, 0);
  ASSERT_EQ(facts->inputs.size(), 1u);
  EXPECT_THAT(facts->inputs[0].dims, testing::ElementsAre(-1, 0));
}

TEST(TritonAsk, AModelThatTheServerLacksIsAnError) {
  EXPECT_EQ(refusal(404, R"({"error":"Request for unknown model: 'ensemble' is not found"})"),
            "the server has no model 'ensemble' ready: Request for unknown model: 'ensemble' is "
            "not found");
  EXPECT_EQ(ask(400, R"({"error":"x"})").error().kind, ErrorKind::invalid);
}

TEST(TritonAsk, AModelNameIsEscapedAsOneSegmentOfThePath) {
  const auto made = protocol::make_protocol("triton-http", {.url = *wire::parse_url("http://a:1"),
                                                            .model = "a b/c?d#e\r\nX: y",
                                                            .stream = true,
                                                            .osl = 4,
                                                            .inputs = {}});
  const std::string request = (*made)->request({.text_input = "p", .isl = {}});
  EXPECT_EQ(request.substr(0, request.find("\r\n")),
            "POST /v2/models/a%20b%2Fc%3Fd%23e%0D%0AX%3A%20y/generate_stream HTTP/1.1");
  EXPECT_EQ(request.find("\r\nX: y"), std::string::npos);
}

TEST(TritonAsk, WaitsNoLongerThanTheTimeout) {
  // The kernel accepts the connection, and no process answers.
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listener, 8), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::string url = fmt::format("127.0.0.1:{}", ntohs(address.sin_port));
  load::BenchOptions with;
  with.urls = {"http://" + url};
  with.model = "ensemble";
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1}};
  with.requests = 1;
  with.osl = 4;
  with.timeout_s = 0.05;
  prompt::PromptSet prompts;
  prompts.measured.push_back({.text_input = "p", .isl = 3});
  const std::int64_t before_ns = truth::now_ns();
  const auto measured = bench_all(with, prompts);
  ::close(listener);
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().message,
            fmt::format("http://{}/v2/models/ensemble/config did not answer: time ran out", url));
  EXPECT_LT(truth::now_ns() - before_ns, wire::k_connect_timeout_ms * std::int64_t{1'000'000})
      << "the default timeout of a query";
}

TEST(TritonAsk, AServerThatNeedsATokenIsAnErrorThatAsksForIt) {
  EXPECT_EQ(
      refusal(401, ""),
      "http://127.0.0.1/v2/models/ensemble/config requires authorization (HTTP 401); give a token "
      "with --token-file or --token-env");
  EXPECT_EQ(refusal(403, R"({"error":"no"})"),
            "http://127.0.0.1/v2/models/ensemble/config requires authorization (HTTP 403: no); "
            "give a token with --token-file or --token-env");
  EXPECT_THAT(ask(401, "", "Bearer xyz").error().message,
              testing::HasSubstr("; the token of --token-file or --token-env is not accepted"));
}

TEST(TritonAsk, AServerWithoutAValidConfigurationLeavesTheModelUnknown) {
  const std::string message =
      "http://127.0.0.1/v2/models/ensemble/config does not report the model's inputs: those of an "
      "ensemble are assumed, without checks";
  for (const auto& [status, page] : {std::pair{404, "Not Found"},
                                     {404, ""},
                                     {500, "{"},
                                     {200, "<html>"},
                                     {200, "[]"},
                                     {200, "{}"},
                                     {200, R"({"name":3,"input":[]})"},
                                     {200, R"({"name":"m","input":[3]})"},
                                     {200, R"({"name":"m","input":[{"name":"x"}]})"},
                                     {200, R"({"name":"m","input":{"a":1}})"}})
    EXPECT_EQ(refusal(status, page), message) << page;
  EXPECT_EQ(ask(404, "").error().kind, ErrorKind::not_found);
}

load::BenchOptions options(const truth::Server& server) {
  return load::one_at_a_time(server.url(), 2);
}

Result<std::vector<record::Measurement>> bench(
    const truth::Server& server, std::vector<std::pair<std::string, std::string>> inputs = {}) {
  load::BenchOptions with = options(server);
  with.inputs = std::move(inputs);
  return bench_all(
      with,
      {.warmup = {}, .measured = {{.text_input = "a", .isl = 3}, {.text_input = "b", .isl = 3}}});
}

TEST(TritonAsk, InputsThatTheModelLacksAreLeftOutWithAWarning) {
  truth::Server server(
      truth::always(truth::stream()),
      {.config =
           R"({"name":"ensemble","input":[{"name":"text_input","data_type":"TYPE_STRING","dims":[1]},{"name":"max_tokens","data_type":"TYPE_INT32","dims":[1]},
                                      {"name":"stream","data_type":"TYPE_BOOL","dims":[1]}],"model_transaction_policy":{"decoupled":true}})"});
  const auto measured = bench(server);
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_THAT(measured->front().verdict.warnings,
              ElementsAre("the model has no input min_length: it is not sent"));
  EXPECT_EQ(server.log()[0].request.body, R"({"text_input":"a","max_tokens":4,"stream":true})");
}

TEST(TritonAsk, AnUnknownModelIsTreatedAsAnEnsembleWithAWarning) {
  truth::Server server(truth::always(truth::stream()), {.config_status = 404, .config = ""});
  const auto measured = bench(server, {{"anything", "1"}});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_THAT(
      measured->front().verdict.warnings,
      ElementsAre(server.url() + "/v2/models/ensemble/config does not report the model's inputs: "
                                 "those of an ensemble are assumed, without checks"));
  EXPECT_EQ(server.log()[0].request.body,
            R"({"text_input":"a","max_tokens":4,"min_length":4,"stream":true,"anything":1})");
}

TEST(TritonAsk, WithoutAConfigurationInputsAreCheckedAgainstTheMetadata) {
  const std::string metadata =
      R"({"name":"ensemble","versions":["1"],"platform":"ensemble","inputs":[{"name":"text_input","datatype":"BYTES","shape":[-1,1]},
    {"name":"max_tokens","datatype":"INT32","shape":[-1,1]},{"name":"min_length","datatype":"INT32","shape":[-1,1]},{"name":"stream","datatype":"BOOL","shape":[-1,1]}],"outputs":[]})";
  truth::Server server(truth::always(truth::stream()),
                       {.config_status = 404, .config = "", .metadata = metadata});
  const auto measured = bench(server);
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_THAT(measured->front().verdict.warnings, ElementsAre());
  EXPECT_EQ(server.log()[0].request.body,
            R"({"text_input":"a","max_tokens":4,"min_length":4,"stream":true})");
  const auto unknown = bench(server, {{"max_token", "1"}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message,
            "--input max_token: the model ensemble has no such input; did you mean 'max_tokens'?; "
            "its inputs are: text_input, max_tokens, min_length, stream");
}

TEST(TritonAsk, StoppingAnEnsembleWarnsThatItRunsOn) {
  for (const bool ensemble : {true, false}) {
    std::string config = truth::k_ensemble_config;
    if (!ensemble)
      config.replace(config.find(R"("platform":"ensemble")"), 21, R"("backend":"python")");
    truth::Server server(truth::always(truth::stream()), {.config = config});
    load::BenchOptions with = options(server);
    with.stop_after_ms = 20'000;
    const auto measured = bench_all(
        with,
        {.warmup = {}, .measured = {{.text_input = "a", .isl = 3}, {.text_input = "b", .isl = 3}}});
    ASSERT_TRUE(measured.ok()) << measured.error().message;
    const auto says = testing::Contains(
        "ensemble is an ensemble, which Triton runs to completion after the client closes the "
        "stream: --stop-after-ms shortens only the client's view");
    EXPECT_THAT(measured->front().verdict.warnings,
                testing::Conditional(ensemble, says, testing::IsEmpty()));
  }
}

TEST(TritonAsk, AnInputThatTheModelLacksIsRefusedBeforeAnythingIsSent) {
  truth::Server server(truth::always(truth::stream()));
  const auto measured = bench(server, {{"temprature", "1"}});
  ASSERT_FALSE(measured.ok());
  EXPECT_TRUE(measured.error().message.starts_with(
      "--input temprature: the model ensemble has no such input; did you mean 'temperature'?; its "
      "inputs are: text_input, max_tokens, "));
  EXPECT_TRUE(server.log().empty());
}

TEST(TritonAsk, IdsInAnswersOfAModelThatTakesIdsAreCounted) {
  truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  for (const char* ids : {"[5,6]", "7", "[8]"})
    answer.pieces.push_back(
        {.bytes = truth::chunk(fmt::format("data: {{\"output_ids\":{}}}\n\n", ids)),
         .wait_ns = 0,
         .tokens = 1});
  answer.pieces.push_back({.bytes = "0\r\n\r\n"});
  truth::Server server(
      truth::always(answer),
      {.config =
           R"({"name":"tensorrt_llm","max_batch_size":8,"input":[{"name":"input_ids","data_type":"TYPE_INT32","dims":[-1]},
    {"name":"input_lengths","data_type":"TYPE_INT32","dims":[1]},{"name":"request_output_len","data_type":"TYPE_INT32","dims":[1]},{"name":"streaming","data_type":"TYPE_BOOL","dims":[1]}],
    "model_transaction_policy":{"decoupled":true}})"});
  load::BenchOptions with = options(server);
  with.eos = true;
  const prompt::Prompt prompt{.text_input = "", .ids = {1, 2, 3}, .isl = 3};
  const auto result = bench_all(with, {.warmup = {}, .measured = {prompt, prompt}});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->front().counting_osl, "ids");
  for (const measure::RequestRecord& record : result->front().records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.osl_counted, 4);
    EXPECT_EQ(record.first_event_tokens, 2);
  }
  EXPECT_EQ(server.log()[0].request.body,
            R"({"input_ids":[1,2,3],"input_lengths":3,"request_output_len":4,"streaming":true})");
}

TEST(TritonAsk, PromptsWithoutIdsCannotGoToAModelThatTakesIds) {
  truth::Server server(
      truth::always(truth::stream()),
      {.config =
           R"({"name":"tensorrt_llm","input":[{"name":"input_ids","data_type":"TYPE_INT32","dims":[-1]}],"model_transaction_policy":{"decoupled":true}})"});
  const auto measured = bench(server);
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().message,
            "prompts go to ensemble as token ids, but some in p.jsonl have no ids; give them "
            "input_ids, or add --tokenizer DIR --ids");
}

}  // namespace triton_model_query_test
}  // namespace orch::protocol
