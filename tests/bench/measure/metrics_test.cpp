// The metric table on records that are small enough to compute by hand.
#include "bench/measure/metrics.hpp"

#include "processes.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::measure {
namespace metrics_test {

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
  const MetricRow* row = find_metric(name);
  if (row == nullptr) throw std::runtime_error("no metric " + std::string(name));
  return row->compute(window);
}

bool undefined(const Window& window, std::string_view name) {
  return std::holds_alternative<std::monostate>(value_of(window, name));
}
double mean(const Window& window, std::string_view name) {
  return std::get<Statistics>(value_of(window, name)).mean;
}
double single(const Window& window, std::string_view name) {
  return std::get<double>(value_of(window, name));
}

Window over(const std::vector<RequestRecord>& records) {
  return {.records = records, .server = {}, .client = {}};
}

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

TEST(Metrics, OfServerResourcesAreDefinedOnlyIfObserved) {
  const std::vector<RequestRecord> records = {request(100, {150, 170, 200}),
                                              request(100, {150, 170})};
  Window window = over(records);
  for (const char* name : {"server_cpu_share", "server_memory_gib_peak", "gpu_memory_gib_peak",
                           "power_w", "energy_j_per_token"})
    EXPECT_TRUE(undefined(window, name)) << name;
  window.side = {.cpu_share = 3.5,
                 .memory_gib_peak = 12,
                 .gpu_memory_gib_peak = 70,
                 .power_w = 600,
                 .energy_j = 15};
  EXPECT_EQ(single(window, "server_cpu_share"), 3.5);
  EXPECT_EQ(single(window, "server_memory_gib_peak"), 12);
  EXPECT_EQ(single(window, "gpu_memory_gib_peak"), 70);
  EXPECT_EQ(single(window, "power_w"), 600);
  EXPECT_EQ(single(window, "energy_j_per_token"), 3) << "over five tokens";
}

TEST(Metrics, ThroughputsAreOverFirstSendToLastResponse) {
  const std::vector<RequestRecord> records = {request(100, {200, 300}), request(50, {400, 550})};
  const Window window = over(records);
  EXPECT_DOUBLE_EQ(duration_s(records), 0.5);
  EXPECT_DOUBLE_EQ(single(window, "output_tps"), 8);
  EXPECT_DOUBLE_EQ(single(window, "input_tps"), 40);
  EXPECT_DOUBLE_EQ(single(window, "requests_per_s"), 4);
}

TEST(Metrics, FailedRequestsExtendTheWindowAndAddNothing) {
  std::vector<RequestRecord> records = {request(100, {200, 300}), failed(50), failed(300, {400})};
  records[1].end_ns = 350 * 1'000'000;
  records[2].end_ns = 1'050 * 1'000'000;
  const Window window = over(records);
  EXPECT_DOUBLE_EQ(duration_s(records), 1)
      << "from the first send to the end of the last failed request";
  EXPECT_DOUBLE_EQ(single(window, "output_tps"), 2);
  EXPECT_DOUBLE_EQ(single(window, "input_tps"), 10);
  EXPECT_DOUBLE_EQ(single(window, "requests_per_s"), 1);
  EXPECT_DOUBLE_EQ(single(window, "error_rate"), 2.0 / 3);
}

TEST(Metrics, TheShareOfCachedPromptsIsThatOfTheAnswersThatReportIt) {
  std::vector<RequestRecord> records = {request(0, {10}), request(0, {10}), request(0, {10})};
  EXPECT_TRUE(undefined(over(records), "cache_share")) << "no answer says";
  records[0].isl_reported = records[1].isl_reported = 100;
  records[0].isl_cached = 30;
  EXPECT_DOUBLE_EQ(single(over(records), "cache_share"), 0.15);
}

TEST(Metrics, InterTokenLatencyIsRoundedToWholeNanosecondsHalvesToEven) {
  RequestRecord record = request(0, {0, 0, 0});
  record.event_ns = {0, 1, 5};  // 2.5 -> 2
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "itl_ms"), 2e-6);
  record.event_ns = {0, 1, 7};  // 3.5 -> 4
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "itl_ms"), 4e-6);
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "tpot_ms"), 3.5e-6) << "tpot is not rounded";
}

TEST(Metrics, TimePerOutputTokenExcludesTheTokensOfTheFirstEvent) {
  RequestRecord record = request(0, {100, 140});
  record.osl_counted = 4;
  record.first_event_tokens = 2;
  EXPECT_DOUBLE_EQ(mean(over(std::vector{record}), "tpot_ms"), 20);
  EXPECT_NEAR(mean(over(std::vector{record}), "itl_ms"), 40.0 / 3, 1e-6)
      << "genai-perf divides by osl - 1";
}

TEST(Metrics, AnAnswerOfOneTokenHasNoTimeBetweenTokens) {
  const std::vector<RequestRecord> records = {request(0, {100})};
  for (const char* name : {"ttst_ms", "itl_ms", "tpot_ms", "event_gap_ms", "output_tps_per_user"})
    EXPECT_TRUE(undefined(over(records), name)) << name;
  EXPECT_DOUBLE_EQ(mean(over(records), "ttft_ms"), 100);
}

TEST(Metrics, ASingleEventHasNoInterTokenLatencyUnlessGenaiPerfIsMatched) {
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
  for (const char* name :
       {"ttft_ms", "ttst_ms", "itl_ms", "tpot_ms", "event_gap_ms", "output_tps_per_user"})
    EXPECT_TRUE(undefined(over(records), name)) << name;
  EXPECT_DOUBLE_EQ(mean(over(records), "request_latency_ms"), 100);
  EXPECT_DOUBLE_EQ(single(over(records), "output_tps"), 80);
}

TEST(Metrics, UncountedTokensLeaveThroughputUndefined) {
  std::vector<RequestRecord> records = {request(0, {100, 200}), request(0, {100, 200})};
  records[1].osl_counted.reset();
  records[0].isl.reset();
  EXPECT_TRUE(undefined(over(records), "output_tps"));
  EXPECT_TRUE(undefined(over(records), "input_tps"));
  EXPECT_FALSE(undefined(over(records), "requests_per_s"));
}

TEST(Metrics, LatenciesExcludeFailedRequests) {
  const std::vector<RequestRecord> records = {request(0, {10, 20}), failed(0, {500, 900})};
  EXPECT_DOUBLE_EQ(mean(over(records), "ttft_ms"), 10);
  EXPECT_DOUBLE_EQ(mean(over(records), "request_latency_ms"), 20);
  EXPECT_DOUBLE_EQ(mean(over(records), "event_gap_ms"), 10);
}

TEST(Metrics, RequestsForSeveralSequencesHaveNoEventGaps) {
  std::vector<RequestRecord> records = {request(0, {10, 11, 30, 31}), request(0, {10, 20})};
  records[0].sequences = 2;
  EXPECT_EQ(std::get<Statistics>(value_of(over(records), "event_gap_ms")).n, 1);
  EXPECT_DOUBLE_EQ(mean(over(records), "event_gap_ms"), 10);
  records.pop_back();
  EXPECT_TRUE(undefined(over(records), "event_gap_ms"));
}

TEST(Metrics, WhenNothingSucceededOnlyTheErrorRateIsDefined) {
  const std::vector<RequestRecord> records = {failed(0), failed(1)};
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics_of(over(records))) names.push_back(metric.row->name);
  EXPECT_THAT(names, testing::ElementsAre("error_rate"));
}

TEST(Metrics, ReportedLengthsAreMeansOfTheServersCounters) {
  Window window;
  window.server = {
      .input_tokens = 320, .input_requests = 10, .output_tokens = 165, .output_requests = 10};
  EXPECT_DOUBLE_EQ(single(window, "isl_reported"), 32);
  EXPECT_DOUBLE_EQ(single(window, "osl_reported"), 16.5);
  window.server.output_requests = 0;
  EXPECT_TRUE(undefined(window, "osl_reported"));
}

TEST(Metrics, SendLagStartsAtTheScheduledSend) {
  std::vector<RequestRecord> records = {request(5, {10}), request(9, {10})};
  records[0].due_ns = 4 * k_ms;
  records[1].due_ns = 6 * k_ms;
  EXPECT_DOUBLE_EQ(mean(over(records), "send_lag_ms"), 2);
  records[0].due_ns.reset();
  records[1].due_ns.reset();
  EXPECT_TRUE(undefined(over(records), "send_lag_ms"));
}

TEST(Metrics, LatenciesFromTheScheduledSendExistOnlyInAnOpenLoop) {
  std::vector<RequestRecord> records = {request(105, {150, 200}), request(5, {10})};
  records[0].due_ns = 100 * k_ms;
  Window window = over(records);
  EXPECT_TRUE(undefined(window, "ttft_ms_intended")) << "a closed loop has no schedule";
  window.open_loop = true;
  EXPECT_DOUBLE_EQ(mean(window, "ttft_ms_intended"), 50);
  EXPECT_DOUBLE_EQ(mean(window, "request_latency_ms_intended"), 100);
  EXPECT_DOUBLE_EQ(mean(window, "ttft_ms"), 25) << "from the real sends of both requests";
}

TEST(Metrics, ServerTimesAreMeansOverTheAnswersThatReportThem) {
  std::vector<RequestRecord> records = {request(0, {10}), request(0, {10})};
  EXPECT_TRUE(undefined(over(records), "server_queue_ms"));
  records[1].server_times =
      ServerTimes{.scheduled_ns = 1 * k_ms, .first_token_ns = 7 * k_ms, .last_token_ns = 9 * k_ms};
  EXPECT_DOUBLE_EQ(mean(over(records), "server_queue_ms"), 1);
  EXPECT_DOUBLE_EQ(mean(over(records), "server_ttft_ms"), 7);
  EXPECT_DOUBLE_EQ(mean(over(records), "server_latency_ms"), 9);
}

TEST(Metrics, TimesPerTokenOfABatchAreForOneAnswer) {
  RequestRecord record = request(0, {100, 110, 130, 140});
  record.osl_counted = 10;
  record.sequences = 2;
  const std::vector<RequestRecord> records = {record};
  EXPECT_DOUBLE_EQ(mean(over(records), "itl_ms"), 10) << "40 ms / (5 - 1)";
  EXPECT_DOUBLE_EQ(mean(over(records), "tpot_ms"), 10);
  EXPECT_DOUBLE_EQ(mean(over(records), "output_tps_per_user"), 100);
  EXPECT_DOUBLE_EQ(mean(over(records), "osl_counted"), 10);
  EXPECT_TRUE(undefined(over(records), "ttst_ms"))
      << "the second event may be another answer's first";
}

TEST(Metrics, TokensBeforeARequestWasStoppedCount) {
  std::vector<RequestRecord> records = {request(0, {100, 200})};
  records[0].stopped = true;
  EXPECT_DOUBLE_EQ(single(over(records), "requests_per_s"), 5);
  EXPECT_DOUBLE_EQ(single(over(records), "output_tps"), 10);
  EXPECT_DOUBLE_EQ(mean(over(records), "ttft_ms"), 100);
}

TEST(Metrics, RequestsStoppedBeforeTheirFirstTokenExtendTheWindow) {
  std::vector<RequestRecord> records = {request(0, {40})};
  for (std::int64_t i = 1; i < 20; ++i) {
    records.push_back(request(50 * i, {}));
    records.back().end_ns = (50 * i + 50) * 1'000'000;
  }
  for (RequestRecord& record : records) record.stopped = true;
  EXPECT_DOUBLE_EQ(single(over(records), "requests_per_s"), 20);
  EXPECT_DOUBLE_EQ(single(over(records), "output_tps"), 1);
}

TEST(Metrics, OfRequestsHaveAnIntervalOfTheirMeanInSendOrder) {
  std::vector<RequestRecord> records;
  std::vector<double> ttft_ms;
  for (std::int64_t i = 0; i < 100; ++i) {
    ttft_ms.push_back(static_cast<double>(20 + i * 37 % 11));
    records.push_back(request(10 * i, {10 * i + 20 + i * 37 % 11}));
  }
  const auto metrics = metrics_of(over(records));
  const auto interval_of = [&](std::string_view name) {
    return std::find_if(metrics.begin(), metrics.end(),
                        [&](const Metric& metric) { return metric.row->name == name; })
        ->interval;
  };
  const auto expected = interval_of_mean(ttft_ms);
  ASSERT_TRUE(expected && interval_of("ttft_ms"));
  EXPECT_NEAR(interval_of("ttft_ms")->low, expected->low, 1e-9);
  EXPECT_NEAR(interval_of("ttft_ms")->high, expected->high, 1e-9);
  EXPECT_DOUBLE_EQ(interval_of("isl_counted")->high, 10);
  EXPECT_FALSE(interval_of("error_rate"));
}

const Metric* metric(const std::vector<Metric>& metrics, std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& one) { return one.row->name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

TEST(Metrics, OfRequestsHaveLimitsOfTheirPercentiles) {
  std::vector<RequestRecord> records;
  std::vector<std::optional<double>> ttft_ms;
  for (std::int64_t i = 0; i < 200; ++i) {
    const std::int64_t ttft = 20 + i * i % 47;
    ttft_ms.emplace_back(static_cast<double>(ttft));
    records.push_back(request(10 * i, {10 * i + ttft, 10 * i + ttft + 5}));
  }
  records.push_back(failed(3000));  // without a value
  ttft_ms.emplace_back();
  const auto metrics = metrics_of(over(records));
  const auto of = [&](std::string_view name) { return *metric(metrics, name); };
  EXPECT_EQ(of("ttft_ms").percentile_limits, limits_of_percentiles(ttft_ms));
  EXPECT_TRUE(of("ttft_ms").percentile_limits[1]->high);
  EXPECT_FALSE(of("ttft_ms").percentile_limits[4]) << "200 requests have no p999";
  EXPECT_EQ(of("event_gap_ms").percentile_limits, LimitsOfPercentiles{});
  EXPECT_EQ(of("error_rate").percentile_limits, LimitsOfPercentiles{});
}

// CONCURRENCY requests are always open; each takes 1 to 199 ms.
std::vector<RequestRecord> closed_loop(int n, std::size_t concurrency, std::uint64_t seed = 7) {
  Draws draws(seed);
  std::vector<std::int64_t> free_ms(concurrency, 0);
  std::vector<RequestRecord> records;
  for (int i = 0; i < n; ++i) {
    std::int64_t& slot = *std::min_element(free_ms.begin(), free_ms.end());
    const auto end_ms = slot + 1 + static_cast<std::int64_t>(199 * draws.uniform());
    records.push_back(request(slot, {end_ms}));
    slot = end_ms;
  }
  return records;
}

Window over(const std::vector<RequestRecord>& records, std::int64_t concurrency) {
  Window window = over(records);
  window.concurrency = concurrency;
  return window;
}

TEST(Metrics, RatesOfAClosedLoopHaveTheIntervalOfTheirSlotTimes) {
  const auto records = closed_loop(2000, 4);
  const auto metrics = metrics_of(over(records, 4));
  const Metric& rate = *metric(metrics, "requests_per_s");
  ASSERT_TRUE(rate.interval);
  EXPECT_LT(rate.interval->low, 40) << "4 requests of 100 ms each";
  EXPECT_GT(rate.interval->high, 40);
  EXPECT_LT(rate.interval->relative_to(40), 0.06);
  const Metric& tokens = *metric(metrics, "input_tps");
  EXPECT_NEAR(tokens.interval->low, 10 * rate.interval->low, 1e-6)
      << "each request has 10 prompt tokens";
}

TEST(Metrics, RatesOfAClosedLoopCoverTheTrueRateAtTheirLevel) {
  int held = 0;
  for (int run = 0; run < 300; ++run) {
    const auto records = closed_loop(400, 8, 100 + run);
    const auto metrics = metrics_of(over(records, 8));
    const auto interval = metric(metrics, "requests_per_s")->interval;
    ASSERT_TRUE(interval);
    if (interval->low <= 80 && 80 <= interval->high) ++held;
  }
  EXPECT_GE(held, 276);
  EXPECT_LE(held, 297);
}

TEST(Metrics, RatesOfSlotsThatEndApartHaveAnIntervalWithTheRateOfTheWindow) {
  const auto records = closed_loop(600, 100);
  const auto metrics = metrics_of(over(records, 100));
  const Metric& rate = *metric(metrics, "requests_per_s");
  ASSERT_TRUE(rate.interval);
  EXPECT_LT(std::get<double>(rate.value), 930)
      << "less than the 1000 of 100 slots at 100 ms each, since slots are idle at the end";
  EXPECT_LT(rate.interval->low, std::get<double>(rate.value));
  EXPECT_GT(rate.interval->high, 1000);
}

TEST(Metrics, RatesHaveNoIntervalInAnOpenLoopOrWithoutAKnownConcurrency) {
  const auto records = closed_loop(2000, 4);
  Window window = over(records, 4);
  window.open_loop = true;
  EXPECT_FALSE(metric(metrics_of(window), "requests_per_s")->interval)
      << "the schedule sets the rate";
  EXPECT_TRUE(metric(metrics_of(window), "ttft_ms")->interval);
  EXPECT_FALSE(metric(metrics_of(over(records)), "requests_per_s")->interval);
}

TEST(Metrics, OfAServerThatAnswersInWavesVaryByWave) {
  Draws draws(3);
  std::vector<RequestRecord> records;
  for (std::int64_t wave = 0; wave < 40; ++wave)
    for (std::int64_t i = 0; i < 16; ++i)
      records.push_back(request(300 * wave, {300 * wave + 100 + 10 * i +
                                             static_cast<std::int64_t>(3 * draws.uniform())}));
  records[100].error = "broken";
  const auto as_waves = metrics_of(over(records, 16));
  const auto as_any = metrics_of(over(records));
  EXPECT_LT(*interval_percent(as_waves, "ttft_ms"), 0.2) << "one failed request shifts no wave";
  EXPECT_GT(*interval_percent(as_any, "ttft_ms"), 1);
  EXPECT_FALSE(interval_percent(as_any, "requests_per_s"));
}

TEST(Metrics, OfOneRequestAreInTheUnitOfTheTable) {
  const std::vector<RequestRecord> records = {request(100, {150}), failed(0, {10})};
  const Window window = over(records);
  EXPECT_DOUBLE_EQ(find_metric("ttft_ms")->of(window, records[0]).value(), 50);
  EXPECT_FALSE(find_metric("ttft_ms")->of(window, records[1])) << "it failed";
  EXPECT_FALSE(find_metric("requests_per_s")->of(window, records[0]))
      << "it is a metric of the window";
  EXPECT_EQ(find_metric("ttfd_ms"), nullptr);
}

TEST(Metrics, EveryRowOfTheTableIsComplete) {
  std::vector<std::string_view> names;
  for (const MetricRow& row : metric_table()) {
    names.push_back(row.name);
    for (const std::string_view text : {row.name, row.unit, row.formula, row.source})
      EXPECT_FALSE(text.empty()) << row.name;
  }
  EXPECT_THAT(names,
              testing::ElementsAre(
                  "ttft_ms", "ttft_ms_intended", "ttfr_ms", "ttfo_ms", "ttst_ms", "itl_ms",
                  "tpot_ms", "event_gap_ms", "request_latency_ms", "request_latency_ms_intended",
                  "input_tps", "output_tps", "output_tps_per_user", "requests_per_s", "goodput_rps",
                  "error_rate", "isl_counted", "isl_reported", "cache_share", "osl_counted",
                  "osl_reported", "server_queue_ms", "server_ttft_ms", "server_latency_ms",
                  "send_lag_ms", "client_cpu_share", "server_cpu_share", "server_memory_gib_peak",
                  "gpu_memory_gib_peak", "power_w", "energy_j_per_token"));
}

TEST(AllMetrics, AreDifferentAndDocumented) {
  std::set<std::string_view> names;
  for (const MetricRow& row : all_metrics()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (const std::string_view text : {row.name, row.unit, row.formula, row.source})
      EXPECT_FALSE(text.empty()) << row.name;
    const bool is_reported = row.shown.in.report.place > 0;
    EXPECT_EQ(is_reported, !row.shown.family.empty()) << row.name;
    EXPECT_TRUE(is_reported || row.shown.better == Better::neither)
        << row.name << " has a direction, which only reports use";
  }
  for (const std::string_view one :
       {metric::server_start_s, metric::build_s, metric::engine_gib, metric::output_tps_per_gpu})
    EXPECT_EQ(std::ranges::count(derived_metrics(), one, &MetricRow::name), 1) << one;
}

std::vector<std::string> names_in(Slot Lists::*list) {
  std::vector<std::string> names;
  for (const Column& one : columns_in(list)) names.push_back(one.name());
  return names;
}

TEST(Columns, OfEachListHavePlacesOfTheirOwn) {
  for (const auto list : {&Lists::report, &Lists::comparison, &Lists::sharing, &Lists::point,
                          &Lists::summary, &Lists::bench}) {
    std::set<int> places;
    for (const MetricRow* row : metrics_in(list))
      EXPECT_TRUE(places.insert((row->shown.in.*list).place).second) << row->name;
  }
}

TEST(Columns, OfListsAreInTheirOrder) {
  using testing::ElementsAre;
  EXPECT_THAT(names_in(&Lists::comparison),
              ElementsAre("output_tps", "output_tps_per_gpu", "goodput_rps", "ttft_ms",
                          "ttft_ms_p99", "itl_ms", "request_latency_ms", "request_latency_ms_p99",
                          "error_rate", "energy_j_per_token"));
  EXPECT_THAT(names_in(&Lists::sharing), ElementsAre("output_tps", "requests_per_s", "ttft_ms",
                                                     "itl_ms", "request_latency_ms"));
  EXPECT_THAT(names_in(&Lists::point), ElementsAre("ttft_ms", "itl_ms", "request_latency_ms",
                                                   "output_tps", "requests_per_s", "error_rate"));
  EXPECT_THAT(names_in(&Lists::summary),
              ElementsAre("output_tps", "ttft_ms", "ttft_ms_p99", "ttft_ms_intended",
                          "ttft_ms_intended_p99", "itl_ms", "request_latency_ms",
                          "request_latency_ms_intended", "requests_per_s", "goodput_rps",
                          "cache_share", "error_rate"));
  EXPECT_THAT(
      names_in(&Lists::bench),
      ElementsAre("requests_per_s", "output_tps", "ttft_ms", "ttft_ms_p99", "itl_ms",
                  "request_latency_ms", "request_latency_ms_p99", "goodput_rps", "error_rate"));
}

TEST(ReportedMetric, IsFoundByItsColumnAndByThatOfAStatistic) {
  ASSERT_TRUE(reported_metric("output_tps"));
  EXPECT_EQ(reported_metric("output_tps")->shown.better, Better::higher);
  EXPECT_EQ(reported_metric("ttft_ms_p99"), reported_metric("ttft_ms"));
  EXPECT_EQ(reported_metric("ttft_ms_intended_p90"), reported_metric("ttft_ms_intended"));
  for (const char* other : {"ttft", "_p99", "", "isl_counted"})
    EXPECT_EQ(reported_metric(other), nullptr) << other;
}

TEST(UnitOfReports, IsEmptyForAShare) {
  EXPECT_EQ(reported_metric("error_rate")->unit_of_reports(), "");
  EXPECT_EQ(reported_metric("requests_per_s")->unit_of_reports(), "1/s");
  EXPECT_EQ(reported_metric("ttft_ms")->unit_of_reports(), "ms");
}

TEST(Metrics, PercentilesNeedOneExpectedRecordBeyondThem) {
  EXPECT_EQ(records_needed(500), 2);
  EXPECT_EQ(records_needed(900), 10);
  EXPECT_EQ(records_needed(950), 20);
  EXPECT_EQ(records_needed(990), 100);
  EXPECT_EQ(records_needed(999), 1000);
  std::vector<RequestRecord> records(20, request(0, {10}));
  EXPECT_THAT(unsupported_percentiles(metrics_of(over(records))),
              testing::ElementsAre("ttft_ms_p99", "ttft_ms_p999", "request_latency_ms_p99",
                                   "request_latency_ms_p999", "isl_counted_p99", "isl_counted_p999",
                                   "osl_counted_p99", "osl_counted_p999"));
}

}  // namespace metrics_test
}  // namespace orch::measure
