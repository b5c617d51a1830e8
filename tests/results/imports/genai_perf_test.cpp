// genai-perf's report of three generations, and aiperf's, as JSON and CSV.
#include "results/imports/reading_of.hpp"

namespace orch::imports {
namespace genai_perf_test {

constexpr std::string_view k_flat = R"({
  "request_throughput": {"unit": "requests/sec", "avg": 12.5},
  "request_latency": {"unit": "ms", "avg": 325.5, "p25": 295, "p50": 322, "p99": 440, "min": 245,
                      "max": 441, "std": 40.5},
  "time_to_first_token": {"unit": "ns", "avg": 65500000, "p99": 159000000},
  "inter_token_latency": {"unit": "ms", "avg": 7.5, "p90": 9.5},
  "output_token_throughput": {"unit": "tokens/sec", "avg": 438.5},
  "output_token_throughput_per_request": {"unit": "tokens/sec", "avg": 110.25},
  "output_sequence_length": {"unit": "tokens", "avg": 35.5, "max": 54},
  "input_sequence_length": {"unit": "tokens", "avg": 32},
  "input_config": {"model": ["ensemble"], "concurrency": 4, "request_rate": null,
                   "backend": "tensorrtllm", "streaming": true, "output_tokens_mean": 32,
                   "synthetic_input_tokens_mean": 550, "prompt_source": "file"}})";

constexpr std::string_view k_nested = R"({
  "request_latency": {"unit": "ms", "avg": 20, "p1": 15},
  "request_count": {"unit": "count", "avg": 60},
  "output_token_throughput_per_user": {"unit": "tokens/sec/user", "avg": 130},
  "time_to_second_token": {"unit": "ms", "avg": 3.5},
  "input_config": {"model_names": ["m"],
                   "endpoint": {"type": "kserve", "backend": "tensorrtllm", "streaming": true},
                   "input": {"synthetic_tokens": {"mean": 200, "std": 0},
                             "output_tokens": {"mean": 50}},
                   "perf_analyzer": {"stimulus": {"request_rate": 2.5}}}})";

TEST(GenaiPerf, OfFlatConfigurationsGivesFiguresUnderOurNamesInOurUnits) {
  EXPECT_EQ(format_of(k_flat), "genai-perf-json");
  const Reading reading = read(k_flat).at(0);
  EXPECT_EQ(reading.tool, "genai-perf");
  EXPECT_EQ(figure(reading, "requests_per_s"), 12.5);
  EXPECT_EQ(figure(reading, "request_latency_ms"), 325.5);
  EXPECT_EQ(figure(reading, "request_latency_ms", "sd"), 40.5);
  EXPECT_EQ(figure(reading, "request_latency_ms_p25"), 295) << "records have no column for p25";
  EXPECT_NEAR(figure(reading, "ttft_ms"), 65.5, 1e-9) << "nanoseconds become milliseconds";
  EXPECT_NEAR(figure(reading, "ttft_ms", "p99"), 159, 1e-9);
  EXPECT_EQ(figure(reading, "itl_ms", "p90"), 9.5);
  EXPECT_EQ(figure(reading, "output_tps"), 438.5);
  EXPECT_EQ(figure(reading, "genai_perf_output_token_throughput_per_request_tps"), 110.25)
      << "prefill included: not our output_tps_per_user";
  EXPECT_EQ(figure(reading, "osl_counted", "max"), 54);
  EXPECT_EQ(parameter(reading, "model"), "ensemble");
  EXPECT_EQ(parameter(reading, "concurrency"), "4");
  EXPECT_EQ(parameter(reading, "request_rate"), "");
  EXPECT_EQ(parameter(reading, "osl"), "32");
  EXPECT_EQ(parameter(reading, "isl"), "") << "the prompts came from a file";
}

TEST(GenaiPerf, OfNestedConfigurationsGivesTheSame) {
  const Reading reading = read(k_nested).at(0);
  EXPECT_EQ(figure(reading, "output_tps_per_user"), 130);
  EXPECT_EQ(figure(reading, "ttst_ms"), 3.5);
  EXPECT_EQ(figure(reading, "genai_perf_request_count"), 60);
  EXPECT_EQ(parameter(reading, "model"), "m");
  EXPECT_EQ(parameter(reading, "request_rate"), "2.5");
  EXPECT_EQ(parameter(reading, "isl"), "200");
  EXPECT_EQ(parameter(reading, "osl"), "50");
  EXPECT_THAT(reading.expected, testing::Contains("itl_ms"));
}

TEST(GenaiPerf, CsvHasThousandsSeparatedByCommas) {
  const std::string text =
      "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\n"
      "Time To First Token (ms),65.54,19.71,159.64,159.14,140.35,102.77,93.31,57.83,38.08\r\n"
      "Request Latency (ms),\"1,325.36\",245.18,440.58,440.56,420.36,366.39,346.50,322.45,N/A\r\n"
      "Output Sequence Length,35.87,32.00,54.00,49.87,43.20,40.00,37.00,35.00,34.00\r\n"
      "\r\n"
      "Metric,Value\r\n"
      "Output Token Throughput (per sec),438.58\r\n"
      "Request Throughput (per sec),12.23\r\n"
      "\r\n"
      "Metric,GPU,avg,min,max,p99,p95,p90,p75,p50,p25\r\n";
  EXPECT_EQ(format_of(text), "genai-perf-csv");
  const Reading reading = read(text).at(0);
  EXPECT_EQ(figure(reading, "request_latency_ms"), 1325.36);
  EXPECT_EQ(figure(reading, "ttft_ms", "p99"), 159.14);
  EXPECT_EQ(figure(reading, "osl_counted"), 35.87);
  EXPECT_EQ(figure(reading, "output_tps"), 438.58);
  EXPECT_EQ(figure(reading, "requests_per_s"), 12.23);
}

TEST(GenaiPerf, NamesFieldValueAndRemedyOfWhatIsWrong) {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(k_flat);
    text.replace(text.find(from), from.size(), to);
    return error_of(text, "run/genai.json");
  };
  EXPECT_EQ(with("\"avg\": 325.5", "\"avg\": -1"),
            "run/genai.json: request_latency.avg '-1': -1 is less than 0; correct it, or remove "
            "the field");
  EXPECT_EQ(with("\"avg\": 325.5", "\"avg\": \"325\""),
            "run/genai.json: request_latency.avg '325': a number is needed here");
  EXPECT_EQ(with("\"unit\": \"ns\"", "\"unit\": \"days\""),
            "run/genai.json: time_to_first_token.unit 'days': a unit of time is needed: ns, us, ms "
            "or s");
  EXPECT_EQ(with("\"concurrency\": 4", "\"concurrency\": 0.5"),
            "run/genai.json: input_config.concurrency '0.5': a whole number from 1 to "
            "1000000000000 is needed here");
  EXPECT_THAT(with("\"avg\": 325.5", "\"avg\": Nan"),
              testing::StartsWith("run/genai.json:3: this is not JSON"));
  EXPECT_EQ(with("\"avg\": 325.5", "\"avg\": 1e999"),
            "run/genai.json:1: a number is out of range; correct it in the file");
  EXPECT_EQ(with("\"p99\": 440", "\"p99\": 440, \"p99\": 441"),
            "run/genai.json: the key 'p99' occurs twice in one object; export the file again with "
            "the tool that made it");
  EXPECT_THAT(error_of(k_flat.substr(0, k_flat.size() - 40), "cut.json"),
              testing::HasSubstr("the JSON ends too early: the file was cut off"));
}

constexpr std::string_view k_aiperf = R"({
  "schema_version": "1.4", "aiperf_version": "0.13.0",
  "request_latency": {"unit": "ms", "avg": 50, "p99": 60, "std": 2},
  "time_to_first_token": {"unit": "ms", "avg": 10},
  "inter_token_latency": {"unit": "ms", "avg": 2.5},
  "inter_chunk_latency": {"unit": "ms", "avg": 2.25},
  "request_throughput": {"unit": "requests/sec", "avg": 8},
  "output_token_throughput": {"unit": "tokens/sec", "avg": 130},
  "benchmark_duration": {"unit": "sec", "avg": 7.5},
  "min_request_timestamp": {"unit": "ns", "avg": 1795581517351901635},
  "was_cancelled": false,
  "input_config": {"endpoint": {"model_names": ["ensemble"], "streaming": true},
                   "loadgen": {"concurrency": 4}}})";

TEST(Aiperf, JsonHasGenaiPerfsNamesAndSaysWhoseItIs) {
  EXPECT_EQ(format_of(k_aiperf), "aiperf-json");
  const Reading reading = read(k_aiperf).at(0);
  EXPECT_EQ(reading.tool, "aiperf");
  EXPECT_EQ(reading.tool_version, "0.13.0");
  EXPECT_EQ(figure(reading, "itl_ms"), 2.5);
  EXPECT_EQ(figure(reading, "event_gap_ms"), 2.25);
  EXPECT_EQ(figure(reading, "output_tps"), 130);
  EXPECT_EQ(figure(reading, "aiperf_benchmark_duration_s"), 7.5);
  EXPECT_EQ(parameter(reading, "concurrency"), "4");
  EXPECT_EQ(parameter(reading, "model"), "ensemble");
  EXPECT_EQ(reading.invalid, "");
}

TEST(Aiperf, TakesTheLoadOfThePhaseThatCounts) {
  const Reading reading = read(R"({"aiperf_version": "0.13.0",
    "http_req_waiting": {"unit": "ms", "avg": 1},
    "effective_concurrency": {"unit": "requests", "avg": 3.5, "p25": 1, "p99": 4},
    "input_config": {"models": {"items": [{"name": "ensemble"}]}, "phases": [
      {"kind": "warmup", "exclude_from_results": true, "concurrency": 1},
      {"kind": "profiling", "concurrency": 4}]}})")
                              .at(0);
  EXPECT_EQ(parameter(reading, "model"), "ensemble");
  EXPECT_EQ(parameter(reading, "concurrency"), "4");
  EXPECT_EQ(figure(reading, "aiperf_effective_concurrency", "p99"), 4);
  EXPECT_EQ(reading.figures.size(), 1u)
      << "neither p25 of a figure that is not ours, nor http_req_*";
}

TEST(Aiperf, RecordsBecomeRequests) {
  const std::string lines =
      R"({"metadata": {"request_start_ns": 1000000000, "request_end_ns": 1000000100, "benchmark_phase": "warmup"}, "metrics": {}, "error": null})"
      "\n"
      R"({"metadata": {"request_start_ns": 2000000000, "request_end_ns": 2050000000, "benchmark_phase": "profiling", "was_cancelled": false}, "metrics": {"input_sequence_length": {"value": 550, "unit": "tokens"}, "time_to_first_token": {"value": 20, "unit": "ms"}, "request_latency": {"value": 50, "unit": "ms"}, "inter_chunk_latency": {"value": [10, 20], "unit": "ms"}, "output_sequence_length": {"value": 4, "unit": "tokens"}}, "error": null})"
      "\n\n"
      R"({"metadata": {"request_start_ns": 1900000000, "request_end_ns": 1901000000}, "metrics": {}, "error": {"code": 500, "type": "X", "message": "broken"}})"
      "\n";
  EXPECT_EQ(format_of(lines), "aiperf-jsonl");
  const KeptRequests kept = read(lines).at(0).requests;
  ASSERT_EQ(kept.records.size(), 2u) << "the warm-up is left out";
  EXPECT_EQ(kept.wall_start_ns, 1900000000);
  EXPECT_EQ(kept.records[0].error, "broken");
  EXPECT_EQ(kept.records[0].status, 500);
  const measure::RequestRecord& record = kept.records[1];
  EXPECT_EQ(record.sent_ns, 100000000) << "sorted by their sends, the first at 0";
  EXPECT_EQ(record.index, 1);
  EXPECT_THAT(record.event_ns, testing::ElementsAre(120000000, 130000000, 150000000));
  EXPECT_EQ(record.isl, 550);
  EXPECT_EQ(record.osl_counted, 4);
  EXPECT_EQ(error_of(lines + "{\"metadata\": {\"request_start_ns\": \"x\"}}\n", "a.jsonl"),
            "a.jsonl:5: metadata.request_start_ns 'x': a whole number from 0 to "
            "9223372036854775807 is needed here");
}

TEST(GenaiPerf, AnErrorShowsControlCharactersOfAKeyAsEscapes) {
  const std::string error = error_of(
      R"({"request_throughput": {"unit": "requests/sec", "avg": 100},
          "request_latency": {"unit": "ms", "avg": 12},
          "odd\u0001name": {"unit": "ms", "avg": 1e300}, "input_config": {"model": ["m"]}})");
  EXPECT_THAT(error, testing::HasSubstr("odd\\x01name.avg"));
}

}  // namespace genai_perf_test
}  // namespace orch::imports
