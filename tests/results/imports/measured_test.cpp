// The entries of a record that a reading becomes.
#include "results/imports/gather.hpp"
#include "results/imports/reading_of.hpp"

namespace orch::imports {
namespace measured_test {

// Two requests with three tokens each.
Gathered with_requests() {
  Gathered one;
  one.format = find_format("genai-perf-json");
  one.files = {{"a_genai_perf.json", "s1"}, {"a.json", "s2"}};
  Reading& reading = one.reading;
  reading.tool = "genai-perf";
  reading.parameters["concurrency"] = matrix::Value{matrix::Type::integer, "2"};
  reading.parameters["model"] = matrix::Value{matrix::Type::text, "org/m"};
  reading.figures = {{.name = "ttft_ms", .mean = 12}};
  reading.figures[0].statistics[Statistic::p99] = 20;
  reading.expected = {"ttft_ms", "ttft_ms_p99", "ttft_ms_p50", "itl_ms"};
  for (const std::int64_t sent : {0, 5'000'000}) {
    measure::RequestRecord record;
    record.sent_ns = sent;
    record.event_ns = {sent + 10'000'000, sent + 12'000'000, sent + 16'000'000};
    record.end_ns = record.event_ns.back();
    reading.requests.records.push_back(record);
    reading.requests.texts.push_back({"prompt " + std::to_string(sent), "answer"});
  }
  return one;
}

double mean_of(const record::Measurement& measurement, std::string_view name) {
  for (const measure::Metric& metric : measurement.metrics)
    if (metric.row->name == name) return metric.mean();
  return std::nan("");
}

TEST(Measured, EntriesHaveTheToolsFiguresAndOursFromItsRequests) {
  Gathered from = with_requests();
  const auto texts = texts_to_count(from.reading);
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[0], "prompt 0");
  EXPECT_EQ(texts[3], "answer");
  set_counts(from.reading, {7, 3, 9, 4});
  const auto all = measurements_of(from);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].by.definition, "genai-perf");
  EXPECT_EQ(all[0].by.origin, "a_genai_perf.json");
  EXPECT_THAT(all[0].by.missing, testing::ElementsAre("ttft_ms_p50", "itl_ms"));
  EXPECT_THAT(all[0].verdict.warnings,
              testing::Contains("client not judged: genai-perf tells nothing of its own lag"));
  EXPECT_TRUE(all[0].records.empty());
  EXPECT_EQ(all[1].by.tool, "genai-perf");
  EXPECT_EQ(all[1].by.definition, "native");
  EXPECT_EQ(all[1].by.origin_sha256, "s2");
  ASSERT_EQ(all[1].records.size(), 2u);
  EXPECT_NEAR(mean_of(all[1], "ttft_ms"), 10, 1e-9);
  EXPECT_NEAR(mean_of(all[1], "itl_ms"), (3.0 + 2.0) / 2, 1e-9);
  EXPECT_NEAR(mean_of(all[1], "isl_counted"), 8, 1e-9);
  EXPECT_NEAR(mean_of(all[1], "output_tps"), 7 / 0.021, 1e-6);
  EXPECT_EQ(all[1].counting_osl, "tokens of the text, retokenised");
  EXPECT_TRUE(all[1].verdict.valid);
}

TEST(Measured, RequestsWithoutSuccessAreNotValid) {
  Gathered from = with_requests();
  from.reading.figures.clear();
  for (auto& record : from.reading.requests.records) {
    record.error = "broken";
    record.event_ns.clear();
  }
  const auto all = measurements_of(from);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].verdict.valid);
  EXPECT_THAT(all[0].verdict.reasons, testing::ElementsAre("no request succeeded"));
}

// By hand: 20 tokens in 2.5 s, and 100 tokens times 3 requests/s.
TEST(Measured, TheRateOfInputTokensFollowsFromWhatTheFileHas) {
  const auto input_tps = [](std::string tool, std::vector<record::NamedMetric> figures) {
    Gathered one;
    one.format = find_format("vllm-json");
    one.files = {{"f.json", "s"}};
    one.reading.tool = std::move(tool);
    one.reading.figures = std::move(figures);
    const auto measured = measurements_of(one);
    for (const record::NamedMetric& figure : measured.at(0).by.figures)
      if (figure.name == "input_tps") return figure.mean;
    return std::optional<double>();
  };
  EXPECT_EQ(input_tps("vllm", {{.name = "vllm_total_input_tokens", .mean = 20},
                               {.name = "vllm_duration_s", .mean = 2.5}}),
            8);
  EXPECT_EQ(input_tps("genai-perf", {{.name = "isl_counted", .mean = 100},
                                     {.name = "requests_per_s", .mean = 3}}),
            300);
  EXPECT_EQ(input_tps("sglang", {{.name = "input_tps", .mean = 7},
                                 {.name = "isl_counted", .mean = 100},
                                 {.name = "requests_per_s", .mean = 3}}),
            7);
  EXPECT_EQ(input_tps("vllm", {{.name = "vllm_total_input_tokens", .mean = 20}}), std::nullopt);
}

TEST(Measured, TheLastRequestIsTheEndWhereTheFileHasNoDate) {
  Reading reading = with_requests().reading;
  EXPECT_EQ(ended_at(reading), std::nullopt);
  reading.requests.wall_start_ns = 1'700'000'000'000'000'000;
  EXPECT_NEAR(ended_at(reading).value(), 1.7e9 + 0.021, 1e-6);
  reading.ended_at = 5;
  EXPECT_EQ(ended_at(reading), 5);
}

TEST(Measured, PointsAreNamedByTheirParametersAndHaveTheirTool) {
  Gathered from = with_requests();
  const std::string name = name_point(from.reading);
  EXPECT_THAT(name, testing::StartsWith("org_m_c2_genai-perf-"));
  EXPECT_EQ(parameter(from.reading, "tool"), "genai-perf");
  EXPECT_EQ(name_point(from.reading), name);
  from.reading.parameters["isl"] = matrix::Value{matrix::Type::integer, "32"};
  EXPECT_NE(name_point(from.reading), name);
  from.reading.name = "own name/1";
  EXPECT_THAT(name_point(from.reading), testing::StartsWith("own_name_1-"));
}

}  // namespace measured_test
}  // namespace orch::imports
