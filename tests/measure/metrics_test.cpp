// The metric table on records small enough to compute by hand.
#include "measure/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::measure {
namespace {

constexpr std::int64_t k_ms = 1'000'000;

// A streamed request that was sent at SENT and whose tokens came one by one; all in milliseconds.
RequestRecord request(std::int64_t sent_ms, std::vector<std::int64_t> event_ms) {
  RequestRecord record;
  record.sent_ns = sent_ms * k_ms;
  for (const std::int64_t ms : event_ms) record.event_ns.push_back(ms * k_ms);
  record.end_ns = record.event_ns.empty() ? record.sent_ns : record.event_ns.back();
  record.isl = 10;
  record.osl_requested = static_cast<std::int64_t>(event_ms.size());
  record.osl_counted = record.osl_requested;
  record.status = 200;
  return record;
}

RequestRecord failed(std::int64_t sent_ms, std::vector<std::int64_t> event_ms = {}) {
  RequestRecord record = request(sent_ms, std::move(event_ms));
  record.error = "broken";
  return record;
}

MetricValue value_of(const Window& window, std::string_view name) {
  for (const MetricRow& row : metric_table())
    if (row.name == name) return row.compute(window);
  throw std::runtime_error("no metric " + std::string(name));
}

bool undefined(const Window& window, std::string_view name) { return std::holds_alternative<std::monostate>(value_of(window, name)); }
double mean(const Window& window, std::string_view name) { return std::get<Statistics>(value_of(window, name)).mean; }
double single(const Window& window, std::string_view name) { return std::get<double>(value_of(window, name)); }

Window over(const std::vector<RequestRecord>& records) { return {.records = records, .server = {}, .client = {}}; }

TEST(Metrics, LatenciesOfOneStreamedRequest) {
  const std::vector<RequestRecord> records = {request(100, {150, 170, 200})};
  const Window window = over(records);
  EXPECT_DOUBLE_EQ(mean(window, "ttft_ms"), 50);
  EXPECT_DOUBLE_EQ(mean(window, "ttst_ms"), 20);
  EXPECT_DOUBLE_EQ(mean(window, "itl_ms"), 25);
  EXPECT_DOUBLE_EQ(mean(window, "tpot_ms"), 25);
  EXPECT_DOUBLE_EQ(mean(window, "request_latency_ms"), 100);
  EXPECT_DOUBLE_EQ(mean(window, "output_tps_per_user"), 40);
  const auto gaps = std::get<Statistics>(value_of(window, "event_gap_ms"));
  EXPECT_EQ(gaps.n, 2);
  EXPECT_DOUBLE_EQ(gaps.min, 20);
  EXPECT_DOUBLE_EQ(gaps.max, 30);
}

TEST(Metrics, OfTheServersSideAreThereWhereTheyWereSeen) {
  const std::vector<RequestRecord> records = {request(100, {150, 170, 200}), request(100, {150, 170})};
  Window window = over(records);
  for (const char* name : {"server_cpu_share", "server_memory_gib_peak", "gpu_memory_gib_peak", "power_w", "energy_j_per_token"}) EXPECT_TRUE(undefined(window, name)) << name;
  window.side = {.cpu_share = 3.5, .memory_gib_peak = 12, .gpu_memory_gib_peak = 70, .power_w = 600, .energy_j = 15};
  EXPECT_EQ(single(window, "server_cpu_share"), 3.5);
  EXPECT_EQ(single(window, "server_memory_gib_peak"), 12);
  EXPECT_EQ(single(window, "gpu_memory_gib_peak"), 70);
  EXPECT_EQ(single(window, "power_w"), 600);
  EXPECT_EQ(single(window, "energy_j_per_token"), 3) << "over five tokens";
}

TEST(Metrics, ThroughputsAreOverFirstSendToLastResponseOfWhatWasAnswered) {
  const std::vector<RequestRecord> records = {request(100, {200, 300}), request(50, {400, 550}), failed(0, {900})};
  const Window window = over(records);
  EXPECT_DOUBLE_EQ(duration_s(records), 0.5);
  EXPECT_DOUBLE_EQ(single(window, "output_tps"), 8);
  EXPECT_DOUBLE_EQ(single(window, "input_tps"), 40);
  EXPECT_DOUBLE_EQ(single(window, "requests_per_s"), 4);
  EXPECT_DOUBLE_EQ(single(window, "error_rate"), 1.0 / 3);
}

TEST(Metrics, InterTokenLatencyIsRoundedToWholeNanosecondsHalvesToEven) {
  RequestRecord record = request(0, {0, 0, 0});
  record.event_ns = {0, 1, 5};  // 2.5 -> 2
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "itl_ms"), 2e-6);
  record.event_ns = {0, 1, 7};  // 3.5 -> 4
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "itl_ms"), 4e-6);
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "tpot_ms"), 3.5e-6) << "tpot is not rounded";
}

TEST(Metrics, TokensOfTheFirstEventDoNotFlatterTheTimePerOutputToken) {
  RequestRecord record = request(0, {100, 140});
  record.osl_counted = 4;
  record.first_event_tokens = 2;
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "tpot_ms"), 20);
  EXPECT_NEAR(mean(over(std::vector{record}), "itl_ms"), 40.0 / 3, 1e-6) << "genai-perf divides by osl - 1";
}

TEST(Metrics, AnAnswerOfOneTokenHasNoTimeBetweenTokens) {
  const std::vector<RequestRecord> records = {request(0, {100})};
  for (const char* name : {"ttst_ms", "itl_ms", "tpot_ms", "event_gap_ms", "output_tps_per_user"}) EXPECT_TRUE(undefined(over(records), name)) << name;
  EXPECT_DOUBLE_EQ(mean(over(records), "ttft_ms"), 100);
}

TEST(Metrics, SeveralTokensInOneEventHaveNoTimeBetweenThemUnlessGenaiPerfIsMatched) {
  RequestRecord record = request(0, {100});
  record.osl_counted = 4;
  const std::vector<RequestRecord> records = {record};
  Window window = over(records);
  EXPECT_TRUE(undefined(window, "itl_ms"));
  window.single_event_itl_is_zero = true;
  EXPECT_DOUBLE_EQ(mean(window, "itl_ms"), 0);
}

TEST(Metrics, AnAnswerInOneBodyHasALatencyAndNoFirstToken) {
  RequestRecord record = request(0, {100});
  record.streamed = false;
  record.osl_counted = 8;
  const std::vector<RequestRecord> records = {record};
  for (const char* name : {"ttft_ms", "ttst_ms", "itl_ms", "tpot_ms", "event_gap_ms", "output_tps_per_user"}) EXPECT_TRUE(undefined(over(records), name)) << name;
  EXPECT_DOUBLE_EQ(mean(over(records), "request_latency_ms"), 100);
  EXPECT_DOUBLE_EQ(single(over(records), "output_tps"), 80);
}

TEST(Metrics, TokensThatNobodyCountedLeaveThroughputUndefined) {
  std::vector<RequestRecord> records = {request(0, {100, 200}), request(0, {100, 200})};
  records[1].osl_counted.reset();
  records[0].isl.reset();
  EXPECT_TRUE(undefined(over(records), "output_tps"));
  EXPECT_TRUE(undefined(over(records), "input_tps"));
  EXPECT_FALSE(undefined(over(records), "requests_per_s"));
}

TEST(Metrics, FailedRequestsAreInNoLatency) {
  const std::vector<RequestRecord> records = {request(0, {10, 20}), failed(0, {500, 900})};
  EXPECT_DOUBLE_EQ(mean(over(records), "ttft_ms"), 10);
  EXPECT_DOUBLE_EQ(mean(over(records), "request_latency_ms"), 20);
  EXPECT_DOUBLE_EQ(mean(over(records), "event_gap_ms"), 10);
}

TEST(Metrics, WhenNothingSucceededOnlyTheErrorRateIsDefined) {
  const std::vector<RequestRecord> records = {failed(0), failed(1)};
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics_of(over(records))) names.push_back(metric.row->name);
  EXPECT_THAT(names, testing::ElementsAre("error_rate"));
}

TEST(Metrics, WhatTheServerReportsIsItsSumOverItsCount) {
  Window window;
  window.server = {.input_tokens = 320, .input_requests = 10, .output_tokens = 165, .output_requests = 10};
  EXPECT_DOUBLE_EQ(single(window, "isl_reported"), 32);
  EXPECT_DOUBLE_EQ(single(window, "osl_reported"), 16.5);
  window.server.output_requests = 0;
  EXPECT_TRUE(undefined(window, "osl_reported"));
}

TEST(Metrics, SendLagIsCountedFromWhenTheRequestWasDue) {
  std::vector<RequestRecord> records = {request(5, {10}), request(9, {10})};
  records[0].due_ns = 4 * k_ms;
  records[1].due_ns = 6 * k_ms;
  EXPECT_DOUBLE_EQ(mean(over(records), "send_lag_ms"), 2);
  records[0].due_ns.reset();
  records[1].due_ns.reset();
  EXPECT_TRUE(undefined(over(records), "send_lag_ms"));
}

TEST(Metrics, EveryRowOfTheTableSaysWhatItIs) {
  std::vector<std::string_view> names;
  for (const MetricRow& row : metric_table()) {
    names.push_back(row.name);
    for (const std::string_view text : {row.name, row.unit, row.formula, row.source}) EXPECT_FALSE(text.empty()) << row.name;
  }
  EXPECT_THAT(names, testing::ElementsAre("ttft_ms", "ttst_ms", "itl_ms", "tpot_ms", "event_gap_ms", "request_latency_ms", "input_tps", "output_tps",
                                          "output_tps_per_user", "requests_per_s", "error_rate", "isl_counted", "isl_reported", "osl_counted", "osl_reported",
                                          "send_lag_ms", "client_cpu_share", "server_cpu_share", "server_memory_gib_peak", "gpu_memory_gib_peak", "power_w",
                                          "energy_j_per_token"));
}

TEST(Metrics, PercentilesNeedAsManyRecordsAsMakeOneBeyondThemExpected) {
  EXPECT_EQ(records_needed(500), 2);
  EXPECT_EQ(records_needed(900), 10);
  EXPECT_EQ(records_needed(950), 20);
  EXPECT_EQ(records_needed(990), 100);
  EXPECT_EQ(records_needed(999), 1000);
  std::vector<RequestRecord> records(20, request(0, {10}));
  EXPECT_THAT(unsupported_percentiles(metrics_of(over(records))),
              testing::ElementsAre("ttft_ms_p99", "ttft_ms_p999", "request_latency_ms_p99", "request_latency_ms_p999", "isl_counted_p99", "isl_counted_p999",
                                   "osl_counted_p99", "osl_counted_p999"));
}

}  // namespace
}  // namespace orch::measure
