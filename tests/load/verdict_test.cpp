// What a measurement says of itself beyond its means: intervals, goodput, times from the scheduled send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <random>

#include "load/bench_all.hpp"
#include "load/enough.hpp"
#include "load/record_json.hpp"
#include "load/triton_answers.hpp"

namespace orch::load {
namespace {

using testing::Contains;
using testing::ElementsAre;

BenchOptions options(const truth::Server& server) {
  BenchOptions out;
  out.urls = {server.url()};
  out.model = "ensemble";
  out.loads = {{.kind = Load::Kind::closed, .concurrency = 1}};
  out.requests = 20;
  out.prompts_name = "p.jsonl";
  out.osl = 4;
  out.timeout_s = 20;
  return out;
}

Result<std::vector<Measurement>> bench(const BenchOptions& with) {
  PromptSet prompts;
  for (int i = 0; i < 40; ++i) prompts.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  return bench_all(with, prompts);
}

nlohmann::json record(const BenchOptions& with) {
  auto result = bench(with);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return nlohmann::json::parse(measurement_json(with, *result))["measurements"][0];
}

TEST(Record, HoldsTheIntervalOfAMeanBesideItAndNoneWhereTooFewRequestsWereSent) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  const auto isl = record(with)["metrics"]["isl_counted"];
  EXPECT_EQ(isl["interval_low"], 3);
  EXPECT_EQ(isl["interval_high"], 3);
  with.requests = 19;
  EXPECT_FALSE(record(with)["metrics"]["isl_counted"].contains("interval_low"));
}

TEST(Record, HoldsGoodputWhereItWasAskedFor) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  EXPECT_FALSE(record(with)["metrics"].contains("goodput_rps"));
  with.goodput = "osl_counted = 4 AND server_queue_ms < 5";
  const auto all_good = record(with);
  EXPECT_EQ(all_good["metrics"]["goodput_rps"], all_good["metrics"]["requests_per_s"]);
  EXPECT_THAT(all_good["warnings"].get<std::vector<std::string>>(),
              Contains("goodput: 'server_queue_ms < 5' was left out for 20 of 20 requests, which have no value for it"));
  with.goodput = "osl_counted = 5";
  EXPECT_EQ(record(with)["metrics"]["goodput_rps"], 0);
}

TEST(Bench, SendsNothingForAGoodputThatCannotBeEvaluated) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.goodput = "ttft_s < 5";
  const auto result = bench(with);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::invalid);
  EXPECT_EQ(result.error().message, "goodput 'ttft_s < 5': unknown name 'ttft_s'; did you mean 'ttft_ms'?");
}

TEST(Record, HoldsTimesFromTheScheduledSendOfAnOpenLoopAlone) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  EXPECT_FALSE(record(with)["metrics"].contains("ttft_ms_intended"));
  with.loads = {{.kind = Load::Kind::open, .concurrency = 0, .request_rate = 2000, .arrival = Arrival::constant}};
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

TEST(Schedule, IsTheSameForASeedAndABlockOfPromptsAndAnotherForEachRepeat) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.loads = {{.kind = Load::Kind::open, .request_rate = 2000}};
  const auto first = schedule(with);
  EXPECT_EQ(schedule(with), first);
  with.block = 1;  // of the record; the prompts are given
  EXPECT_NE(schedule(with), first);
  with.block = 0;
  with.seed = 1;
  EXPECT_NE(schedule(with), first);
}

TEST(Until, IsReachedAtThePrecisionThatWasAskedForAndNotBefore) {
  // 20 values are 10 batches of two, here 2 above and 2 below the mean of 10 in turn: each the sum 4 of its two over sqrt 2, of variance
  // 8 * 10 / 9. They do not follow each other, and lean to no side. So half the interval is t(7) * sqrt(80 / 9 / 20) = 2.3646 * 2 / 3, 15.76 %.
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i / 2 % 2 == 0 ? 12 : 8);
  EXPECT_TRUE(is_narrow({.metric = "ttft_ms", .percent = 15.77}, values));
  EXPECT_FALSE(is_narrow({.metric = "ttft_ms", .percent = 15.76}, values));
  values.pop_back();
  EXPECT_FALSE(is_narrow({.metric = "ttft_ms", .percent = 1000}, values)) << "of 19 there is no interval";
}

TEST(Until, LooksAtAMetricThatVaries) {
  truth::Server server([random = std::mt19937(7)](const truth::Request&) mutable {
    return std::make_shared<const truth::Answer>(truth::body(200, fmt::format(R"({{"choices":[{{"index":0,"text":"x"}}],"usage":{{"completion_tokens":{}}}}})", 8 + random() % 5)));
  });
  BenchOptions with = options(server);
  with.protocol = "openai-completions";
  with.stream = false;
  with.requests = 100'000;
  with.reuse_prompts = true;
  with.until = StopAt{.metric = "osl_counted", .percent = 50};  // no value is further than that from any mean of theirs
  const auto reached = record(with);
  EXPECT_EQ(reached["load"]["until"]["reached"], true);
  EXPECT_GE(reached["metrics"]["osl_counted"]["n"], 20);
  EXPECT_LT(reached["metrics"]["osl_counted"]["n"], 100'000);
  EXPECT_NE(reached["metrics"]["osl_counted"]["min"], reached["metrics"]["osl_counted"]["max"]);
  with.requests = 500;
  with.until->percent = 0.01;
  const auto never = record(with);
  EXPECT_EQ(never["load"]["until"]["reached"], false);
  EXPECT_EQ(never["metrics"]["osl_counted"]["n"], 500);
}

TEST(Duration, DoesNotMakeARunValidThatGaveUpOnItsOneServer) {
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
  EXPECT_THAT(one["reasons"].get<std::vector<std::string>>(), Contains(testing::StartsWith("gave up after 4 requests in a row broke off, the last because cannot connect to 127.0.0.1:")));
  EXPECT_LT(one["window"]["duration_s"], 60);
}

TEST(Until, EndsTheLoadWhenTheIntervalIsNarrowAndCallsItWhole) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.requests = 100'000;
  with.reuse_prompts = true;
  with.until = StopAt{.metric = "osl_counted", .percent = 1};  // the same for every request
  const auto one = record(with);
  EXPECT_EQ(one["load"]["until"]["reached"], true);
  EXPECT_LT(one["metrics"]["osl_counted"]["n"], 100'000);
  for (const std::string reason : one["reasons"]) EXPECT_THAT(reason, testing::Not(testing::HasSubstr("were not sent")));
  with.until->metric = "ttft_m";
  EXPECT_THAT(bench(with).error().message, testing::HasSubstr("--until names 'ttft_m', which is no metric of single requests; did you mean 'ttft_ms'?"));
}

}  // namespace
}  // namespace orch::load
