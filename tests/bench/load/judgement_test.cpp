// The judgement of a measurement: intervals, goodput, times from the scheduled send, precision
// targets.
#include "bench/load/bench_all.hpp"
#include "bench/load/precision_monitor.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/record/record_json.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace judgement_test {

using testing::Contains;
using testing::ElementsAre;

BenchOptions options(const truth::Server& server) { return one_at_a_time(server.url(), 20); }

Result<std::vector<record::Measurement>> bench(const BenchOptions& with) {
  prompt::PromptSet prompts;
  for (int i = 0; i < 40; ++i)
    prompts.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  return bench_all(with, prompts);
}

nlohmann::json record(const BenchOptions& with) {
  auto result = bench(with);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return nlohmann::json::parse(record::measurement_json(with, *result))["measurements"][0];
}

TEST(Record, HoldsIntervalsOnlyWithEnoughRequests) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.requests = 30;
  const auto isl = record(with)["metrics"]["isl_counted"];
  EXPECT_EQ(isl["interval_low"], 3);
  EXPECT_EQ(isl["interval_high"], 3);
  with.requests = 29;
  EXPECT_FALSE(record(with)["metrics"]["isl_counted"].contains("interval_low"));
}

TEST(Record, HoldsGoodputOnlyIfRequested) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  EXPECT_FALSE(record(with)["metrics"].contains("goodput_rps"));
  with.goodput = "osl_counted = 4 AND server_queue_ms < 5";
  const auto all_good = record(with);
  EXPECT_EQ(all_good["metrics"]["goodput_rps"], all_good["metrics"]["requests_per_s"]);
  EXPECT_THAT(all_good["warnings"].get<std::vector<std::string>>(),
              Contains("goodput: 'server_queue_ms < 5' was left out for 20 of 20 requests, which "
                       "have no value for it"));
  with.goodput = "osl_counted = 5";
  EXPECT_EQ(record(with)["metrics"]["goodput_rps"], 0);
}

TEST(Bench, RefusesAnInvalidGoodputBeforeSending) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.goodput = "ttft_s < 5";
  const auto result = bench(with);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::invalid);
  EXPECT_EQ(result.error().message,
            "goodput 'ttft_s < 5': unknown name 'ttft_s'; did you mean 'ttft_ms'?");
}

TEST(Record, HoldsTimesFromTheScheduledSendOnlyForOpenLoops) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  EXPECT_FALSE(record(with)["metrics"].contains("ttft_ms_intended"));
  with.loads = {{.kind = record::Load::Kind::open,
                 .concurrency = 0,
                 .request_rate = 2000,
                 .arrival = record::Arrival::constant}};
  const auto metrics = record(with)["metrics"];
  EXPECT_GE(metrics["ttft_ms_intended"]["mean"], metrics["ttft_ms"]["mean"]);
  EXPECT_GE(metrics["request_latency_ms_intended"]["mean"], metrics["request_latency_ms"]["mean"]);
}

std::vector<std::int64_t> schedule(const BenchOptions& with) {
  auto result = bench(with);
  EXPECT_TRUE(result.ok());
  std::vector<std::int64_t> due;
  for (const auto& one : (*result)[0].records) due.push_back(*one.due_ns);
  return due;
}

TEST(Schedule, DependsOnTheSeedAndThePromptBlock) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.loads = {{.kind = record::Load::Kind::open, .request_rate = 2000}};
  const auto first = schedule(with);
  EXPECT_EQ(schedule(with), first);
  with.block = 1;  // the prompts stay the same: the test passes them itself
  EXPECT_NE(schedule(with), first);
  with.block = 0;
  with.seed = 1;
  EXPECT_NE(schedule(with), first);
}

TEST(PrefixCache, IsWarmWhereTheServerMayHaveSeenAPrompt) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.requests = 4;
  const auto state = [&] { return record(with)["prefix_cache"].get<std::string>(); };
  EXPECT_EQ(state(), "cold");
  with.prompts.shared_prefix = 0.5;
  EXPECT_EQ(state(), "warm");
  with.prompts.shared_prefix = 0;
  with.reuse_prompts = true;
  EXPECT_EQ(state(), "warm");
  with.prefix_cache_off = true;
  EXPECT_EQ(state(), "cold");
}

TEST(Until, StopsOnAMetricThatVaries) {
  truth::Server server([random = std::mt19937(7)](const truth::Request&) mutable {
    return std::make_shared<const truth::Answer>(truth::body(
        200, fmt::format(
                 R"({{"choices":[{{"index":0,"text":"x"}}],"usage":{{"completion_tokens":{}}}}})",
                 8 + random() % 5)));
  });
  BenchOptions with = options(server);
  with.protocol = "openai-completions";
  with.stream = false;
  with.requests = 100'000;
  with.reuse_prompts = true;
  // Values lie between 8 and 12, so 50 % of their mean contains all of them.
  with.until = record::PrecisionTarget{.metric = "osl_counted", .percent = 50};
  const auto reached = record(with);
  EXPECT_EQ(reached["load"]["until"]["reached"], true);
  EXPECT_GE(reached["metrics"]["osl_counted"]["n"], 20);
  EXPECT_LT(reached["metrics"]["osl_counted"]["n"], 100'000);
  EXPECT_NE(reached["metrics"]["osl_counted"]["min"], reached["metrics"]["osl_counted"]["max"]);
  with.requests = 500;
  with.until->percent = 0.01;
  const auto unreached = record(with);
  EXPECT_EQ(unreached["load"]["until"]["reached"], false);
  EXPECT_EQ(unreached["metrics"]["osl_counted"]["n"], 500);
}

TEST(Duration, DoesNotExcuseARunThatGaveUpOnItsOnlyServer) {
  truth::Server* running = nullptr;
  truth::Server server([&running](const truth::Request& request) {
    if (request.number == 10) running->die_after_this();
    return std::make_shared<const truth::Answer>(truth::stream());
  });
  running = &server;
  BenchOptions with = options(server);
  with.requests = 0;
  with.duration_s = 60;
  with.reuse_prompts = true;
  const auto one = record(with);
  EXPECT_EQ(one["valid"], false);
  EXPECT_THAT(one["reasons"].get<std::vector<std::string>>(),
              Contains(testing::StartsWith("gave up after 4 requests in a row broke off, the last "
                                           "because cannot connect to 127.0.0.1:")));
  EXPECT_LT(one["window"]["duration_s"], 60);
}

TEST(Until, StopsAtANarrowIntervalWithoutReportingUnsentRequests) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.requests = 100'000;
  with.reuse_prompts = true;
  // All requests have the same length, so the interval is as narrow as possible.
  with.until = record::PrecisionTarget{.metric = "osl_counted", .percent = 1};
  const auto one = record(with);
  EXPECT_EQ(one["load"]["until"]["reached"], true);
  EXPECT_EQ(one["load"]["until"]["known_percent"], 0);
  EXPECT_LT(one["metrics"]["osl_counted"]["n"], 100'000);
  for (const std::string reason : one["reasons"])
    EXPECT_THAT(reason, testing::Not(testing::HasSubstr("were not sent")));
  with.until->metric = "ttft_m";
  EXPECT_THAT(bench(with).error().message,
              testing::HasSubstr("--until names 'ttft_m', which is neither a per-request "
                                 "metric nor a throughput; did you mean 'ttft_ms'?"));
}

// The stop counts as caused by --until only if the interval over the whole run meets the target
// too.
TEST(Until, ReportsThePrecisionWhetherOrNotItStoppedTheLoad) {
  truth::Server server(truth::always(truth::stream({.first_wait_ns = 3'000'000})));
  BenchOptions with = options(server);
  with.requests = 100'000;
  with.reuse_prompts = true;
  with.loads[0].concurrency = 4;
  with.until = record::PrecisionTarget{.metric = "requests_per_s", .percent = 90};
  const auto stopped = bench(with);
  ASSERT_TRUE(stopped.ok());
  const record::Measurement& early = stopped->front();
  ASSERT_TRUE(early.stopped_early);
  // On a busy machine the last requests may widen the interval beyond its width at the stop.
  const bool met_target = early.known_percent && *early.known_percent <= 90;
  EXPECT_EQ(
      early.stopped,
      met_target ? fmt::format("requests_per_s is known to {:.2g} %", *early.known_percent) : "");
  EXPECT_EQ(testing::Matches(Contains(testing::HasSubstr("--until asked for 90 %")))(
                early.verdict.warnings),
            !met_target);
  EXPECT_LT(early.records.size(), 100'000);

  with.requests = 200;
  with.until = record::PrecisionTarget{.metric = "ttft_ms", .percent = 1e-6};
  const auto completed = bench(with);
  ASSERT_TRUE(completed.ok());
  EXPECT_EQ(completed->front().stopped, "");
  EXPECT_THAT(completed->front().verdict.warnings,
              Contains(testing::MatchesRegex(
                  "ttft_ms (is known to .* %|has no interval: .*), --until asked for 1e-06 %")));
  EXPECT_EQ(completed->front().records.size(), 200);

  with.loads = {{.kind = record::Load::Kind::open, .request_rate = 100}};
  with.until = record::PrecisionTarget{.metric = "output_tps", .percent = 5};
  EXPECT_EQ(bench(with).error().message,
            "--until output_tps has no effect in an open loop, whose throughput is set by the "
            "schedule; name a latency, or give --concurrency");
}

}  // namespace judgement_test
}  // namespace orch::load
