// Triton's generate extension: the bytes that go out and the meaning of what comes back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "load/protocol.hpp"

namespace orch::load {
namespace {

RequestShape shape() { return {.url = *wire::parse_url("http://127.0.0.1:8000"), .model = "ensemble", .stream = true, .osl = 16, .forced_osl = true, .inputs = {}}; }

std::string request_text(RequestShape with, std::string text = "hi") {
  return (*make_protocol("triton-http", std::move(with)))->request({.text_input = std::move(text), .isl = {}});
}

nlohmann::json body_of(const std::string& request) { return nlohmann::json::parse(request.substr(request.find("\r\n\r\n") + 4)); }

struct Read {
  EventKind kind;
  std::string text;
  std::string failure;
  bool operator==(const Read&) const = default;
};

Read read(std::string_view event) {
  Told told;
  const EventKind kind = (*make_protocol("triton-http", shape()))->read_event(event, told);
  return {kind, told.text, told.failure};
}

TEST(TritonHttp, ARequestIsWrittenAsTheServerReadsIt) {
  const std::string body = R"({"text_input":"a\"b","max_tokens":16,"min_length":16,"stream":true})";
  EXPECT_EQ(request_text(shape(), "a\"b"), "POST /v2/models/ensemble/generate_stream HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Type: application/json\r\n"
                                           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
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

TEST(TritonHttp, InputsGoAsJsonWhereTheyAreAndAsTextWhereNotAndReplaceOurs) {
  RequestShape with = shape();
  with.inputs = {{"temperature", "0.5"}, {"stop_words", R"(["a","b"])"}, {"id", "abc"}, {"min_length", "3"}};
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

TEST(TritonHttp, AnErrorInsideAnAnswerIsAFailure) {
  EXPECT_EQ(read(R"({"error":"out of \"memory\""})"), (Read{EventKind::failure, "", "out of \"memory\""}));
}

TEST(TritonHttp, AnythingElseIsMalformed) {
  for (const char* event : {"[DONE]", "{}", R"({"text_output":3})", R"({"text_output":"x)"}) EXPECT_EQ(read(event), (Read{EventKind::malformed, "", ""})) << event;
}

TEST(TritonHttp, AnUnknownProtocolIsRefusedWithTheOnesThereAre) {
  const auto protocol = make_protocol("triton-htp", shape());
  ASSERT_FALSE(protocol.ok());
  EXPECT_EQ(protocol.error().message, "unknown protocol 'triton-htp'; did you mean 'triton-http'?; there is: triton-http, openai-completions, openai-chat");
}

}  // namespace
}  // namespace orch::load
