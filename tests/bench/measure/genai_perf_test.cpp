// The metric table against genai-perf's own report over the same profile export. Each
// NAME.export.json in data/ comes with NAME.tokens.json (token counts per request) and
// NAME.genai_perf.json (genai-perf's report). ORCH_GENAI_PERF_DATA names another such folder: `make
// test-genai-perf` fills one with a new measurement of the real tools.
#include "bench/measure/genai_perf.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::measure {
namespace genai_perf_test {

namespace fs = std::filesystem;

const fs::path k_repository_data = fs::path(ORCH_SOURCE_DIR) / "tests/bench/measure/data";
const char* const k_other_folder = std::getenv("ORCH_GENAI_PERF_DATA");
const fs::path k_data = k_other_folder != nullptr ? fs::path(k_other_folder) : k_repository_data;
constexpr std::string_view k_export = ".export.json";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> exports() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(k_data))
    if (const std::string name = entry.path().filename().string(); name.ends_with(k_export))
      names.push_back(name.substr(0, name.size() - k_export.size()));
  std::sort(names.begin(), names.end());
  return names;
}

TokenCounts tokens_of(const fs::path& data, const std::string& name) {
  const auto json = nlohmann::json::parse(text_of(data / (name + ".tokens.json")));
  return {.input = json.at("input").get<std::vector<std::int64_t>>(),
          .output = json.at("output").get<std::vector<std::int64_t>>()};
}

// genai-perf's names of metrics and statistics.
constexpr std::pair<const char*, const char*> k_metrics[] = {
    {"request_latency", "request_latency_ms"},
    {"time_to_first_token", "ttft_ms"},
    {"inter_token_latency", "itl_ms"},
    {"time_to_second_token", "ttst_ms"},
    {"output_token_throughput", "output_tps"},
    {"request_throughput", "requests_per_s"},
    {"output_sequence_length", "osl_counted"},
    {"input_sequence_length", "isl_counted"},
    {"output_token_throughput_per_user", "output_tps_per_user"},
};
constexpr std::pair<const char*, double Statistics::*> k_statistics[] = {
    {"avg", &Statistics::mean}, {"std", &Statistics::sd},  {"min", &Statistics::min},
    {"max", &Statistics::max},  {"p50", &Statistics::p50}, {"p90", &Statistics::p90},
    {"p95", &Statistics::p95},  {"p99", &Statistics::p99},
};

// Percentiles that genai-perf reports and that Statistics does not have.
constexpr std::pair<const char*, double> k_quartiles[] = {{"p25", 0.25}, {"p75", 0.75}};

void expect_equal(double ours, double theirs, const std::string& what) {
  EXPECT_NEAR(ours, theirs, 1e-9 * std::abs(theirs)) << what;
}

// One value per request that has one: the metric over a window of that request alone.
std::vector<double> sorted_values(const ProfileExperiment& experiment,
                                  std::string_view metric_name) {
  std::vector<double> values;
  for (const RequestRecord& record : experiment.records) {
    Window alone = genai_perf_window(experiment);
    alone.records = std::span(&record, 1);
    for (const Metric& metric : metrics_of(alone))
      if (metric.row->name == metric_name)
        values.push_back(std::get<Statistics>(metric.value).mean);
  }
  std::sort(values.begin(), values.end());
  return values;
}

class SameExport : public testing::TestWithParam<std::string> {};

TEST_P(SameExport, GivesTheValuesThatGenaiPerfReported) {
  const auto experiments = read_profile_export(
      text_of(k_data / (GetParam() + std::string(k_export))), tokens_of(k_data, GetParam()));
  ASSERT_TRUE(experiments.ok()) << experiments.error().text();
  ASSERT_EQ(experiments->size(), 1u);
  std::map<std::string_view, MetricValue> ours;
  for (const Metric& metric : metrics_of(genai_perf_window(experiments->front())))
    ours[metric.row->name] = metric.value;
  const auto theirs = nlohmann::json::parse(text_of(k_data / (GetParam() + ".genai_perf.json")));
  int compared = 0;
  for (const auto& [their_name, our_name] : k_metrics) {
    if (!theirs.contains(their_name)) continue;
    ASSERT_TRUE(ours.contains(our_name)) << our_name;
    const auto* all = std::get_if<Statistics>(&ours[our_name]);
    if (all == nullptr) {
      expect_equal(std::get<double>(ours[our_name]), theirs[their_name]["avg"], our_name);
      ++compared;
      continue;
    }
    for (const auto& [statistic, field] : k_statistics)
      expect_equal(all->*field, theirs[their_name][statistic],
                   std::string(our_name) + " " + statistic);
    const std::vector<double> values = sorted_values(experiments->front(), our_name);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(all->n)) << our_name;
    for (const auto& [statistic, share] : k_quartiles)
      expect_equal(percentile(values, share), theirs[their_name][statistic],
                   std::string(our_name) + " " + statistic);
    compared += static_cast<int>(std::size(k_statistics) + std::size(k_quartiles));
  }
  EXPECT_GE(compared, 52) << "two throughputs and ten statistics of five metrics";
  if (!HasFailure())
    std::cout << GetParam() << ": " << experiments->front().records.size() << " requests, "
              << compared << " figures equal to genai-perf's\n";
}

INSTANTIATE_TEST_SUITE_P(GenaiPerf, SameExport, testing::ValuesIn(exports()),
                         [](const auto& name) { return name.param; });

TEST(GenaiPerf, ThreeRequestsHaveTheValuesOfEveryRelease) {
  const auto experiments =
      read_profile_export(text_of(k_repository_data / "three_requests.export.json"),
                          tokens_of(k_repository_data, "three_requests"));
  ASSERT_TRUE(experiments.ok());
  for (const Metric& metric : metrics_of(genai_perf_window(experiments->front()))) {
    if (metric.row->name == "itl_ms") {
      EXPECT_NEAR(std::get<Statistics>(metric.value).mean, 400.0 / 3, 1e-9);
    } else if (metric.row->name == "ttft_ms") {
      EXPECT_NEAR(std::get<Statistics>(metric.value).mean, 500.0 / 3, 1e-9);
    } else if (metric.row->name == "output_tps") {
      EXPECT_NEAR(std::get<double>(metric.value), 7 / 0.45, 1e-9);
    } else if (metric.row->name == "requests_per_s") {
      EXPECT_NEAR(std::get<double>(metric.value), 3 / 0.45, 1e-9);
    }
  }
}

TEST(GenaiPerf, RejectsExportsAndCountsThatDoNotMatch) {
  const std::string text = text_of(k_repository_data / "three_requests.export.json");
  EXPECT_EQ(read_profile_export(text, {.input = {1, 2}, .output = {1, 2}}).error().message,
            "the export has more requests than token counts were given (2 input, 2 output)");
  EXPECT_EQ(
      read_profile_export(text, {.input = {1, 2, 3, 4}, .output = {1, 2, 3, 4}}).error().message,
      "the export has 3 requests, the token counts 4 (input) and 4 (output)");
  EXPECT_TRUE(read_profile_export("{}", {}).error().message.starts_with(
      "this is not a profile export of perf_analyzer with text_output responses: "));
}

}  // namespace genai_perf_test
}  // namespace orch::measure
