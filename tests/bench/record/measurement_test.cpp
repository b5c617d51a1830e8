// What a record holds of its conditions: the options of the load, the notices of the prompts, and
// the threads and CPUs of the client.
#include "bench/load/bench_all.hpp"
#include "bench/load/request_supply.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/protocol/triton_models.hpp"
#include "bench/record/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sched.h>

namespace orch::record {
namespace measurement_test {

using testing::Contains;
using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Json = nlohmann::json;

load::BenchOptions options(const truth::Server& server) {
  return load::one_at_a_time(server.url(), 20);
}

prompt::PromptSet prompts() {
  prompt::PromptSet set;
  for (int i = 0; i < 20; ++i)
    set.measured.push_back({.text_input = "p", .ids = {1, 2, 3}, .isl = 3});
  return set;
}

std::pair<Measurement, Json> record(const load::BenchOptions& with,
                                    const prompt::PromptSet& set = prompts()) {
  auto result = bench_all(with, set);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  Json json = Json::parse(measurement_json(with, *result))["measurements"][0];
  return {std::move(result->front()), std::move(json)};
}

TEST(Record, HoldsEveryOptionExceptTheToken) {
  truth::Server server(truth::always(truth::stream()));
  load::BenchOptions with = options(server);
  with.authorization = "Bearer not-for-anybody";
  with.sampling = {.temperature = 0.5,
                   .top_k = 3,
                   .top_p = 0.25,
                   .seed = 18'446'744'073'709'551'615U,
                   .beam_width = 1,
                   .stop_words = {"a", "b"},
                   .bad_words = {"c"},
                   .log_probs = true,
                   .context_logits = true,
                   .generation_logits = true};
  with.inputs = {{"top_k", "7"}, {"stop_words", R"(["x"])"}};
  with.tokens_per_event = 2;
  with.timeout_s = 12.5;
  with.goodput = "ttft_ms < 500";
  prompt::PromptSet set = prompts();
  set.isl_requested = prompt::Length{.mean = 512, .sd = 64};
  auto load = record(with, set).second["load"];
  EXPECT_EQ(
      load["sampling"],
      Json::parse(
          R"({"temperature":0.5,"top_k":3,"top_p":0.25,"random_seed":18446744073709551615,"beam_width":1,"stop_words":["a","b"],"bad_words":["c"],
                                              "return_log_probs":true,"return_context_logits":true,"return_generation_logits":true})"));
  EXPECT_EQ(load["inputs"], Json::parse(R"({"top_k":"7","stop_words":"[\"x\"]"})"));
  EXPECT_EQ(load["tokens_per_event"], 2);
  EXPECT_EQ(load["timeout_s"], 12.5);
  EXPECT_EQ(load["goodput"], "ttft_ms < 500");
  EXPECT_EQ(load["isl_requested"], Json::parse(R"({"mean":512,"sd":64})"));
  EXPECT_EQ(load["ids"], false);
  EXPECT_EQ(record(with, set).second.dump().find("not-for-anybody"), std::string::npos);
}

TEST(Record, HoldsThePromptSourceAndTheLimitsOfValidity) {
  truth::Server server([](const truth::Request& request) {
    return std::make_shared<const truth::Answer>(
        request.method == "POST" ? truth::stream()
                                 : truth::body(200, "a 1\n", truth::After::close));
  });
  load::BenchOptions with = options(server);
  auto by_default = record(with).second["load"];
  EXPECT_EQ(
      by_default["prompts"],
      Json::parse(
          R"({"file":null,"tokenizer":null,"shared_prefix":0.0,"reuse":false,"prefix_cache_off":false,"running_server":false})"));
  EXPECT_EQ(by_default["metrics_urls"], Json::array());
  with.prompts = {.file = "/a/p.jsonl", .tokenizer = "/a/t", .shared_prefix = 0.25};
  with.reuse_prompts = true;
  with.metrics_urls = {server.url() + "/metrics"};
  with.limits = {.wake_lag_ms = 1e6,
                 .wake_lag_share_of_ttft = 0.5,
                 .send_lag_ms = 3,
                 .send_lag_share_of_gap = 0.75,
                 .client_cpu_share = 1e3};
  auto load = record(with).second["load"];
  EXPECT_EQ(
      load["prompts"],
      Json::parse(
          R"({"file":"/a/p.jsonl","tokenizer":"/a/t","shared_prefix":0.25,"reuse":true,"prefix_cache_off":false,"running_server":false})"));
  EXPECT_EQ(load["metrics_urls"], Json::array({server.url() + "/metrics"}));
  EXPECT_EQ(
      load["limits"],
      Json::parse(
          R"({"wake_lag_ms":1e6,"wake_lag_share_of_ttft":0.5,"send_lag_ms":3.0,"send_lag_share_of_gap":0.75,"client_cpu_share":1e3})"));
}

TEST(Record, HoldsWhetherSteadyStateWasReachedOrIsUnknown) {
  Measurement measurement;
  const auto steady = [&] {
    return Json::parse(
        measurement_json({}, std::span(&measurement, 1)))["measurements"][0]["steady"];
  };
  EXPECT_EQ(steady(), nullptr);
  measurement.verdict.steady = true;
  EXPECT_EQ(steady(), true);
  measurement.verdict.steady = false;
  EXPECT_EQ(steady(), false);
  truth::Server server(truth::always(truth::stream()));
  EXPECT_EQ(record(options(server)).second["steady"], nullptr) << "20 requests are too few to tell";
}

TEST(Record, HoldsTheWholeScheduleOfAnInterruptedLoad) {
  std::atomic<bool> stopped = false;
  truth::Server server([&stopped](const truth::Request& request) {
    if (request.number == 1) stopped = true;
    return std::make_shared<const truth::Answer>(
        request.number == 1 ? truth::Answer{.pieces = {}, .after = truth::After::silent}
                            : truth::stream());
  });
  load::BenchOptions with = options(server);
  with.loads = {{.kind = Load::Kind::open, .request_rate = 2, .arrival = Arrival::constant}};
  std::vector<Measurement> kept;
  EXPECT_FALSE(load::run_bench(with, prompts(), stopped, {}, [&](Measurement one) {
                 kept.push_back(std::move(one));
               }).ok());
  ASSERT_EQ(kept.size(), 1u);
  Json one = Json::parse(measurement_json(with, kept))["measurements"][0];
  EXPECT_THAT(one["reasons"], Contains("interrupted after 1 requests, 1 in flight"));
  std::vector<std::int64_t> due = {*kept[0].records.at(0).due_ns};
  for (const char* others : {"cut_off_due_ns", "unsent_due_ns"})
    for (const Json& ns : one[others]) due.push_back(ns);
  EXPECT_EQ(one["cut_off_due_ns"].size(), 1u);
  EXPECT_EQ(due, load::draw_arrivals(with.loads[0], 1, 20))
      << "a constant schedule does not depend on the seed";
  Json uninterrupted = record(load::one_at_a_time(server.url(), 5)).second;
  EXPECT_FALSE(uninterrupted.contains("unsent_due_ns") || uninterrupted.contains("cut_off_due_ns"));
}

TEST(Record, HoldsNoOptionThatWasLeftToTheServer) {
  truth::Server server(truth::always(truth::stream()));
  auto load = record(options(server)).second["load"];
  EXPECT_EQ(load["sampling"], Json::object());
  EXPECT_EQ(load["inputs"], Json::object());
  EXPECT_EQ(load["goodput"], nullptr);
  EXPECT_EQ(load["isl_requested"], nullptr);
}

TEST(Record, HoldsThatTokenIdsWereSent) {
  const std::string config =
      R"({"name":"tensorrt_llm","max_batch_size":8,"input":[{"name":"input_ids","data_type":"TYPE_INT32","dims":[-1]},{"name":"input_lengths","data_type":"TYPE_INT32","dims":[1]},
    {"name":"request_output_len","data_type":"TYPE_INT32","dims":[1]}],"model_transaction_policy":{"decoupled":true}})";
  truth::Answer answer{
      .pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n" +
                           truth::chunk("data: {\"output_ids\":[1,2,3,4]}\n\n") + "0\r\n\r\n"}}};
  truth::Server server(truth::always(answer), {.config = config});
  load::BenchOptions with = options(server);
  with.model = "tensorrt_llm";
  auto one = record(with).second;
  EXPECT_EQ(one["load"]["ids"], true);
  EXPECT_EQ(one["counting"]["osl"], "ids");
}

TEST(Record, HoldsTheNoticesOfItsPromptsAsWarnings) {
  truth::Server server(truth::always(truth::stream()));
  load::BenchOptions with = options(server);
  with.loads.push_back(with.loads.front());
  with.requests = 5;
  prompt::PromptSet set = prompts();
  set.notices = {
      "2 of 20 prompts could not be made exactly as long as requested; 'isl' has their real "
      "lengths"};
  const auto result = bench_all(with, set);
  ASSERT_TRUE(result.ok());
  for (const Measurement& each : *result)
    EXPECT_THAT(each.verdict.warnings, Contains(set.notices.front()));
}

TEST(Record, ListsTheThreadsOfTheClientByCpuShare) {
  truth::Server server([](const truth::Request& request) {
    return std::make_shared<const truth::Answer>(
        request.method == "POST" ? truth::stream({.first_wait_ns = 2'000'000})
                                 : truth::body(200, "a 1\n", truth::After::close));
  });
  load::BenchOptions with = options(server);
  with.metrics_urls = {server.url() + "/metrics"};
  with.metrics_interval_s = 0.005;
  with.until = PrecisionTarget{.metric = "ttft_ms", .percent = 1e-9};
  auto [measurement, json] = record(with);
  std::vector<std::string> names;
  for (const measure::ThreadShare& thread : measurement.client.threads)
    names.push_back(thread.name);
  EXPECT_THAT(names, UnorderedElementsAre("load", "watching the server", "watching its pages",
                                          "interval of --until"));
  EXPECT_TRUE(
      std::is_sorted(measurement.client.threads.begin(), measurement.client.threads.end(),
                     [](const auto& a, const auto& b) { return a.cpu_share > b.cpu_share; }));
  EXPECT_EQ(measurement.client.cpu_share, measurement.client.threads.front().cpu_share);
  for (const measure::ThreadShare& thread : measurement.client.threads)
    EXPECT_GT(thread.cpu_share, 0) << thread.name;
  EXPECT_EQ(json["client"]["threads"].size(), 4u);
}

TEST(Record, HoldsTheCpusOfTheClient) {
  truth::Server server(truth::always(truth::stream()));
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const std::string cpu = std::to_string(sched_getcpu());
    EXPECT_EQ(record(options(server)).second["client"]["cpus"], cpu);
  }).join();
}

}  // namespace measurement_test
}  // namespace orch::record
