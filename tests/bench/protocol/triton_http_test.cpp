// Triton's generate extension: the bytes of requests and the meaning of answers.
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_models.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::protocol {
namespace triton_http_test {

RequestShape shape() {
  return {.url = *wire::parse_url("http://127.0.0.1:8000"),
          .model = "ensemble",
          .stream = true,
          .osl = 16,
          .forced_osl = true,
          .inputs = {}};
}

std::string request_text(RequestShape with, std::string text = "hi") {
  return (*make_protocol("triton-http", std::move(with)))
      ->request({.text_input = std::move(text), .isl = {}});
}

nlohmann::json body_of(const std::string& request) {
  return nlohmann::json::parse(request.substr(request.find("\r\n\r\n") + 4));
}

struct Read {
  EventKind kind;
  std::string text;
  std::string failure;
  bool operator==(const Read&) const = default;
};

Read read(std::string_view event) {
  AnswerState state;
  const EventKind kind = (*make_protocol("triton-http", shape()))->read_event(event, state);
  return {kind, state.text, state.failure};
}

TEST(TritonHttp, ARequestIsAPostWithAJsonBody) {
  const std::string body = R"({"text_input":"a\"b","max_tokens":16,"min_length":16,"stream":true})";
  EXPECT_EQ(request_text(shape(), "a\"b"),
            "POST /v2/models/ensemble/generate_stream HTTP/1.1\r\nHost: "
            "127.0.0.1:8000\r\nContent-Type: application/json\r\n"
            "Content-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
}

TEST(TritonHttp, WithoutStreamItAsksGenerateForOneBody) {
  RequestShape with = shape();
  with.stream = false;
  EXPECT_TRUE(request_text(with).starts_with("POST /v2/models/ensemble/generate HTTP/1.1\r\n"));
  EXPECT_EQ(body_of(request_text(with))["stream"], false);
}

TEST(TritonHttp, WithoutAForcedLengthItSetsNoMinimum) {
  RequestShape with = shape();
  with.forced_osl = false;
  EXPECT_FALSE(body_of(request_text(with)).contains("min_length"));
  EXPECT_EQ(body_of(request_text(with))["max_tokens"], 16);
}

TEST(TritonHttp, InputsAreSentAsJsonOrElseAsTextAndReplaceDefaults) {
  RequestShape with = shape();
  with.inputs = {
      {"temperature", "0.5"}, {"stop_words", R"(["a","b"])"}, {"id", "abc"}, {"min_length", "3"}};
  const nlohmann::json body = body_of(request_text(with));
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_EQ(body["stop_words"], nlohmann::json::array({"a", "b"}));
  EXPECT_EQ(body["id"], "abc");
  EXPECT_EQ(body["min_length"], 3);
}

TEST(TritonHttp, AnEventWithTextIsATokenEvenWhenTheTextIsEmpty) {
  EXPECT_EQ(read(R"({"model_name":"e","text_output":" x"})"), (Read{EventKind::token, " x", ""}));
  EXPECT_EQ(read(R"({"text_output":""})"), (Read{EventKind::token, "", ""}));
  EXPECT_EQ(read(R"({"text_output":["a","b"]})"), (Read{EventKind::token, "ab", ""}));
}

TEST(TritonHttp, LogProbabilitiesAndLogitsAreKeptOnRequest) {
  const auto protocol = *make_protocol("triton-http", shape());
  AnswerState kept, plain;
  kept.keeps_values = true;
  for (AnswerState* state : {&kept, &plain}) {
    for (
        const char* event :
        {R"({"model_name":"e","text_output":"a","output_log_probs":[-0.5,-1],"cum_log_probs":-1.5})",
         R"({"model_name":"e","text_output":"b","context_logits":[[1,2]],"other":[3]})"})
      EXPECT_EQ(protocol->read_event(event, *state), EventKind::token);
  }
  EXPECT_EQ(kept.values, R"({"output_log_probs":[-0.5,-1],"cum_log_probs":-1.5},)"
                         R"({"context_logits":[[1,2]]})");
  EXPECT_EQ(plain.values, "");
}

TEST(TritonHttp, AResponseWithoutOutputsIsNotAToken) {
  EXPECT_EQ(read(R"({"model_name":"e","model_version":"1"})"), (Read{EventKind::other, "", ""}));
  EXPECT_EQ(read(R"({"model_name":"e","model_version":"1","logits":3})").kind,
            EventKind::malformed);
}

TEST(TritonHttp, AnErrorInsideAnAnswerIsAFailure) {
  EXPECT_EQ(read(R"({"error":"out of \"memory\""})"),
            (Read{EventKind::failure, "", "out of \"memory\""}));
}

TEST(TritonHttp, EventsWithoutAValidTextAreMalformed) {
  for (const char* event : {"[DONE]", "{}", R"({"text_output":3})", R"({"text_output":"x)"})
    EXPECT_EQ(read(event), (Read{EventKind::malformed, "", ""})) << event;
}

// --- models whose configuration is known ---

RequestShape shape_of(const ModelFacts& facts, std::int64_t batch = 1) {
  return {.url = *wire::parse_url("http://127.0.0.1:8000"),
          .model = facts.name,
          .stream = true,
          .osl = 16,
          .batch = batch,
          .facts = facts,
          .inputs = {}};
}

std::string body_text(const RequestShape& with, const std::vector<prompt::Prompt>& prompts) {
  auto protocol = make_protocol("triton-http", with);
  if (!protocol.ok()) return protocol.error().message;
  const std::string request = (*protocol)->request(prompts);
  return request.substr(request.find("\r\n\r\n") + 4);
}

TEST(TritonHttp, TheLlmapiModelIsRecognisedByItsInputs) {
  EXPECT_EQ(
      body_text(shape_of(llmapi_0_19()), {{.text_input = "hi", .isl = {}}}),
      R"({"text_input":"hi","sampling_param_max_tokens":16,"streaming":true,"sampling_param_exclude_input_from_output":true})");
  const auto protocol = make_protocol("triton-http", shape_of(llmapi_0_19()));
  EXPECT_FALSE((*protocol)->traits().forces_length);
  AnswerState state;
  EXPECT_EQ((*protocol)->read_event(R"({"text_output":"a"})", state), EventKind::token);
  EXPECT_EQ((*protocol)->read_event(R"({"text_output":"a b"})", state), EventKind::token);
  EXPECT_EQ(state.text, "a b") << "each event repeats the text so far";
}

TEST(TritonHttp, TheEngineModelTakesIds) {
  EXPECT_EQ(
      body_text(shape_of(tensorrt_llm_0_14()), {{.text_input = "", .ids = {7, 8}, .isl = {}}}),
      R"({"input_ids":[7,8],"input_lengths":2,"request_output_len":16,"min_length":16,"streaming":true,"exclude_input_in_output":true})");
  EXPECT_TRUE((*make_protocol("triton-http", shape_of(tensorrt_llm_0_14())))->traits().takes_ids);
}

TEST(TritonHttp, ABatchIsAListPerInput) {
  EXPECT_EQ(
      body_text(shape_of(ensemble_0_14(), 2),
                {{.text_input = "a", .isl = {}}, {.text_input = "b", .isl = {}, .osl = 3}}),
      R"({"text_input":["a","b"],"max_tokens":[16,3],"min_length":[16,3],"stream":[true,true]})");
}

TEST(TritonHttp, AShapeThatTheServerWouldInferWronglyIsRefused) {
  EXPECT_EQ(body_text(shape_of(ensemble_0_11(), 2), {}),
            "the input text_input cannot be sent with the shape [2, 1] over HTTP, where Triton "
            "infers shapes; use --protocol triton-grpc, or leave out --batch");
  EXPECT_EQ(body_text(shape_of(tensorrt_llm_0_14(), 2), {}),
            "the input input_ids cannot be sent with the shape [2, 2] over HTTP, where Triton "
            "infers shapes; use --protocol triton-grpc, or leave out --batch");
  RequestShape with = shape_of(ensemble_0_14());
  with.inputs = {{"prompt_embedding_table", "[[1,2],[3,4]]"}};
  EXPECT_EQ(body_text(with, {}),
            "the input prompt_embedding_table cannot be sent with the shape [1, 2, 2] over HTTP, "
            "where Triton infers shapes; use --protocol triton-grpc");
}

TEST(TritonHttp, ValuesAreWrittenByTheirType) {
  RequestShape with = shape_of(ensemble_0_14());
  with.sampling = {
      .temperature = 0.1, .seed = 18'446'744'073'709'551'615U, .bad_words = {"a\"b", "c"}};
  with.inputs = {{"return_log_probs", "0"}, {"stop_words", "[]"}};
  EXPECT_EQ(
      body_text(with, {{.text_input = "hi", .isl = {}}}),
      R"({"text_input":"hi","max_tokens":16,"min_length":16,"stream":true,"temperature":0.1,"random_seed":18446744073709551615,"bad_words":["a\"b","c"],"return_log_probs":false,"stop_words":[]})");
}

TEST(TritonHttp, TheAuthorizationIsAHeader) {
  RequestShape with = shape();
  with.authorization = "Bearer abc";
  EXPECT_TRUE(request_text(with).starts_with(
      "POST /v2/models/ensemble/generate_stream HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nAuthorization: "
      "Bearer abc\r\nContent-Type: "));
}

AnswerState read_all(const ModelFacts& facts, const std::vector<std::string>& events,
                     bool stream = true, std::vector<EventKind>* kinds = nullptr) {
  RequestShape with = shape_of(facts);
  with.stream = stream;
  auto protocol = make_protocol("triton-http", with);
  if (!protocol.ok()) throw std::runtime_error(protocol.error().message);
  AnswerState state;
  for (const std::string& event : events) {
    const EventKind kind = (*protocol)->read_event(event, state);
    if (kinds != nullptr) kinds->push_back(kind);
  }
  return state;
}

TEST(TritonHttp, IdsAreCountedInTotalAndForTheFirstEvent) {
  std::vector<EventKind> kinds;
  const AnswerState state =
      read_all(tensorrt_llm_0_14(),
               {R"({"output_ids":[5,6]})", R"({"output_ids":7})", R"({"output_ids":[]})",
                R"({"output_ids":[1,2,3,4],"sequence_length":1})"},
               true, &kinds);
  EXPECT_EQ(kinds,
            (std::vector{EventKind::token, EventKind::token, EventKind::other, EventKind::token}));
  EXPECT_EQ(state.id_count, 4) << "the last event has one token, and its other ids are padding";
  EXPECT_EQ(state.text, "5 6 7 1") << "the answer is kept as its ids";
  EXPECT_EQ(state.first_event_tokens, 2);
}

TEST(TritonHttp, IdsThatMayIncludeThePromptAreNotCounted) {
  ModelFacts facts = tensorrt_llm_0_14();
  EXPECT_EQ(read_all(facts, {R"({"output_ids":[7,8,9,1,2],"sequence_length":5})"}, false).id_count,
            5)
      << "the request excludes the prompt from the output";
  std::erase_if(facts.inputs,
                [](const ModelTensor& input) { return input.name == "exclude_input_in_output"; });
  EXPECT_EQ(read_all(facts, {R"({"output_ids":[7,8,9,1,2]})"}, false).id_count, 0);
  EXPECT_EQ(read_all(facts, {R"({"output_ids":[1,2]})"}, true).id_count, 2)
      << "a stream does not repeat the prompt";
}

TEST(TritonHttp, InvalidIdsAreMalformed) {
  for (const char* event :
       {R"({"output_ids":"x"})", R"({"output_ids":[1,"x"]})", R"({"output_ids":[1.5]})",
        R"({"output_ids":[[1]]})", R"({"output_ids":null})", R"({"output_ids":{"a":1}})"}) {
    std::vector<EventKind> kinds;
    EXPECT_EQ(read_all(tensorrt_llm_0_14(), {event}, true, &kinds).id_count, 0);
    EXPECT_EQ(kinds.front(), EventKind::malformed) << event;
  }
}

TEST(TritonHttp, TheServersTimesCountFromItsArrival) {
  const AnswerState state = read_all(
      ensemble_0_19(),
      {R"({"text_output":"a","cum_log_probs":[-0.5],"arrival_time_ns":1000,"first_scheduled_time_ns":[1200],"first_token_time_ns":1500,"last_token_time_ns":1900})"});
  ASSERT_TRUE(state.server_times);
  EXPECT_EQ(state.server_times->scheduled_ns, 200);
  EXPECT_EQ(state.server_times->first_token_ns, 500);
  EXPECT_EQ(state.server_times->last_token_ns, 900);
}

TEST(TritonHttp, ImpossibleServerTimesAreIgnored) {
  for (
      const char* times :
      {R"("arrival_time_ns":0,"first_scheduled_time_ns":0,"first_token_time_ns":0,"last_token_time_ns":0)",
       R"("arrival_time_ns":1000)",
       R"("arrival_time_ns":1000,"first_scheduled_time_ns":900,"first_token_time_ns":1500,"last_token_time_ns":1900)",
       R"("arrival_time_ns":1000,"first_scheduled_time_ns":1200,"first_token_time_ns":1500,"last_token_time_ns":1400)"})
    EXPECT_FALSE(
        read_all(ensemble_0_19(), {fmt::format(R"({{"text_output":"a",{}}})", times)}).server_times)
        << times;
}

TEST(TritonHttp, ARefusalMayBeWrittenAsAnEvent) {
  const auto protocol = make_protocol("triton-http", shape());
  EXPECT_EQ((*protocol)->read_refusal("data: {\"error\":\"the queue is full\"}\n\n"),
            "the queue is full");
  EXPECT_EQ((*protocol)->read_refusal(R"({"error":"the queue is full"})"), "the queue is full");
  EXPECT_EQ((*protocol)->read_refusal("data:"), "");
}

TEST(TritonHttp, AnErrorBesideAnOutputIsAFailure) {
  EXPECT_EQ(read(R"({"text_output":"x","error":"no"})").kind, EventKind::failure);
  EXPECT_EQ(read(R"({"text_output":"x","error":null})").kind, EventKind::token);
  EXPECT_EQ(read(R"({"error":{"code":3}})"), (Read{EventKind::failure, "", R"({"code":3})"}));
}

TEST(TritonHttp, AnUnknownProtocolIsRefusedWithTheKnownOnes) {
  const auto protocol = make_protocol("triton-htp", shape());
  ASSERT_FALSE(protocol.ok());
  EXPECT_EQ(protocol.error().message,
            "unknown protocol 'triton-htp'; did you mean 'triton-http'?; known: triton-http, "
            "triton-grpc, openai-completions, openai-chat");
}

}  // namespace triton_http_test
}  // namespace orch::protocol
