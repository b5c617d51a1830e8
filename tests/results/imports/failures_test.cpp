// Files of measurements in which requests failed.
#include "results/imports/figures.hpp"
#include "results/imports/gather.hpp"
#include "results/imports/reading_of.hpp"

namespace orch::imports {
namespace failures_test {

std::string vllm(std::string_view counts, double times = 0) {
  return fmt::format(
      R"({{"model_id": "m", "num_prompts": 200, "max_concurrency": 16, "duration": 12.5, {},
"request_throughput": {}, "output_throughput": {}, "total_token_throughput": {},
"mean_ttft_ms": {}, "p99_ttft_ms": {}, "mean_tpot_ms": {}, "mean_itl_ms": {}}})",
      counts, times, times, times, times, times, times, times);
}

TEST(Failures, WithoutASuccessTheFiguresDoNotCount) {
  for (const char* counts :
       {R"("completed": 0, "failed": 200)", R"("completed": 0)", R"("completed": 0.0)"}) {
    const Reading reading = read(vllm(counts)).at(0);
    EXPECT_EQ(reading.invalid, "no request succeeded: 200 of 200 failed") << counts;
    EXPECT_EQ(figure(reading, "error_rate"), 1);
    EXPECT_EQ(figure(reading, "vllm_duration_s"), 12.5);
    for (const char* name : {"ttft_ms", "tpot_ms", "event_gap_ms", "output_tps", "requests_per_s",
                             "vllm_total_token_throughput_tps"})
      EXPECT_TRUE(std::isnan(figure(reading, name))) << name;
    Gathered one{.format = find_format("vllm-json"), .reading = reading, .files = {{"f", "s"}}};
    const auto measured = measurements_of(one);
    ASSERT_EQ(measured.size(), 1u);
    EXPECT_FALSE(measured[0].verdict.valid);
    EXPECT_THAT(measured[0].verdict.reasons, testing::ElementsAre(reading.invalid));
    EXPECT_THAT(measured[0].by.missing, testing::Contains("ttft_ms"));
  }
}

TEST(Failures, SomeThatFailedAreARateAndAWarning) {
  for (const char* counts : {R"("completed": 150, "failed": 50)", R"("completed": 150)",
                             R"("completed": 2, "errors": ["", "", "x", ""], "failed": 0)"}) {
    const Reading reading = read(vllm(counts, 5)).at(0);
    EXPECT_EQ(reading.invalid, "");
    EXPECT_EQ(figure(reading, "ttft_ms"), 5);
    EXPECT_NEAR(figure(reading, "error_rate"), std::string(counts).ends_with("0") ? 1 / 3.0 : 0.25,
                0.09);
    EXPECT_THAT(reading.warnings, testing::ElementsAre(testing::HasSubstr("requests failed")));
  }
  EXPECT_THAT(read(vllm(R"("completed": 150, "failed": 50)", 5)).at(0).warnings,
              testing::ElementsAre("50 of 200 requests failed: the figures are of the others"));
  EXPECT_EQ(figure(read(vllm(R"("completed": 200)", 5)).at(0), "error_rate"), 0);
  EXPECT_EQ(figure(read(vllm(R"("completed": 2, "errors": ["", "x", ""])", 5)).at(0), "error_rate"),
            1 / 3.0);
}

TEST(Failures, ARequestWithNeitherTokenNorErrorFailed) {
  const Reading reading =
      read(vllm(R"("completed": 1, "failed": 1, "start_times": [1, 2], "ttfts": [0.5, 0.0],
        "itls": [[], []], "output_lens": [1, 0], "input_lens": [1, 1], "errors": ["", ""])",
                5))
          .at(0);
  ASSERT_EQ(reading.requests.records.size(), 2u);
  EXPECT_TRUE(reading.requests.records[0].ok());
  EXPECT_FALSE(reading.requests.records[1].ok());
}

TEST(Failures, OfTablesAndLinesOfOtherTools) {
  const std::string_view sglang =
      R"({"backend": "sglang", "accept_length": null, "completed": 0, "output_throughput": 0.0,
"total_output_tokens_retokenized": 0, "mean_e2e_latency_ms": 0.0, "mean_ttft_ms": 0.0,
"mean_itl_ms": 0.0, "errors": ["x", "x"]})";
  const Reading line = read(sglang).at(0);
  EXPECT_EQ(line.invalid, "no request succeeded: 2 of 2 failed");
  EXPECT_TRUE(std::isnan(figure(line, "request_latency_ms")));
  EXPECT_TRUE(std::isnan(figure(line, "sglang_itl_ms")));
  const Reading row = read(
                          "backend,dataset_name,num_promts,completed,output_throughput,"
                          "mean_ttft_ms\nlmdeploy,random,10,0,0,0\n")
                          .at(0);
  EXPECT_EQ(row.tool, "lmdeploy");
  EXPECT_EQ(row.invalid, "no request succeeded: 10 of 10 failed");
  EXPECT_TRUE(std::isnan(figure(row, "ttft_ms")));
  const Reading sweep = read(
                            "max_concurrency,request_throughput,mean_ttft_ms,completed,failed\n"
                            "8,2,5,75,25\n")
                            .at(0);
  EXPECT_EQ(figure(sweep, "error_rate"), 0.25);
}

std::string aiperf(std::string_view counts) {
  return fmt::format(R"({{"aiperf_version": "0.6.0", {},
    "request_latency": {{"unit": "ms", "avg": 50}},
    "input_config": {{"endpoint": {{"model_names": ["m"]}}}}}})",
                     counts);
}

TEST(Failures, AiperfCountsItsErrors) {
  const Reading some = read(aiperf(R"("request_count": {"unit": "requests", "avg": 60},
      "error_request_count": {"unit": "requests", "avg": 20})"))
                           .at(0);
  EXPECT_EQ(figure(some, "error_rate"), 0.25);
  EXPECT_THAT(some.warnings, testing::ElementsAre(testing::StartsWith("20 of 80 requests failed")));
  const Reading all =
      read(aiperf(R"("error_summary": [{"error_details": {"code": 500}, "count": 30},
                                       {"error_details": {"code": 503}, "count": 10}])"))
          .at(0);
  EXPECT_EQ(all.invalid, "no request succeeded: 40 of 40 failed");
  EXPECT_EQ(figure(all, "error_rate"), 1);
  EXPECT_TRUE(std::isnan(figure(all, "request_latency_ms")));
  const Reading cancelled =
      read(aiperf(R"("was_cancelled": true, "error_request_count": 3)")).at(0);
  EXPECT_EQ(cancelled.invalid,
            "aiperf was cancelled before the end of its load; no request succeeded: 3 of 3 failed");
}

TEST(Failures, GenaiPerfCountsItsRequests) {
  const Reading reading =
      read(R"({"request_count": {"unit": "count", "avg": 0}, "input_config": {"model": ["m"]},
               "request_latency": {"unit": "ms", "avg": 0}})")
          .at(0);
  EXPECT_EQ(reading.invalid, "no request succeeded");
  EXPECT_TRUE(std::isnan(figure(reading, "request_latency_ms")));
}

TEST(Failures, AReadingWithoutFiguresKeepsItsReason) {
  Gathered one{.format = find_format("aiperf-json"), .reading = {}, .files = {{"f", "s"}}};
  one.reading.invalid = "cancelled";
  EXPECT_THAT(measurements_of(one).at(0).verdict.reasons, testing::ElementsAre("cancelled"));
}

}  // namespace failures_test
}  // namespace orch::imports
