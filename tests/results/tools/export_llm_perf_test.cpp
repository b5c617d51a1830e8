// The lines of llm_perf.py, figure by figure.
#include "results/tools/export_genai_perf.hpp"

#include <gtest/gtest.h>

namespace orch::record {
namespace export_llm_perf_test {

using measure::RequestRecord;

constexpr std::int64_t k_ms = 1'000'000;

RequestRecord record(std::vector<std::int64_t> event_ns, std::optional<std::int64_t> osl) {
  RequestRecord out;
  out.event_ns = std::move(event_ns);
  out.end_ns = 2000 * k_ms;
  out.isl = 30;
  out.osl_counted = osl;
  out.answer = osl == 0 ? "" : "text";
  return out;
}

// A warm-up request, two that succeeded, one that failed.
Measurement measurement() {
  Measurement out;
  out.load.concurrency = 4;
  out.records = {record({1, 2}, 100), record({125 * k_ms, 250 * k_ms}, 3),
                 record({375 * k_ms, 750 * k_ms}, 7), record({1}, 5)};
  out.records[0].warmup = true;
  out.records[3].error = "HTTP 500: no";
  measure::Metric throughput;
  throughput.row = measure::find_metric("requests_per_s");
  throughput.value = 8.0;
  out.metrics.push_back(throughput);
  return out;
}

std::string block(std::string_view rates, std::string_view times, std::string_view counts) {
  return fmt::format(
      "------------------------------------------------------------\nRequest concurrency: "
      "4\n{}{}payload and results: {}\nthroughput: 8.0 infer/sec.\n",
      rates, times, counts);
}

constexpr std::string_view k_times =
    "average_ttft: 0.25\naverage_latency: 0.5\np99_ttft: 0.3725\np99_latency: 0.745\n";

TEST(LlmPerfExport, RatesAreTokensOverTheSumOfLatencies) {
  EXPECT_EQ(llm_perf_block(measurement()),
            block("average_input_token_per_sec: 60.0\naverage_output_token_per_sec: 10.0\n",
                  k_times, "3 2"))
      << "60 and 10 tokens in 1 s; the mean of each request's rate would be 80 and 10.67";
}

TEST(LlmPerfExport, TheTitleNamesServerProtocolAndModel) {
  EXPECT_EQ(llm_perf_title("localhost:9001", "grpc", "ensemble"),
            "triton_url: localhost:9001, protocol: grpc, model: ensemble\n");
}

TEST(LlmPerfExport, AnAnswerWithoutTextHasNoTokensThoughNothingCountedIt) {
  Measurement one = measurement();
  one.records[2].osl_counted.reset();
  one.records[2].answer.clear();
  EXPECT_EQ(llm_perf_block(one),
            block("average_input_token_per_sec: 60.0\naverage_output_token_per_sec: 3.0\n", k_times,
                  "3 2"));
}

TEST(LlmPerfExport, ATextThatNothingCountedLeavesTheRateOut) {
  Measurement one = measurement();
  one.records[2].osl_counted.reset();
  EXPECT_EQ(llm_perf_block(one), block("average_input_token_per_sec: 60.0\n", k_times, "3 2"));
}

TEST(LlmPerfExport, AnAnswerInOneBodyIsItsOwnFirstResponse) {
  Measurement one = measurement();
  for (RequestRecord& record : one.records) {
    record.streamed = false;
    if (record.has_events()) record.event_ns = {record.last_ns()};
  }
  EXPECT_EQ(llm_perf_block(one),
            block("average_input_token_per_sec: 60.0\naverage_output_token_per_sec: 10.0\n",
                  "average_ttft: 0.5\naverage_latency: 0.5\np99_ttft: 0.745\np99_latency: 0.745\n",
                  "3 2"));
}

TEST(LlmPerfExport, WithoutAnyAnswerThereAreOnlyCounts) {
  Measurement none = measurement();
  for (RequestRecord& record : none.records) record.error = "no";
  EXPECT_EQ(llm_perf_block(none), block("", "", "3 0"));
}

}  // namespace export_llm_perf_test
}  // namespace orch::record
