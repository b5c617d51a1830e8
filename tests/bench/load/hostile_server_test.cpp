// Servers that send endless answers, echo secrets or report impossible values: the request fails or
// the value is ignored, and the run continues.
#include "bench/load/bench_all.hpp"
#include "bench/load/response_reader.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/record/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace hostile_server_test {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_token = "s3cr3t-t0ken/of+ours==";

BenchOptions options(const truth::Server& server, std::int64_t requests) {
  return one_at_a_time(server.url(), requests);
}

record::Measurement measured(const BenchOptions& with) {
  prompt::PromptSet prompts;
  for (int i = 0; i < 10; ++i) prompts.measured.push_back({.text_input = "p", .isl = 3});
  return bench_one(with, prompts);
}

truth::Answer events(const std::vector<std::string>& data) {
  std::string bytes = std::string(truth::k_stream_head) + "\r\n";
  for (const std::string& one : data) bytes += truth::chunk("data: " + one + "\n\n");
  return {.pieces = {{.bytes = bytes + "0\r\n\r\n"}}};
}

std::vector<std::string> errors_of_openai(const std::vector<std::string>& data) {
  truth::Server server(truth::always(events(data)));
  BenchOptions with = options(server, 2);
  with.protocol = "openai-completions";
  return errors_of(measured(with));
}

constexpr const char* k_delta = R"({"choices":[{"index":0,"text":" a","finish_reason":null}]})";
constexpr const char* k_last = R"({"choices":[{"index":0,"text":" b","finish_reason":"length"}]})";

TEST(HostileServer, AnEndlessAnswerIsCutOffAndTheRunContinues) {
  truth::Answer endless{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}},
                        .after = truth::After::silent};
  const std::string piece =
      truth::chunk("data: " + truth::event_json(std::string(1 << 20, 'x')) + "\n\n");
  for (int i = 0; i < 70; ++i) endless.pieces.push_back({.bytes = piece});
  truth::Server server(truth::except(1, endless, truth::stream()));
  const record::Measurement one = measured(options(server, 4));
  EXPECT_THAT(errors_of(one),
              ElementsAre("", "the answer was cut off: it has more than 64 MiB of text", "", ""));
  EXPECT_LE(one.records[1].answer.size(), std::size_t{66} << 20);
}

TEST(HostileServer, EmptyEventsCountTowardsTheEventLimit) {
  const auto protocol =
      protocol::make_protocol("triton-http", {.url = *wire::parse_url("http://a:1"),
                                              .model = "m",
                                              .stream = true,
                                              .osl = 4,
                                              .inputs = {}});
  for (const std::int64_t osl : {4, 20'000}) {
    const RecordReader reader({.protocol = protocol->get()});
    Reading reading;
    reading.record.osl_requested = osl;
    wire::Exchange exchange;
    exchange.status = 200;
    const std::string data = R"({"text_output":""})";
    const std::int64_t limit = std::max<std::int64_t>(1'000'000, 64 * osl);
    const auto add_events = [&](std::int64_t count) {
      exchange.begin_read(1);
      for (; count > 0; --count) exchange.on_data(data), exchange.on_event();
      reader.take(exchange, reading);
    };
    add_events(limit);
    EXPECT_EQ(reading.too_long, "");
    add_events(2);
    EXPECT_EQ(
        reading.too_long,
        fmt::format("the answer was cut off: it has more than {} events for {} requested tokens",
                    limit, osl));
    add_events(5);
    EXPECT_EQ(std::ssize(reading.record.event_ns), limit + 2) << "later events are discarded";
  }
}

TEST(HostileServer, EventsWithoutDataAreDrainedEarlyToo) {
  wire::Exchange exchange;
  exchange.begin_read(1);
  for (int i = 0; i < 1000; ++i) exchange.on_event();
  EXPECT_TRUE(exchange.has_many());
}

TEST(HostileServer, AnOpenAiStreamMustEndWithDoneOrAFinishReason) {
  EXPECT_THAT(errors_of_openai({k_delta, k_delta}),
              Each("the stream ended without [DONE] and without a finish_reason"));
  EXPECT_THAT(errors_of_openai({k_delta, k_last}), Each(""));
  EXPECT_THAT(errors_of_openai({k_delta, "[DONE]"}), Each(""));
  EXPECT_THAT(errors_of_openai({k_delta, k_last, "[DONE]"}), Each(""));
  EXPECT_THAT(errors_of_openai({k_delta, k_last, "[DONE]", k_delta}),
              Each("the server sent an event that is not of this protocol: tokens after [DONE]"));
}

TEST(HostileServer, ADeeplyNestedConfigurationOrInputIsRefused) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  truth::Server server(truth::always(truth::stream()),
                       {.config = R"({"name":"m","input":)" + deep + "}"});
  prompt::PromptSet prompts;
  prompts.measured.push_back({.text_input = "p", .isl = 3});
  const auto result = bench_all(options(server, 1), prompts);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, server.url() +
                                        "/v2/models/ensemble/config reports a model configuration "
                                        "nested deeper than 32: is this a Triton server?");
  for (const char* protocol : {"openai-chat", "openai-completions", "triton-http", "triton-grpc"}) {
    const auto made = protocol::make_protocol(protocol, {.url = *wire::parse_url("http://a:1"),
                                                         .model = "ensemble",
                                                         .stream = true,
                                                         .osl = 4,
                                                         .inputs = {{"x", deep}}});
    ASSERT_FALSE(made.ok()) << protocol;
    EXPECT_EQ(made.error().message,
              "--input x: its value is nested deeper than 64 levels; flatten it")
        << protocol;
  }
}

TEST(HostileServer, AnEchoedAuthorizationTokenIsRedactedEverywhere) {
  const std::string echo = std::string("you said Bearer ") + k_token + ", did you";
  const std::pair<truth::Answer, std::string> cases[] = {
      {events({truth::event_json(" " + echo)}), ""},
      {events({R"({"error":")" + echo + "\"}"}),
       "the server reported inside its answer: you said Bearer ***, did you"},
      {events({echo}),
       "the server sent an event that is not of this protocol: you said Bearer ***, did you"},
      {truth::body(401, R"({"error":")" + echo + "\"}"), "HTTP 401: you said Bearer ***, did you"},
      {truth::body(200, echo),
       "the server answered without a stream: you said Bearer ***, did you"},
      {{.pieces = {{.bytes = echo + "\r\n\r\n"}}},
       "this is not an HTTP/1.1 answer: you said Bearer ***, did you"},
      {{.pieces = {{.bytes = std::string(60, ' ') + k_token + "\r\n\r\n"}}},
       "this is not an HTTP/1.1 answer: " + std::string(60, ' ') + "***"}};
  for (const auto& [answer, error] : cases) {
    truth::Server server(truth::always(answer));
    BenchOptions with = options(server, 10);
    with.authorization = std::string("Bearer ") + k_token;
    const record::Measurement one = measured(with);
    EXPECT_THAT(errors_of(one), Each(error));
    for (const auto& record : one.records) EXPECT_THAT(record.answer, Not(HasSubstr("s3cr3t")));
    EXPECT_THAT(record::measurement_json(with, {&one, 1}), Not(HasSubstr("s3cr3t")));
    EXPECT_EQ(one.records[0].answer, error.empty() ? " you said Bearer ***, did you" : "");
  }
}

TEST(HostileServer, AnAuthorizationTokenInARefusedModelQueryIsRedacted) {
  truth::Server server(truth::always(truth::stream()),
                       {.config_status = 400,
                        .config = std::string(R"({"error":"no model for )") + k_token + "\"}"});
  BenchOptions with = options(server, 1);
  with.authorization = std::string("Bearer ") + k_token;
  prompt::PromptSet prompts;
  prompts.measured.push_back({.text_input = "p", .isl = 3});
  const auto result = bench_all(with, prompts);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "the server has no model 'ensemble' ready: no model for ***");
}

TEST(HostileServer, ServerTimesLongerThanTheAnswerAreIgnored) {
  const std::string event =
      R"({"text_output":" a","arrival_time_ns":1,"first_scheduled_time_ns":2,"first_token_time_ns":3,"last_token_time_ns":)";
  truth::Server server(truth::always(events({event + "9223372036854775807}"})));
  const record::Measurement one = measured(options(server, 3));
  for (const auto& record : one.records) EXPECT_FALSE(record.server_times.has_value());
  EXPECT_THAT(one.verdict.warnings, Contains("3 of 3 answers report server times that are longer "
                                             "than the answer took; these times are ignored"));
  truth::Server sound(truth::always(events({event + "4}"})));
  EXPECT_TRUE(measured(options(sound, 1)).records.front().server_times.has_value());
}

TEST(HostileServer, CountersThatWereResetAreLeftOut) {
  std::atomic<int> streams = 0;
  truth::Server server([&streams](const truth::Request& request) {
    if (request.method == "POST")
      return ++streams, std::make_shared<const truth::Answer>(truth::stream());
    const int count = streams == 0 ? 1000 : streams.load();
    return std::make_shared<const truth::Answer>(
        truth::body(200,
                    fmt::format("nv_llm_output_token_len_sum{{m=\"a\"}} "
                                "{}\nnv_llm_output_token_len_count{{m=\"a\"}} {}\n",
                                4 * count, count),
                    truth::After::close));
  });
  BenchOptions with = options(server, 3);
  with.metrics_urls = {server.url() + "/metrics"};
  const record::Measurement one = measured(with);
  EXPECT_THAT(
      one.verdict.warnings,
      ElementsAre(
          "the counters of " + server.url() +
          "/metrics were reset during the window; their values for the window are left out"));
  for (const measure::Metric& metric : one.metrics) EXPECT_NE(metric.row->name, "osl_reported");
  EXPECT_THAT(record::measurement_json(with, {&one, 1}),
              Not(HasSubstr("nv_llm_output_token_len_sum{")))
      << "a reader of the record must not subtract them";
}

}  // namespace hostile_server_test
}  // namespace orch::load
