// Answers of OpenAI's protocols that deviate from the specification, as servers and proxies send
// them: which are complete, which fail with which error, and how many tokens they have.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/triton_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::load {
namespace nonconforming_openai_test {

using testing::Each;

std::string event(std::string_view json) { return fmt::format("data: {}\n\n", json); }
std::string choice(std::string_view text, std::string_view reason = "null", int index = 0) {
  return event(fmt::format(R"({{"choices":[{{"index":{},"text":"{}","finish_reason":{}}}]}})",
                           index, text, reason));
}

const std::string k_done = "data: [DONE]\n\n";
const std::string k_two = choice("a") + choice("b");
const std::string k_four = k_two + choice("c") + choice("d", R"("length")");

struct Case {
  const char* name;
  std::string body;
  std::string error;
  std::optional<std::int64_t> osl;
  bool stream = true;
  const char* answers = "1";  // per prompt
};

truth::Answer answer_of(const Case& one) {
  if (!one.stream) return truth::body(200, one.body);
  return {.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"},
                     {.bytes = truth::chunk(one.body)},
                     {.bytes = "0\r\n\r\n"}}};
}

std::vector<measure::RequestRecord> records_of(const truth::Answer& answer, bool stream = true,
                                               const char* answers = "1") {
  constexpr int k_requests = 12;
  truth::Server server(truth::always(answer));
  BenchOptions with = one_at_a_time(server.url(), k_requests);
  with.protocol = "openai-completions";
  with.stream = stream;
  with.inputs = {{"n", answers}};
  prompt::PromptSet prompts;
  for (int i = 0; i < k_requests; ++i) prompts.measured.push_back({.text_input = "p", .isl = 3});
  auto result = bench_all(with, prompts);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  EXPECT_EQ(result->front().records.size(), static_cast<std::size_t>(k_requests))
      << "no connection broke, so the run continues";
  return std::move(result->front().records);
}

class OddOpenAi : public testing::TestWithParam<Case> {};

TEST_P(OddOpenAi, HasTheExpectedErrorOrTokenCount) {
  const Case& one = GetParam();
  const measure::RequestRecord record = records_of(answer_of(one), one.stream, one.answers).front();
  EXPECT_EQ(record.error, one.error);
  if (one.error.empty()) {
    EXPECT_EQ(record.osl_counted, one.osl);
  }
}

const std::string k_reported = "the server reported inside its answer: ";
const std::string k_unfinished = "the stream ended without [DONE] and without a finish_reason";
const std::string k_no_token = "the answer ended without a single token";

INSTANTIATE_TEST_SUITE_P(
    Failures, OddOpenAi,
    testing::Values(
        Case{"AFieldError",
             k_two + "error: {\"code\":400,\"message\":\"too long\"}\n\n" + k_done,
             k_reported + "too long",
             {}},
        Case{"AFieldErrorInPlainText",
             k_two + "error: say \"why\"\n\n" + k_done,
             k_reported + "say \"why\"",
             {}},
        Case{"AnErrorEventWithAComment",
             k_two + "event: error\n: it died\n\n" + k_done,
             k_reported + "it died",
             {}},
        Case{"AnErrorEventWithoutText",
             k_two + "event: error\n\n" + k_done,
             k_reported + "an event of type error without a text",
             {}},
        Case{"AnErrorEventInPlainText",
             k_two + "event: error\ndata: engine died\n\n" + k_done,
             k_reported + "engine died",
             {}},
        Case{"AnErrorEventThatIsAnObject",
             k_two + "event: error\ndata: {\"error\":\"boom\"}\n\n" + k_done,
             k_reported + "boom",
             {}},
        Case{"TwoErrors",
             event(R"({"error":"boom"})") + event(R"({"error":"again"})"),
             k_reported + "boom",
             {}},
        Case{"AnErrorWithoutAMessage",
             event(R"({"error":{"message":null,"code":500}})"),
             k_reported + R"({"message":null,"code":500})",
             {}},
        Case{"AnErrorOutsideAnEvent",
             R"({"error":{"message":"model is busy"}})",
             k_reported + "model is busy",
             {}},
        Case{"AnErrorOnALine",
             "{\"error\":{\"message\":\"model is busy\"}}\n",
             k_reported + "model is busy",
             {}},
        Case{"Aborted",
             k_two + choice("", R"("abort")") + k_done,
             k_reported + R"(its finish_reason is "abort")",
             {}},
        Case{"Faulty",
             k_two + choice("", R"("error")") + k_done,
             k_reported + R"(its finish_reason is "error")",
             {}},
        Case{"AbortedInOneBody",
             R"({"choices":[{"index":0,"text":"x","finish_reason":"abort"}]})",
             k_reported + R"(its finish_reason is "abort")",
             {},
             false},
        Case{"OneOfTwoEnded",
             choice("a", R"("length")") + choice("b", "null", 1),
             k_unfinished,
             {},
             true,
             "2"},
        Case{"TheSecondOfTwoAlone", choice("b", R"("length")", 1), k_unfinished, {}, true, "2"},
        Case{"ATokenWithoutItsEnd",
             k_two + "data: {\"choices\":[{\"index\":0,\"text\":\"c\"}]}\n",
             "the stream ended inside an event",
             {}},
        Case{"ATruncatedEvent",
             k_two + "data: {\"choices\":[{\"ind",
             "the stream ended inside an event",
             {}},
        Case{
            "NoTokens",
            R"({"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":0}})",
            k_no_token,
            {},
            false},
        Case{"NoTokensInAStream",
             choice("", R"("stop")") +
                 event(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":0}})") +
                 k_done,
             k_no_token,
             {}},
        Case{"NoTokensUpToAnUnknownLength", choice("", R"("length")") + k_done, k_no_token, {}},
        Case{"EventsOfAnotherProtocol",
             "event: message_start\ndata: {\"type\":\"message_start\"}\n\n"
             "event: content_block_delta\ndata: {\"delta\":{\"text\":\"a\"}}\n\n",
             k_no_token + "; its first event of a type that is not part of this "
                          "protocol: {\"type\":\"message_start\"}",
             {}},
        Case{"AnotherObjectWithoutAType",
             k_two + event(R"({"type":"ping"})") + k_done,
             "the server sent an event that is not of this protocol: {\"type\":\"ping\"}",
             {}},
        Case{"AFailureInAnEventOfAType",
             k_two + "event: status\ndata: {\"error\":{\"message\":\"gone\"}}\n\n" + k_done,
             k_reported + "gone",
             {}},
        Case{"AnUnrequestedStream",
             k_two + k_done,
             "the server answered with a stream instead of one body: " + k_two + k_done,
             {},
             false}),
    [](const auto& one) { return one.param.name; });

const std::string k_packed =
    event(R"({"choices":[{"index":0,"text":"a"},{"index":1,"text":"b"}]})");

INSTANTIATE_TEST_SUITE_P(
    WholeAnswers, OddOpenAi,
    testing::Values(
        Case{"ALineThatEndsDone", k_four + "data: [DONE]\n", "", 4},
        Case{"DoneWithoutALineEnd", k_four + "data: [DONE]", "", 4},
        Case{"ACommentAtTheEnd", k_four + k_done + ": bye", "", 4},
        Case{"EmptyEvents", "data: \n\n" + k_four + "data:\n\n" + k_done, "", 4},
        Case{"NullChoicesBesideAUsage",
             k_four +
                 event(R"({"choices":null,"usage":{"prompt_tokens":3,"completion_tokens":5}})") +
                 k_done,
             "", 5},
        Case{"AUsageWithoutChoices",
             k_four + event(R"({"usage":{"prompt_tokens":3,"completion_tokens":5}})") + k_done, "",
             5},
        Case{"EmptyErrors",
             event(R"({"error":"","choices":[{"index":0,"text":"a"}]})") +
                 event(R"({"error":{},"choices":[{"index":0,"text":"b"}]})") + k_done,
             "", 2},
        Case{"SeveralChoicesInAnEvent", k_packed + k_packed + k_packed + k_packed + k_done, "", 8,
             true, "2"},
        Case{"BothEnded", choice("a", R"("length")", 1) + choice("b", R"("length")"), "", 2, true,
             "2"},
        Case{"EventsOfATypeOfTheirOwn",
             "event: ping\ndata: {\"type\": \"ping\"}\n\n" + k_two +
                 "event: tool.progress\ndata: {\"step\": 1}\n\n" + choice("c") +
                 choice("d", R"("length")") + k_done,
             "", 4},
        Case{"ChunksOfAType",
             "event: chunk\n" + choice("a") + "event: chunk\n" + choice("b") + k_done, "", 2},
        Case{"SeveralTokensInAnEventUpToTheLength",
             choice("a b") + choice("c d") + choice("", R"("length")") + k_done, "", 4},
        Case{"SeveralTokensInAnEventUpToTheirEnd",
             choice("a b") + choice("c d") + choice("", R"("stop")") + k_done, "", 2},
        Case{"OnlyTheEndToken",
             choice("", R"("stop")") +
                 event(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}})") +
                 k_done,
             "", 1},
        Case{"OnlyTheEndTokenUncounted", choice("", R"("stop")") + k_done, "", 1},
        Case{"OnlyTheEndTokenInOneBody",
             R"({"choices":[{"index":0,"text":"","finish_reason":"stop"}]})",
             "",
             {},
             false},
        Case{"InvisibleTokens", R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})",
             "", 4, false},
        Case{
            "InvisibleTokensThatAreCounted",
            R"({"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}})",
            "", 2, false},
        Case{"AnEndBeforeItsLength",
             R"({"choices":[{"index":0,"text":"x","finish_reason":"stop"}]})",
             "",
             {},
             false}),
    [](const auto& one) { return one.param.name; });

std::size_t events_of(const std::string& body) {
  return records_of(answer_of({.name = "", .body = body, .error = "", .osl = {}}))
      .front()
      .event_ns.size();
}

TEST(OddOpenAi, AnEventThatOnlyOpensAnAnswerIsNoTokenIfTheCountSaysSo) {
  const auto usage = [](int tokens) {
    return event(fmt::format(R"({{"choices":[],"usage":{{"completion_tokens":{}}}}})", tokens));
  };
  EXPECT_EQ(events_of(choice("") + k_four + usage(4) + k_done), 4u);
  EXPECT_EQ(events_of(choice("") + choice("") + k_four + usage(5) + k_done), 5u);
  EXPECT_EQ(events_of(choice("") + k_four + usage(5) + k_done), 5u) << "half a character";
  EXPECT_EQ(events_of(choice("") + k_four + k_done), 4u) << "by the length that it was asked for";
  EXPECT_EQ(events_of(choice("") + k_two + k_done), 3u) << "nothing tells";
  EXPECT_EQ(events_of(k_two + choice("") + k_two + usage(4) + k_done), 5u) << "it opens nothing";
}

TEST(OddOpenAi, TheFirstReasoningAndTheFirstTextHaveStampsOfTheirOwn) {
  const auto delta = [](std::string_view member, std::string_view text) {
    return truth::chunk(
        event(fmt::format(R"({{"choices":[{{"index":0,"delta":{{"{}":"{}"}}}}]}})", member, text)));
  };
  const auto stamps = [&](std::vector<std::string> events) {
    truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
    for (std::string& one : events)
      answer.pieces.push_back({.bytes = std::move(one), .wait_ns = 1'000'000, .tokens = 1});
    answer.pieces.push_back({.bytes = truth::chunk(k_done) + "0\r\n\r\n"});
    truth::Server server(truth::always(answer));
    BenchOptions with = one_at_a_time(server.url(), 1);
    with.protocol = "openai-chat";
    prompt::PromptSet prompts;
    prompts.measured.push_back({.text_input = "p", .isl = 3});
    return bench_one(with, prompts).records.front();
  };
  const auto both =
      stamps({delta("reasoning", "a"), delta("reasoning", "b"), delta("content", "c")});
  ASSERT_EQ(both.event_ns.size(), 3u);
  EXPECT_EQ(both.first_reasoning_ns, both.event_ns[0]);
  EXPECT_EQ(both.first_visible_ns, both.event_ns[2]);
  const auto only = stamps({delta("reasoning", "a"), delta("reasoning", "b")});
  EXPECT_EQ(only.first_reasoning_ns, only.event_ns[0]);
  EXPECT_FALSE(only.first_visible_ns);
  const auto none = stamps({delta("content", "a"), delta("content", "b")});
  EXPECT_FALSE(none.first_reasoning_ns);
  EXPECT_FALSE(none.first_visible_ns) << "it is the first token";
}

std::vector<std::string> errors_of_plain(std::string head, std::string body) {
  truth::Answer answer{
      .pieces = {{.bytes = fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", head,
                                       body.size(), body)}}};
  std::vector<std::string> out;
  for (const measure::RequestRecord& record : records_of(answer)) out.push_back(record.error);
  return out;
}

TEST(OddOpenAi, RefusalsInUnusualFormsAreReported) {
  EXPECT_THAT(errors_of_plain("503 Service Unavailable", ""), Each("HTTP 503 without a message"));
  EXPECT_THAT(errors_of_plain("503 Service Unavailable\r\nContent-Encoding: gzip", "\x1f\x8b"),
              Each("HTTP 503: its body is compressed, although no compression was requested"));
  EXPECT_THAT(errors_of_plain("429 Too Many Requests\r\nContent-Type: text/event-stream",
                              event(R"({"error":{"message":"slow down"}})") + k_done),
              Each("HTTP 429: slow down"));
}

}  // namespace nonconforming_openai_test
}  // namespace orch::load
