// Token counts of answers and their sources. The tokens that the server generated count, not the
// number that was requested.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"
#include "bench/protocol/triton_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace token_counting_test {

using measure::RequestRecord;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

BenchOptions options(std::string protocol, bool stream) {
  BenchOptions with;
  with.protocol = std::move(protocol);
  with.model = "m";
  with.stream = stream;
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1}};
  with.requests = 4;
  with.osl = 4;
  with.limits = k_any_machine;
  return with;
}

record::Measurement measured(const truth::Server& server, BenchOptions with,
                             const std::vector<std::int64_t>& lengths = {}) {
  with.urls = {server.url()};
  prompt::PromptSet prompts;
  for (std::size_t i = 0; i < 16; ++i) {
    prompts.measured.push_back({.text_input = "p", .isl = 3});
    if (!lengths.empty()) prompts.measured.back().osl = lengths[i % lengths.size()];
  }
  auto result = bench_all(with, prompts);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result->front());
}

// A completion whose usage reports COUNT, which is JSON.
truth::Answer completion(std::string_view count) {
  return truth::body(
      200,
      fmt::format(
          R"({{"choices":[{{"index":0,"text":"abc"}}],"usage":{{"prompt_tokens":12,"completion_tokens":{}}}}})",
          count));
}

truth::Answer streamed_completion(int events, std::string_view last) {
  truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  for (int i = 0; i < events; ++i)
    answer.pieces.push_back(
        {.bytes = truth::chunk("data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\n"),
         .wait_ns = 0,
         .tokens = 1});
  if (!last.empty())
    answer.pieces.push_back({.bytes = truth::chunk(fmt::format("data: {}\n\n", last))});
  answer.pieces.push_back({.bytes = truth::chunk("data: [DONE]\n\n") + "0\r\n\r\n"});
  return answer;
}

std::vector<std::optional<std::int64_t>> counts(const record::Measurement& measurement) {
  std::vector<std::optional<std::int64_t>> out;
  for (const RequestRecord& record : measurement.records) out.push_back(record.osl_counted);
  return out;
}

double output_tps(const record::Measurement& measurement) {
  for (const measure::Metric& metric : measurement.metrics)
    if (metric.row->name == "output_tps") return std::get<double>(metric.value);
  return -1;
}

TEST(Counting, TokensBeyondTheRequestedLengthCountAndAreAWarning) {
  truth::Server server(truth::except(1, completion("4"), completion("16")));
  const record::Measurement measurement = measured(server, options("openai-completions", false));
  EXPECT_THAT(counts(measurement), ElementsAre(16, 4, 16, 16));
  EXPECT_DOUBLE_EQ(output_tps(measurement), 52 / measurement.duration_s);
  EXPECT_EQ(measurement.counting_osl, "usage");
  EXPECT_TRUE(measurement.verdict.valid);
  EXPECT_THAT(
      measurement.verdict.warnings,
      ElementsAre("3 of 4 answers differ from the requested length: 16 instead of 4 tokens"));
}

TEST(Counting, WithEosOnlyLongerAnswersAreAWarning) {
  truth::Server server(truth::except(1, completion("5"), completion("3")));
  BenchOptions with = options("openai-completions", false);
  with.eos = true;
  EXPECT_THAT(measured(server, with).verdict.warnings,
              ElementsAre("1 of 4 answers are longer than requested: 5 instead of 4 tokens"));
}

TEST(Counting, ABatchWithASingleLimitRequestsItsLongestLength) {
  truth::Server server(truth::always(completion("32")));
  BenchOptions with = options("openai-completions", false);
  with.batch = 4;
  const record::Measurement measurement = measured(server, with, {2, 8, 5, 3});
  EXPECT_EQ(nlohmann::json::parse(server.log().front().request.body)["max_tokens"], 8);
  for (const RequestRecord& record : measurement.records) EXPECT_EQ(record.osl_requested, 32);
  EXPECT_THAT(counts(measurement), Each(32));
  EXPECT_THAT(measurement.verdict.warnings, ElementsAre());
}

TEST(Counting, ALengthGivenAsAnInputIsTheRequestedLength) {
  truth::Server server(truth::always(completion("100")));
  BenchOptions with = options("openai-completions", false);
  with.inputs = {{"max_tokens", "100"}};
  const record::Measurement measurement = measured(server, with);
  for (const RequestRecord& record : measurement.records) EXPECT_EQ(record.osl_requested, 100);
  EXPECT_THAT(counts(measurement), Each(100));
  EXPECT_DOUBLE_EQ(output_tps(measurement), 400 / measurement.duration_s);
  EXPECT_EQ(measurement.counting_osl, "usage");
  EXPECT_THAT(measurement.verdict.warnings, ElementsAre());

  protocol::RequestShape shape{.url = *wire::parse_url("http://a:1"),
                               .model = "m",
                               .stream = true,
                               .osl = 16,
                               .batch = 2,
                               .inputs = {{"max_tokens", "100"}}};
  shape.facts = protocol::ensemble_0_14();
  const std::vector<prompt::Prompt> two(2, {.text_input = "x", .isl = {}});
  EXPECT_EQ((*protocol::make_protocol("triton-http", shape))->osl(two), 200);
  shape.inputs.clear();
  EXPECT_EQ((*protocol::make_protocol("triton-http", shape))->osl(two), 32);
}

TEST(Counting, InvalidTokenCountsAreIgnored) {
  for (const char* count :
       {"-1", "1e308", "9007199254740993", "1000000001", "3.5", "\"16\"", "[4]", "true"}) {
    truth::Server server(truth::except(2, completion(count), completion("4.0")));
    const record::Measurement measurement = measured(server, options("openai-completions", false));
    EXPECT_THAT(counts(measurement), Each(4)) << count;
    EXPECT_EQ(measurement.records[2].osl_reported, std::nullopt);
    EXPECT_EQ(measurement.counting_osl, "usage where the server gave it, else forced length");
    EXPECT_THAT(measurement.verdict.warnings,
                ElementsAre(fmt::format(
                    "1 of 4 answers report an invalid token count, the first: '{}'; their counts "
                    "are ignored (a count is a whole number from 0 to 1000000000)",
                    count)));
  }
  truth::Server server(truth::always(completion("null")));
  EXPECT_THAT(measured(server, options("openai-completions", false)).verdict.warnings,
              ElementsAre())
      << "null reports no count";
}

TEST(Counting, UncountedAnswersAreRetokenisedAndReportedAsInexact) {
  truth::Server server(truth::except(1, completion("4"), completion("null")));
  BenchOptions with = options("openai-completions", false);
  with.eos = true;
  EXPECT_THAT(counts(measured(server, with)),
              ElementsAre(std::nullopt, 4, std::nullopt, std::nullopt));
  std::vector<std::string> retokenised;
  with.count_texts =
      [&](std::span<const std::string_view> texts) -> Result<std::vector<std::int64_t>> {
    retokenised.assign(texts.begin(), texts.end());
    return std::vector<std::int64_t>{2, 3, 2};
  };
  truth::Server fresh_server(truth::except(1, completion("4"), completion("null")));
  const record::Measurement measurement = measured(fresh_server, with);
  EXPECT_THAT(retokenised, ElementsAre("abc", "abc", "abc"));
  EXPECT_THAT(counts(measurement), ElementsAre(2, 4, 3, 2));
  EXPECT_EQ(measurement.counting_osl,
            "usage where the server gave it, else retokenised text (inexact)");
  EXPECT_DOUBLE_EQ(output_tps(measurement), 11 / measurement.duration_s);
  with.keep_answers = false;
  EXPECT_EQ(measured(fresh_server, with).counting_osl, "not counted")
      << "without kept answers there is no text to retokenise";
}

TEST(Counting, AFailedTokeniserIsOnlyAWarning) {
  truth::Server server(truth::always(completion("null")));
  BenchOptions with = options("openai-completions", false);
  with.eos = true;
  with.count_texts = [](std::span<const std::string_view>) -> Result<std::vector<std::int64_t>> {
    return Error{ErrorKind::invalid, "no such tokenizer", {}};
  };
  const record::Measurement measurement = measured(server, with);
  EXPECT_THAT(counts(measurement), Each(std::nullopt));
  EXPECT_THAT(measurement.verdict.warnings,
              ElementsAre("the tokens of 4 answers are not counted: no such tokenizer"));
}

TEST(Counting, MoreRetokenisedTokensThanEventsAreAWarning) {
  truth::Server server(truth::always(streamed_completion(4, "")));
  BenchOptions with = options("openai-completions", true);
  const auto warnings = [&](std::int64_t tokens, bool eos) {
    with.eos = eos;
    with.osl = 4;
    with.count_texts =
        [tokens](std::span<const std::string_view> texts) -> Result<std::vector<std::int64_t>> {
      return std::vector<std::int64_t>(texts.size(), tokens);
    };
    return measured(server, with).verdict.warnings;
  };
  EXPECT_THAT(
      warnings(8, true),
      ElementsAre("4 answers contain 16 tokens by event count, 32 after retokenisation: an event "
                  "may carry several tokens; give their number with --tokens-per-event N, "
                  "or 0 to count the texts"));
  EXPECT_THAT(warnings(4, true), ElementsAre());
  EXPECT_THAT(warnings(3, true), ElementsAre()) << "other tokens may have the same text";
  EXPECT_THAT(warnings(8, false), ElementsAre()) << "a forced length has a warning of its own";
}

TEST(Counting, TextsTellWhetherAnAnswerReachedItsLengthInFewerEvents) {
  truth::Server server(truth::always(
      streamed_completion(4, R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})")));
  BenchOptions with = options("openai-completions", true);
  with.osl = 8;
  with.eos = false;
  const auto told = measured(server, with);
  EXPECT_THAT(counts(told), Each(8)) << "nothing says otherwise";
  EXPECT_THAT(told.verdict.warnings, ElementsAre(HasSubstr("--tokens-per-event N")));
  const auto with_texts = [&](std::int64_t tokens) {
    with.count_texts =
        [tokens](std::span<const std::string_view> texts) -> Result<std::vector<std::int64_t>> {
      return std::vector<std::int64_t>(texts.size(), tokens);
    };
    return measured(server, with);
  };
  EXPECT_THAT(counts(with_texts(8)), Each(8));
  EXPECT_THAT(counts(with_texts(7)), Each(8)) << "other tokens may have the same text";
  const auto limited = with_texts(4);
  EXPECT_THAT(counts(limited), Each(4));
  EXPECT_THAT(limited.verdict.warnings,
              testing::Contains(HasSubstr("the server has a limit of its own")));
}

TEST(Counting, TheMeasurementNamesTheSourceOfItsCounts) {
  const std::string usage = R"({"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":6}})";
  const auto counting = [](truth::Answer first, truth::Answer others,
                           std::int64_t tokens_per_event) {
    truth::Server server(truth::except(0, std::move(first), std::move(others)));
    BenchOptions with = options("openai-completions", true);
    with.tokens_per_event = tokens_per_event;
    return measured(server, with).counting_osl;
  };
  const truth::Answer with_usage_event = streamed_completion(4, usage),
                      without_usage = streamed_completion(4, "");
  EXPECT_EQ(counting(with_usage_event, with_usage_event, 1), "usage");
  EXPECT_EQ(counting(without_usage, with_usage_event, 1),
            "usage where the server gave it, else events (one token each)");
  EXPECT_EQ(counting(without_usage, without_usage, 2), "events (2 tokens each)");
  EXPECT_EQ(counting(with_usage_event, without_usage, 0),
            "usage where the server gave it, else forced length");
  EXPECT_EQ(counting(without_usage, without_usage, 0), "forced length");
}

std::vector<std::int64_t> first_event_tokens(const record::Measurement& measurement) {
  std::vector<std::int64_t> out;
  for (const RequestRecord& record : measurement.records) out.push_back(record.first_event_tokens);
  return out;
}

TEST(Counting, TokensOfTheFirstEventComeFromItsUsageOrTheCommonEventSize) {
  const auto with_usage = [](int tokens) {
    return fmt::format(R"({{"choices":[],"usage":{{"prompt_tokens":12,"completion_tokens":{}}}}})",
                       tokens);
  };
  BenchOptions with = options("openai-completions", true);
  with.osl = 8;
  truth::Server pairs(truth::except(0, streamed_completion(3, with_usage(6)),
                                    streamed_completion(4, with_usage(8))));
  const record::Measurement even = measured(pairs, with);
  EXPECT_THAT(first_event_tokens(even), Each(2));
  EXPECT_THAT(even.verdict.warnings,
              ElementsAre(HasSubstr("1 of 4 answers differ from the requested length"),
                          "all answers have 2 tokens per event: the same number is assumed for "
                          "their first events"));
  double sum_ms = 0;
  for (const RequestRecord& record : even.records)
    sum_ms += static_cast<double>(record.last_ns() - record.first_ns()) /
              static_cast<double>(*record.osl_counted - 2) / 1e6;
  for (const measure::Metric& metric : even.metrics)
    if (metric.row->name == "tpot_ms") {
      EXPECT_NEAR(metric.mean(), sum_ms / 4, 1e-9);
    }
  truth::Server drafts(truth::except(0, streamed_completion(5, with_usage(8)),
                                     streamed_completion(4, with_usage(8))));
  const record::Measurement uneven = measured(drafts, with);
  EXPECT_THAT(first_event_tokens(uneven), Each(1));
  EXPECT_THAT(uneven.verdict.warnings,
              ElementsAre(HasSubstr("4 of 4 streamed answers have more tokens than events: itl_ms "
                                    "and tpot_ms assume one token")));
  // Each event reports the usage so far.
  truth::Answer cumulative{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  for (const int so_far : {3, 6, 8})
    cumulative.pieces.push_back({.bytes = truth::chunk(fmt::format(
                                     "data: "
                                     "{{\"choices\":[{{\"index\":0,\"text\":\"a\"}}],\"usage\":{{"
                                     "\"prompt_tokens\":9,\"completion_tokens\":{}}}}}\n\n",
                                     so_far)),
                                 .wait_ns = 0,
                                 .tokens = 1});
  cumulative.pieces.push_back({.bytes = truth::chunk("data: [DONE]\n\n") + "0\r\n\r\n"});
  truth::Server cumulative_server(truth::always(cumulative));
  const record::Measurement state = measured(cumulative_server, with);
  EXPECT_THAT(first_event_tokens(state), Each(3));
  EXPECT_THAT(state.verdict.warnings, ElementsAre());
}

// --- several sequences in one answer ---

std::unique_ptr<protocol::Protocol> protocol(
    std::string_view name, protocol::ModelFacts facts, protocol::Sampling sampling,
    std::int64_t batch = 1, std::vector<std::pair<std::string, std::string>> inputs = {}) {
  protocol::RequestShape shape{
      .url = *wire::parse_url(name == "triton-grpc" ? "grpc://a:1" : "http://a:1"),
      .model = facts.name,
      .stream = false,
      .osl = 16,
      .batch = batch,
      .sampling = std::move(sampling),
      .inputs = std::move(inputs)};
  shape.facts = std::move(facts);
  auto made = protocol::make_protocol(name, std::move(shape));
  if (!made.ok()) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

// The state after one answer with IDS and LENGTHS, over gRPC or HTTP.
protocol::AnswerState read_ids(bool grpc, const std::vector<std::int32_t>& ids,
                               const std::vector<std::int32_t>& lengths,
                               std::vector<std::pair<std::string, std::string>> inputs = {}) {
  protocol::ModelFacts facts = protocol::tensorrt_llm_0_14();
  add(facts.inputs, "INT32", {1}, {"num_return_sequences"});
  const auto made = protocol(grpc ? "triton-grpc" : "triton-http", facts, {.beam_width = 3}, 1,
                             std::move(inputs));
  protocol::AnswerState state;
  if (grpc) {
    inference::ModelInferResponse response = truth::infer_response();
    truth::add_output(response, "output_ids", "INT32", truth::raw_numbers(ids));
    truth::add_output(response, "sequence_length", "INT32", truth::raw_numbers(lengths));
    EXPECT_EQ(made->read_event(truth::streamed(response), state), protocol::EventKind::token);
  } else {
    EXPECT_EQ(made->read_event(fmt::format(R"({{"output_ids":[{}],"sequence_length":[{}]}})",
                                           fmt::join(ids, ","), fmt::join(lengths, ",")),
                               state),
              protocol::EventKind::token);
  }
  return state;
}

TEST(Counting, TokensOfAllRequestedBeamsAreSummedOverEitherWire) {
  for (const bool grpc : {false, true}) {
    const std::vector<std::int32_t> ids = {5, 6, 0, 7, 8, 9, 4, 0, 0};
    EXPECT_EQ(read_ids(grpc, ids, {2, 3, 1}).id_count, 6) << grpc;
    EXPECT_EQ(read_ids(grpc, ids, {2, 3, 1}, {{"num_return_sequences", "2"}}).id_count, 5)
        << grpc << ": the third beam was not requested";
    const protocol::AnswerState odd = read_ids(grpc, ids, {2, -1, 1});
    EXPECT_EQ(odd.id_count, 9) << grpc << ": all ids count if a length is invalid";
    EXPECT_EQ(odd.invalid_count, "-1");
  }
  const auto made = protocol("triton-http", protocol::tensorrt_llm_0_14(), {.beam_width = 3});
  EXPECT_EQ(made->traits().sequences, 3);
  EXPECT_EQ(made->osl(std::vector<prompt::Prompt>{{.text_input = "", .ids = {1}, .isl = {}}}), 48);
}

TEST(Counting, TextsOfABatchAreSeparatedOverEitherWire) {
  for (const bool grpc : {false, true}) {
    protocol::ModelFacts facts = protocol::ensemble_0_14();
    facts.decoupled = false;
    const auto made = protocol(grpc ? "triton-grpc" : "triton-http", facts, {}, 2);
    inference::ModelInferResponse response = truth::infer_response();
    truth::add_output(response, "text_output", "BYTES",
                      truth::raw_text(" a\"\n") + truth::raw_text(" b"));
    protocol::AnswerState state;
    EXPECT_EQ(
        made->read_event(
            grpc ? response.SerializeAsString() : R"({"text_output":[" a\"\n" ," b"]})", state),
        protocol::EventKind::token);
    EXPECT_EQ(state.answer(), " a\"\n\n b") << grpc;
    protocol::AnswerState third;
    truth::add_output(response, "batch_index", "INT32",
                      truth::raw_numbers(std::vector<std::int32_t>{1}));
    made->read_event(
        grpc ? response.SerializeAsString() : R"({"text_output":["x","y"],"batch_index":1})",
        third);
    EXPECT_EQ(third.further_texts.size(), 1u) << "a surplus text is not kept as a further one";
  }
}

TEST(Counting, AnInvalidListOfTextsIsMalformed) {
  const auto made = protocol("triton-http", protocol::ensemble_0_14(), {}, 2);
  for (const char* event :
       {R"({"text_output":["a",1]})", R"({"text_output":["a"})", R"({"text_output":1})",
        R"({"text_output":null})", R"({"text_output":["\x"]})", R"({"text_output":{"a":"b"}})"}) {
    protocol::AnswerState state;
    EXPECT_EQ(made->read_event(event, state), protocol::EventKind::malformed) << event;
  }
  protocol::AnswerState state;
  EXPECT_EQ(made->read_event(R"({"text_output":[]})", state), protocol::EventKind::token);
}

TEST(Counting, AnEventWithOneTextPerBeamHasOneTokenPerBeam) {
  truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  for (int i = 0; i < 4; ++i)
    answer.pieces.push_back({.bytes = truth::chunk("data: {\"text_output\":[\"a\",\"b\"]}\n\n"),
                             .wait_ns = 0,
                             .tokens = 2});
  answer.pieces.push_back({.bytes = "0\r\n\r\n"});
  truth::Server server(truth::always(answer));
  BenchOptions with = options("triton-http", true);
  with.model = "ensemble";
  with.sampling.beam_width = 2;
  const record::Measurement measurement = measured(server, with);
  for (const RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.event_ns.size(), 4u);
    EXPECT_EQ(record.sequences, 2);
    EXPECT_EQ(record.osl_counted, 8);
    EXPECT_EQ(record.answer, "aaaa\nbbbb");
  }
  EXPECT_THAT(measurement.verdict.warnings, ElementsAre());
}

}  // namespace token_counting_test
}  // namespace orch::load
