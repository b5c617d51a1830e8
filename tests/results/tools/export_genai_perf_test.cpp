// The export of a measurement in genai-perf's formats: byte for byte where scripts depend on it,
// otherwise as read_profile_export() reads it back. tests/genai_perf/export_test.py passes the
// files to genai-perf itself.
#include "results/tools/export_genai_perf.hpp"

#include "bench/load/bench_all.hpp"
#include "bench/measure/genai_perf.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/record/record_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::record {
namespace export_genai_perf_test {

std::string profile_export(const BenchSpec& options, std::span<const prompt::Prompt> prompts,
                           const Measurement& measurement, std::string_view version) {
  std::string out;
  const ProfileExport with{.options = options, .prompts = prompts, .version = version};
  return give_profile(with, {&measurement, 1}, into(out)).ok() ? out : "";
}

using measure::RequestRecord;

constexpr std::int64_t k_wall_ns = 1'700'000'000'000'000'000;

load::BenchOptions options(const std::string& protocol = "triton-http") {
  load::BenchOptions out;
  out.urls = {"http://127.0.0.1:8000"};
  out.protocol = protocol;
  out.model = "org/m";
  out.requests = 3;
  out.osl = 3;
  return out;
}

std::vector<prompt::Prompt> prompts() {
  return {{.text_input = "of another load", .isl = 9},
          {.text_input = "one \"p\"", .isl = 2},
          {.text_input = "two", .isl = 4}};
}

RequestRecord record(std::int64_t index, std::int64_t sent_ns, std::vector<std::int64_t> event_ns) {
  RequestRecord out;
  out.index = index;
  out.sent_ns = sent_ns;
  out.event_ns = std::move(event_ns);
  out.end_ns = out.event_ns.back() + 5;
  out.isl = 2 + 2 * (index % 2);
  out.osl_requested = 3;
  out.osl_counted = 3;
  out.status = 200;
  out.answer = "ab\xC3\xA9";
  out.text_ends = {1, 2, 4};
  return out;
}

// A warm-up request, three that succeeded (the last with the first prompt again), one that failed.
Measurement measurement(Load load = {.kind = Load::Kind::closed, .concurrency = 8}) {
  Measurement out;
  out.load = load;
  out.prompts = {.first = 1, .requests = 2};
  out.wall_start_ns = k_wall_ns;
  out.records = {record(0, -50, {-40, -30, -20}), record(0, 0, {1'000'000, 2'000'000, 4'000'000}),
                 record(1, 100, {2'000'000, 3'000'000, 5'000'000}),
                 record(2, 5'000'000, {6'000'000, 7'000'000, 2'005'000'000}),
                 record(3, 200, {900})};
  out.records[0].warmup = true;
  out.records[4].error = "HTTP 500: no";
  out.duration_s = 2.005;
  return out;
}

TEST(GenaiPerfExport, FoldersAreNamedAsByGenaiPerf) {
  const std::vector<Measurement> all = {
      measurement(), measurement({.kind = Load::Kind::open, .concurrency = 0, .request_rate = 10}),
      measurement({.kind = Load::Kind::open, .concurrency = 0, .request_rate = 0.5}),
      measurement({.kind = Load::Kind::max, .concurrency = 8}),
      measurement({.kind = Load::Kind::open,
                   .concurrency = 0,
                   .request_rate = 0,
                   .arrival = Arrival::trace})};
  EXPECT_EQ(
      genai_perf_folders(options(), all),
      (std::vector<std::string>{
          "org_m-triton-tensorrtllm-concurrency8", "org_m-triton-tensorrtllm-request_rate10.0",
          "org_m-triton-tensorrtllm-request_rate0.5", "org_m-triton-tensorrtllm-concurrency8-2",
          "org_m-triton-tensorrtllm-trace"}));
  EXPECT_EQ(genai_perf_folders(options("openai-chat"), {all.data(), 1}).front(),
            "org_m-openai-chat-concurrency8");
  EXPECT_EQ(genai_perf_folders(options("openai-completions"), {all.data(), 1}).front(),
            "org_m-openai-completions-concurrency8");
}

TEST(GenaiPerfExport, AnswersOfIdsHaveNoText) {
  Measurement one = measurement();
  for (RequestRecord& record : one.records) record.counted_by = measure::CountedBy::ids;
  EXPECT_THAT(
      profile_export(options(), prompts(), one, "v"),
      testing::HasSubstr(
          R"("response_outputs":[{"text_output":""},{"text_output":""},{"text_output":""}])"));
}

TEST(GenaiPerfExport, TheRawExportEqualsThatOfPerfAnalyzerByteForByte) {
  Measurement one = measurement();
  one.records.erase(one.records.begin() + 2, one.records.end());
  EXPECT_EQ(
      profile_export(options(), prompts(), one, "orchestrate 1"),
      R"({"experiments":[{"experiment":{"mode":"concurrency","value":8},"requests":[)"
      R"({"timestamp":1700000000000000000,"request_inputs":{"text_input":"one \"p\"","stream":true,"max_tokens":3},)"
      R"("response_timestamps":[1700000000001000000,1700000000002000000,1700000000004000000],)"
      R"("response_outputs":[{"text_output":"a"},{"text_output":"b"},{"text_output":"é"}]}],)"
      R"("window_boundaries":[1700000000000000000,1700000000004000005]}],"version":"orchestrate 1","service_kind":"triton","endpoint":""})");
}

TEST(GenaiPerfExport, EveryResponseOfAnOpenAiServerIsAnEvent) {
  const auto json = nlohmann::json::parse(profile_export(
      options("openai-chat"), prompts(),
      measurement({.kind = Load::Kind::open, .concurrency = 0, .request_rate = 10}), "v"));
  EXPECT_EQ(json["service_kind"], "openai");
  EXPECT_EQ(json["endpoint"], "v1/chat/completions");
  EXPECT_EQ(json["experiments"][0]["experiment"].dump(), R"({"mode":"request_rate","value":10.0})");
  const auto& request = json["experiments"][0]["requests"][1];
  EXPECT_EQ(nlohmann::json::parse(
                request["request_inputs"]["payload"].get<std::string>())["messages"][0]["content"],
            "two");
  EXPECT_EQ(
      request["response_outputs"][2]["response"],
      "data: "
      "{\"object\":\"chat.completion.chunk\",\"model\":\"org/"
      "m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"é\"}}]}\n\n");

  load::BenchOptions unstreamed = options("openai-completions");
  unstreamed.stream = false;
  Measurement one = measurement();
  for (RequestRecord& record : one.records) record.event_ns.resize(1), record.text_ends = {4};
  const auto bodies = nlohmann::json::parse(profile_export(unstreamed, prompts(), one, "v"));
  EXPECT_EQ(
      bodies["experiments"][0]["requests"][0]["response_outputs"].dump(),
      R"([{"response":"{\"object\":\"text_completion\",\"model\":\"org/m\",\"choices\":[{\"index\":0,\"text\":\"abé\"}]}"}])");
  EXPECT_EQ(
      nlohmann::json::parse(bodies["experiments"][0]["requests"][0]["request_inputs"]["payload"]
                                .get<std::string>())["prompt"],
      nlohmann::json::array({"one \"p\""}));
}

TEST(GenaiPerfExport, ReadingTheExportGivesTheFiguresOfTheSummary) {
  const Measurement all = measurement();
  const auto read = measure::read_profile_export(profile_export(options(), prompts(), all, "v"),
                                                 {.input = {2, 4, 2}, .output = {3, 3, 3}});
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_EQ(read->front().records.size(), 3u) << "neither warm-up nor failed requests";
  EXPECT_EQ(read->front().records[2].answer, "ab\xC3\xA9");
  const auto summary = nlohmann::json::parse(genai_perf_summary(options(), all, "f").json);
  const auto mean = [&](std::string_view metric) {
    const measure::MetricValue value =
        measure::find_metric(metric)->compute(measure::genai_perf_window(read->front()));
    return std::holds_alternative<double>(value) ? std::get<double>(value)
                                                 : std::get<measure::Statistics>(value).mean;
  };
  for (const auto& [theirs, ours] : {std::pair{"request_latency", "request_latency_ms"},
                                     {"time_to_first_token", "ttft_ms"},
                                     {"inter_token_latency", "itl_ms"},
                                     {"output_token_throughput", "output_tps"},
                                     {"request_throughput", "requests_per_s"},
                                     {"input_sequence_length", "isl_counted"}})
    EXPECT_DOUBLE_EQ(summary[theirs]["avg"].get<double>(), mean(ours)) << theirs;
}

TEST(GenaiPerfExport, TheJsonHasTheKeysOfGenaiPerfInItsOrder) {
  const auto json = nlohmann::ordered_json::parse(
      genai_perf_summary(options(), measurement(), "artifacts/x").json);
  std::vector<std::string> keys, statistics;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  for (const auto& [key, value] : json["request_latency"].items()) statistics.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{
                      "request_throughput", "request_latency", "time_to_first_token",
                      "inter_token_latency", "output_token_throughput",
                      "output_token_throughput_per_request", "output_sequence_length",
                      "input_sequence_length", "input_config"}));
  EXPECT_EQ(statistics, (std::vector<std::string>{"unit", "avg", "p25", "p50", "p75", "p90", "p95",
                                                  "p99", "min", "max", "std"}));
  EXPECT_NEAR(json["time_to_first_token"]["p75"].get<double>(), 1.49995, 1e-12)
      << "of 1, 1.9999 and 1 ms";
  EXPECT_EQ(json["output_token_throughput_per_request"]["max"], 750) << "3 tokens in 4 ms";
  EXPECT_EQ(json["request_throughput"].dump(),
            nlohmann::ordered_json({{"unit", "requests/sec"}, {"avg", 3 / 2.005}}).dump());
  EXPECT_EQ(json["input_config"]["artifact_dir"], "artifacts/x");
  EXPECT_EQ(json["input_config"]["u"], "127.0.0.1:8000");
  EXPECT_EQ(json["input_config"]["concurrency"], 8);
  EXPECT_EQ(json["input_config"]["request_rate"], nullptr);
}

TEST(GenaiPerfExport, TheCsvEqualsThatOfGenaiPerfByteForByte) {
  EXPECT_EQ(genai_perf_summary(options(), measurement(), "x").csv,
            "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\n"
            "Time To First Token (ms),1.33,1.00,2.00,1.98,1.90,1.80,1.50,1.00,1.00\r\n"
            "Inter Token Latency (ms),334.17,1.50,999.50,979.54,899.70,799.90,500.50,1.50,1.50\r\n"
            "Request Latency "
            "(ms),669.67,4.00,\"2,000.00\",\"1,960.10\",\"1,800.50\",\"1,601.00\",\"1,002.50\",5."
            "00,4.50\r\n"
            "Output Sequence Length,3.00,3.00,3.00,3.00,3.00,3.00,3.00,3.00,3.00\r\n"
            "Input Sequence Length,2.67,2.00,4.00,3.96,3.80,3.60,3.00,2.00,2.00\r\n"
            "\r\n"
            "Metric,Value\r\n"
            "Output Token Throughput (per sec),4.49\r\n"
            "Request Throughput (per sec),1.50\r\n");
}

TEST(GenaiPerfExport, WithoutAStreamTheCsvHasNoTokenTimes) {
  load::BenchOptions unstreamed = options();
  unstreamed.stream = false;
  Measurement all = measurement();
  for (RequestRecord& record : all.records)
    record.streamed = false, record.event_ns.resize(1), record.text_ends = {4};
  const GenaiPerfSummary summary = genai_perf_summary(unstreamed, all, "x");
  EXPECT_TRUE(summary.csv.starts_with(
      "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\nRequest Latency (ms),"))
      << summary.csv;
  const auto json = nlohmann::json::parse(summary.json);
  EXPECT_FALSE(json.contains("inter_token_latency"));
  EXPECT_EQ(json["time_to_first_token"]["avg"], json["request_latency"]["avg"])
      << "genai-perf takes the only response as the first token";
}

TEST(GenaiPerfExport, AnAnswerInOneEventHasAnInterTokenLatencyOfZero) {
  Measurement all = measurement();
  all.records.resize(3);
  all.records[2].event_ns.resize(1);
  const auto json = nlohmann::json::parse(genai_perf_summary(options(), all, "x").json);
  EXPECT_EQ(json["inter_token_latency"]["min"], 0);
  EXPECT_EQ(json["inter_token_latency"]["max"], 1.5);
}

TEST(GenaiPerfExport, GoodputIsExportedIfItWasRequested) {
  Measurement all = measurement();
  all.metrics.push_back({.row = measure::find_metric("goodput_rps"), .value = 1.25});
  const GenaiPerfSummary summary = genai_perf_summary(options(), all, "x");
  EXPECT_EQ(nlohmann::json::parse(summary.json)["request_goodput"]["avg"], 1.25);
  EXPECT_TRUE(summary.csv.ends_with(
      "Request Throughput (per sec),1.50\r\nRequest Goodput (per sec),1.25\r\n"))
      << summary.csv;
}

TEST(GenaiPerfExport, TextEndsAreKeptOnlyIfRequested) {
  truth::Server server(truth::always(truth::at_once(truth::stream())));
  load::BenchOptions with = options();
  with.urls = {server.url()};
  with.loads = {{.kind = Load::Kind::closed, .concurrency = 1}};
  with.requests = 1;
  with.osl = 4;
  const auto ends = [&] {
    return bench_all(with, {.warmup = {}, .measured = prompts()})
        ->front()
        .records.front()
        .text_ends;
  };
  EXPECT_EQ(ends(), std::vector<std::size_t>{});
  with.keep_text_ends = true;
  EXPECT_EQ(ends(), (std::vector<std::size_t>{3, 6, 9, 12}));
}

TEST(GenaiPerfExport, EachLoadIsExportedWithItsOwnPrompts) {
  truth::Server server(truth::always(truth::stream()));
  load::BenchOptions with = options();
  with.urls = {server.url()};
  with.loads = {{.kind = Load::Kind::closed, .concurrency = 1},
                {.kind = Load::Kind::closed, .concurrency = 1}};
  with.requests = 1;
  with.osl = 4;
  const auto measured = bench_all(with, {.warmup = {}, .measured = prompts()});
  ASSERT_TRUE(measured.ok());
  const auto prompt = [&](std::size_t load) {
    return nlohmann::json::parse(
        profile_export(with, prompts(), measured->at(load),
                       "v"))["experiments"][0]["requests"][0]["request_inputs"]["text_input"];
  };
  EXPECT_EQ(prompt(0), "of another load");
  EXPECT_EQ(prompt(1), "one \"p\"");
}

}  // namespace export_genai_perf_test
}  // namespace orch::record
