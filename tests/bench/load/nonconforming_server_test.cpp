// Measurements of servers that close connections early or answer in an unexpected form.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/record/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace nonconforming_server_test {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

struct Outcome {
  record::Measurement measurement;
  nlohmann::json record;
};

Outcome outcome_of(truth::Script script, std::int64_t requests) {
  truth::Server server(std::move(script));
  const BenchOptions with = one_at_a_time(server.url(), requests);
  prompt::PromptSet prompts;
  for (int i = 0; i < 40; ++i)
    prompts.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  auto result = bench_all(with, prompts);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  nlohmann::json record =
      nlohmann::json::parse(record::measurement_json(with, *result))["measurements"][0];
  return {.measurement = std::move(result->front()), .record = std::move(record)};
}

TEST(OddServer, RequestsSentTwiceAreCountedAndReported) {
  const Outcome one = outcome_of(
      truth::except(3, {.pieces = {}, .after = truth::After::close}, truth::stream()), 8);
  EXPECT_THAT(errors_of(one.measurement), Each(""));
  EXPECT_TRUE(one.measurement.verdict.valid) << one.measurement.verdict.reasons.front();
  EXPECT_EQ(one.record["client"].value("resent", -1), 1);
  EXPECT_THAT(
      one.record["warnings"].get<std::vector<std::string>>(),
      ElementsAre(
          "1 request was sent a second time: the server had closed its connection, or refused it "
          "unread, before the first byte of an answer; its times count from the first send"));
  EXPECT_EQ(outcome_of(truth::always(truth::stream()), 8).record["client"].value("resent", -1), 0);
}

TEST(OddServer, AnErrorReportedBeforeACloseIsTheReasonAndTheServerIsNotLost) {
  const auto cut_after = [](std::string data) {
    return truth::Answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"},
                                    {.bytes = truth::chunk("data: " + data + "\n\n")}},
                         .after = truth::After::close};
  };
  const Outcome failed =
      outcome_of(truth::except(2, cut_after(R"({"error":"out of memory"})"), truth::stream()), 8);
  EXPECT_THAT(failed.measurement.records[2].error,
              testing::StartsWith("the server reported inside its answer: out of memory; then the "
                                  "answer's body was cut short"));
  EXPECT_FALSE(failed.measurement.records[2].lost_server);
  EXPECT_TRUE(failed.measurement.verdict.valid) << failed.measurement.verdict.reasons.front();
  const Outcome silent =
      outcome_of(truth::except(2, cut_after(R"({"text_output":"a"})"), truth::stream()), 8);
  EXPECT_TRUE(silent.measurement.records[2].lost_server);
  EXPECT_FALSE(silent.measurement.verdict.valid);
}

TEST(OddServer, AnAnswerWithoutAStreamFailsWithTheServersMessage) {
  const Outcome refused =
      outcome_of(truth::always(truth::body(200, R"({"error": "streams are off"})")), 8);
  EXPECT_THAT(errors_of(refused.measurement),
              Each("the server answered without a stream: streams are off"));
  EXPECT_EQ(errors_of(refused.measurement).size(), 8u)
      << "no connection broke, so the run continues";
  const Outcome whole =
      outcome_of(truth::always(truth::body(200, R"({"text_output": "all of it"})")), 2);
  EXPECT_THAT(errors_of(whole.measurement),
              Each(R"(the server answered without a stream: {"text_output": "all of it"})"));
  const Outcome empty = outcome_of(truth::always(truth::body(200, "")), 2);
  EXPECT_THAT(errors_of(empty.measurement), Each("the server answered without a stream"));
}

TEST(OddServer, ARedirectFailsWithItsTarget) {
  const auto moved = [](std::string status, std::string fields) {
    return truth::Answer{.pieces = {{.bytes = "HTTP/1.1 " + status + " X\r\n" + fields +
                                              "Content-Length: 2\r\n\r\nno"}}};
  };
  const Outcome redirected = outcome_of(
      truth::except(2, moved("307", "location: https://other:8443/v1\r\n"), truth::stream()), 8);
  EXPECT_EQ(redirected.measurement.records[2].error,
            "HTTP 307: it redirects to https://other:8443/v1");
  EXPECT_EQ(redirected.measurement.records[2].status, 307);
  EXPECT_EQ(redirected.measurement.records[3].error, "")
      << "the redirect does not affect the next answer on its connection";
  EXPECT_EQ(outcome_of(truth::except(2, moved("307", ""), truth::stream()), 8)
                .measurement.records[2]
                .error,
            "HTTP 307: no");
  EXPECT_EQ(outcome_of(truth::except(2, moved("503", "Location: /v1\r\n"), truth::stream()), 8)
                .measurement.records[2]
                .error,
            "HTTP 503: no");
}

}  // namespace nonconforming_server_test
}  // namespace orch::load
