// The contract of every protocol, tested through the whole load generator: the tokens that a server
// sends are the tokens that count, however the connection cuts the stream.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/grpc_speaker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::protocol {
namespace protocol_test {

using measure::RequestRecord;
using testing::Each;
using testing::ElementsAre;

class EveryProtocol : public testing::TestWithParam<std::shared_ptr<const Speaker>> {
 protected:
  const Speaker& speaker() const { return *GetParam(); }

  // Opening, one event per text, closing.
  Reply stream(const std::vector<std::string>& texts, int tokens_per_event = 1) const {
    Reply reply;
    for (const std::string& event : speaker().opening()) reply.events.push_back({.bytes = event});
    for (const std::string& text : texts)
      reply.events.push_back({.bytes = speaker().token(text), .tokens = tokens_per_event});
    for (const std::string& event :
         speaker().closing(static_cast<int>(texts.size()) * tokens_per_event))
      reply.events.push_back({.bytes = event});
    return reply;
  }

  load::BenchOptions options() const {
    load::BenchOptions with;
    with.protocol = speaker().protocol();
    with.model = "ensemble";
    with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 2}};
    with.requests = 4;
    with.osl = 4;
    with.prompts_name = "p.jsonl";
    with.timeout_s = 20;
    return with;
  }

  record::Measurement measured(Reply reply, load::BenchOptions with) const {
    const std::unique_ptr<ServerFixture> fixture = speaker().serve(std::move(reply), with.stream);
    with.urls = {fixture->url()};
    with.ca_file = speaker().ca_file();
    prompt::PromptSet prompts;
    for (int i = 0; i < 8; ++i)
      prompts.measured.push_back({.text_input = "p" + std::to_string(i), .isl = 3});
    auto result = bench_all(with, prompts);
    if (!result.ok()) throw std::runtime_error(result.error().message);
    if (fixture->requests() != static_cast<int>(result->front().records.size()))
      throw std::runtime_error("the server saw other requests");
    connections = fixture->connections();
    return std::move(result->front());
  }
  record::Measurement measured(Reply reply) const { return measured(std::move(reply), options()); }

  mutable int connections = 0;  // used by the requests of the last measurement

  static std::vector<std::string> errors(const record::Measurement& measurement) {
    std::vector<std::string> out;
    for (const RequestRecord& record : measurement.records) out.push_back(record.error);
    return out;
  }
};

class InOnePiece : public EveryProtocol {};

TEST_P(EveryProtocol, CountsExactlyTheTokensSentHoweverTheyAreCut) {
  for (const Reply::Cut cut : {Reply::Cut::per_event, Reply::Cut::at_once, Reply::Cut::per_byte}) {
    Reply reply = stream({" a", " b", " c", " d"});
    reply.cut = cut;
    for (const RequestRecord& record : measured(reply).records) {
      EXPECT_EQ(record.error, "");
      EXPECT_EQ(record.event_ns.size(), 4u) << "opening and closing events are not tokens";
      EXPECT_EQ(record.osl_counted, 4);
      EXPECT_EQ(record.answer, " a b c d");
      EXPECT_EQ(record.first_event_tokens, 1);
    }
  }
}

TEST_P(EveryProtocol, OpeningAndClosingEventsDoNotMoveTheTokenStamps) {
  constexpr std::int64_t k_wait_ns = 20'000'000;
  Reply reply = stream({"a", "b", "c", "d"});
  const std::size_t first = speaker().opening().size();
  reply.events[first].wait_ns = k_wait_ns;
  const bool closes = reply.events.size() > first + 4;
  if (closes) reply.events[first + 4].wait_ns = k_wait_ns;
  std::int64_t most_after_last = 0;
  // A busy machine may read one last token late, or those of all requests, but not every time.
  for (int i = 0; i < 20 && most_after_last <= k_wait_ns / 2; ++i) {
    for (const RequestRecord& record : measured(reply).records) {
      ASSERT_EQ(record.error, "");
      EXPECT_GE(record.first_ns() - record.sent_ns, k_wait_ns)
          << "the first token was not sent earlier";
      most_after_last = std::max(most_after_last, record.end_ns - record.last_ns());
    }
    if (!closes) return;
  }
  EXPECT_GT(most_after_last, k_wait_ns / 2);
}

TEST_P(EveryProtocol, ReusesItsConnections) {
  load::BenchOptions with = options();
  with.requests = 8;
  EXPECT_THAT(errors(measured(stream({" a", " b"}), with)), Each(""));
  EXPECT_EQ(connections, 2) << "one per slot, however answers end";
}

TEST_P(EveryProtocol, AnEventWithoutVisibleTextIsAToken) {
  for (const RequestRecord& record : measured(stream({"a", "", "", "d"})).records) {
    EXPECT_EQ(record.event_ns.size(), 4u) << "half a character, or a special token";
    EXPECT_EQ(record.answer, "ad");
  }
}

TEST_P(EveryProtocol, AnEventOfTwoTokensHasOneStamp) {
  load::BenchOptions with = options();
  with.tokens_per_event = 2;
  for (const RequestRecord& record : measured(stream({" a b", " c d"}, 2), with).records) {
    EXPECT_EQ(record.event_ns.size(), 2u);
    EXPECT_EQ(record.osl_counted, 4);
    EXPECT_EQ(record.first_event_tokens, 2) << "TPOT divides by the tokens after the first event";
  }
}

TEST_P(EveryProtocol, WithUnknownTokensPerEventUsageOrTheForcedLengthCounts) {
  load::BenchOptions with = options();
  with.tokens_per_event = 0;
  for (const RequestRecord& record : measured(stream({" a b", " c d"}, 2), with).records)
    EXPECT_EQ(record.osl_counted, 4);
  with.eos = true;
  for (const RequestRecord& record : measured(stream({" a b", " c d"}, 2), with).records)
    EXPECT_EQ(record.osl_counted.has_value(), speaker().reports_usage())
        << "a length that is neither forced nor reported is unknown";
}

TEST_P(EveryProtocol, DecodesTheEscapesOfAnAnswer) {
  for (const RequestRecord& record :
       measured(stream({R"(\u00e9\n)", R"(\ud83d\ude00)", R"(\"}])", R"(\\)"})).records)
    EXPECT_EQ(record.answer, "é\n😀\"}]\\");
}

TEST_P(InOnePiece, AnAnswerIsOneEvent) {
  load::BenchOptions with = options();
  with.stream = false;
  Reply reply;
  reply.events = {{.bytes = speaker().body("all of it", 4), .tokens = 1}};
  for (const RequestRecord& record : measured(reply, with).records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.answer, "all of it");
    EXPECT_EQ(record.event_ns.size(), 1u);
    EXPECT_EQ(record.osl_counted, 4);
  }
}

TEST_P(EveryProtocol, AFailureInsideAStreamFailsItsRequest) {
  Reply reply;
  reply.events = {{.bytes = speaker().token("a"), .tokens = 1},
                  {.bytes = speaker().failure(R"(out of \"memory\")")}};
  EXPECT_THAT(errors(measured(reply)),
              Each("the server reported inside its answer: out of \"memory\""));
}

TEST_P(EveryProtocol, AFailureInABodyOfStatus200FailsItsRequest) {
  load::BenchOptions with = options();
  with.stream = false;
  Reply reply;
  reply.events = {{.bytes = speaker().failure("no"), .tokens = 0}};
  EXPECT_THAT(errors(measured(reply, with)), Each("the server reported inside its answer: no"));
}

TEST_P(EveryProtocol, ARefusalCarriesTheServersMessage) {
  Reply reply;
  reply.events = {{.bytes = speaker().refusal("the queue is full")}};
  reply.refused = 503;
  EXPECT_THAT(errors(measured(reply)), Each(speaker().refused("the queue is full")));
}

TEST_P(InOnePiece, ARefusalCarriesTheServersMessage) {
  load::BenchOptions with = options();
  with.stream = false;
  Reply reply;
  reply.events = {{.bytes = speaker().refusal("the queue is full")}};
  reply.refused = 503;
  EXPECT_THAT(errors(measured(reply, with)), Each(speaker().refused("the queue is full")));
}

TEST_P(EveryProtocol, ATruncatedStreamIsAFailureDespiteItsTokens) {
  Reply reply;
  reply.events = {{.bytes = speaker().token("a"), .tokens = 1}};
  reply.whole = false;
  // The server closes the connection, or resets it if it holds unread data.
  EXPECT_THAT(errors(measured(reply)),
              Each(testing::AnyOf(testing::HasSubstr("closed"), testing::HasSubstr("reset"))));
}

TEST_P(EveryProtocol, AnAnswerWithoutTokensIsAFailure) {
  EXPECT_THAT(errors(measured(stream({}))), Each("the answer ended without a single token"));
}

TEST_P(EveryProtocol, AnEventOfAnotherProtocolIsAFailure) {
  Reply reply = stream({"a"});
  reply.events.push_back({.bytes = R"({"something":"else"})"});
  EXPECT_THAT(errors(measured(reply)),
              Each(testing::AnyOf(
                  R"(the server sent an event that is not of this protocol: {"something":"else"})",
                  "the server sent an event that is not of this protocol: it is not a valid "
                  "ModelStreamInferResponse")));
}

TEST_P(EveryProtocol, AnswersOfABatchAreSeparatedAndCountedTogether) {
  load::BenchOptions with = options();
  with.batch = 2;
  if (!speaker().takes_batches()) {
    EXPECT_THROW(measured({}, with), std::runtime_error) << "refused before anything is sent";
    return;
  }
  Reply reply;
  for (const char* text : {" a", " b", " c", " d"})
    for (const int sequence : {1, 0})
      reply.events.push_back(
          {.bytes = speaker().token(fmt::format("{}{}", text, sequence), sequence), .tokens = 1});
  for (const std::string& event : speaker().closing(8)) reply.events.push_back({.bytes = event});
  for (const RequestRecord& record : measured(reply, with).records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.sequences, 2);
    EXPECT_EQ(record.isl, 6);
    EXPECT_EQ(record.osl_requested, 8);
    EXPECT_EQ(record.osl_counted, 8);
    EXPECT_EQ(record.answer, " a0 b0 c0 d0\n a1 b1 c1 d1");
  }
}

TEST_P(InOnePiece, AnswersOfABatchAreSeparated) {
  if (!speaker().takes_batches()) return;
  load::BenchOptions with = options();
  with.batch = 2;
  with.stream = false;
  Reply reply;
  reply.events = {{.bytes = speaker().bodies("one", "two", 8), .tokens = 1}};
  for (const RequestRecord& record : measured(reply, with).records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.sequences, 2);
    EXPECT_EQ(record.osl_counted, 8);
    EXPECT_EQ(record.answer, "one\ntwo");
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, EveryProtocol, testing::ValuesIn(all_speakers()),
                         [](const auto& each) { return each.param->name(); });

INSTANTIATE_TEST_SUITE_P(Protocols, InOnePiece, testing::ValuesIn(whole_speakers()),
                         [](const auto& each) { return each.param->name(); });

// --- hostile events in JSON, without a connection ---

class EveryReader : public testing::TestWithParam<std::shared_ptr<const Speaker>> {
 protected:
  std::unique_ptr<Protocol> protocol(bool stream) const {
    return std::move(*make_protocol(GetParam()->protocol(), {.url = *wire::parse_url("http://a:1"),
                                                             .model = "m",
                                                             .stream = stream,
                                                             .osl = 4,
                                                             .inputs = {}}));
  }
};

TEST_P(EveryReader, RejectsEveryTruncatedEvent) {
  const std::string event = GetParam()->token(R"(a\u00e9\"b)");
  for (std::size_t length = 1; length < event.size(); ++length) {
    AnswerState state;
    EXPECT_EQ(protocol(true)->read_event(std::string_view(event).substr(0, length), state),
              EventKind::malformed)
        << length;
    EXPECT_FALSE(state.started);
    EXPECT_EQ(state.id_count, 0);
  }
}

TEST_P(EveryReader, RejectsBytesAfterAnEvent) {
  AnswerState state;
  EXPECT_EQ(protocol(true)->read_event(GetParam()->token("a") + "}", state), EventKind::malformed);
  EXPECT_EQ(protocol(true)->read_event(GetParam()->token("a") + GetParam()->token("a"), state),
            EventKind::malformed);
}

TEST_P(EveryReader, RejectsInvalidEscapesAndAcceptsNul) {
  for (const char* broken : {R"(\x)", R"(\u12)", R"(\u12G4)"}) {
    AnswerState state;
    EXPECT_EQ(protocol(true)->read_event(GetParam()->token(broken), state), EventKind::malformed)
        << broken;
    EXPECT_EQ(state.text, "") << broken;
  }
  AnswerState state;
  EXPECT_EQ(protocol(true)->read_event(GetParam()->token(std::string("a\0b", 3)), state),
            EventKind::token);
  EXPECT_EQ(protocol(true)->read_event(GetParam()->token(R"(\u0000)"), state), EventKind::token);
  EXPECT_EQ(state.text, std::string("a\0b\0", 4));
}

TEST_P(EveryReader, SurvivesDeepAndLongEvents) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const bool stream : {true, false}) {
    for (const std::string& event :
         {deep, "{\"choices\":" + deep + "}", "{\"text_output\":" + deep + "}",
          "{\"error\":" + deep + ",\"batch_index\":" + deep + "}",
          "{\"choices\":[{\"delta\":" + deep + "}]}", "{\"output_ids\":" + deep + "}"}) {
      AnswerState state;
      EXPECT_NE(protocol(stream)->read_event(event, state), EventKind::token);
    }
  }
  AnswerState state;
  EXPECT_EQ(protocol(true)->read_event(GetParam()->token(std::string(4'000'000, 'x')), state),
            EventKind::token);
  EXPECT_EQ(state.text.size(), 4'000'000u);
}

TEST_P(EveryReader, AnOutOfRangeSequenceAllocatesNothing) {
  for (const char* index : {"999999999999", "-1", "1e9", "99999999999999999999999", "\"x\""}) {
    AnswerState state;
    std::string event = GetParam()->token("a", 7);
    for (const char* key : {"\"batch_index\":7", "\"index\":7"})
      if (const std::size_t at = event.find(key); at != std::string::npos)
        event.replace(at + std::string_view(key).size() - 1, 1, index);
    EXPECT_EQ(protocol(true)->read_event(event, state), EventKind::token) << event;
    EXPECT_EQ(state.text, "a");
    EXPECT_TRUE(state.further_texts.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, EveryReader, testing::ValuesIn(json_speakers()),
                         [](const auto& each) { return each.param->name(); });

}  // namespace protocol_test
}  // namespace orch::protocol
