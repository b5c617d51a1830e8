// Triton's statistics of models: parsing, and the times of a window from pages before and after it.
#include "bench/observe/model_statistics.hpp"

#include <gtest/gtest.h>

namespace orch::observe {
namespace model_statistics_test {

// An entry in the format of Triton 24.10, with fields that the parser ignores.
std::string entry(const std::string& name, int requests, int batch = 1, int failed = 0) {
  const auto spent = [](int count, int ms) {
    return fmt::format(R"({{"count":{},"ns":{}}})", count,
                       static_cast<std::int64_t>(count) * ms * 1'000'000);
  };
  return fmt::format(
      R"({{"name":"{}","version":"1","last_inference":1732200000000,"inference_count":{},"execution_count":{},"inference_stats":{{"success":{},"fail":{},)"
      R"("queue":{},"compute_input":{},"compute_infer":{},"compute_output":{},"cache_hit":{},"cache_miss":{}}},"response_stats":{{}},)"
      R"("batch_stats":[{{"batch_size":1,"compute_input":{{"count":1,"ns":2}}}}],"memory_usage":[]}})",
      name, requests * batch, requests, spent(requests, 30), spent(failed, 1), spent(requests, 2),
      spent(requests, 1), spent(requests, 25), spent(requests, 2), spent(0, 0), spent(0, 0));
}

std::string page(const std::vector<std::string>& entries) {
  return fmt::format(R"({{"model_stats":[{}]}})", fmt::join(entries, ","));
}

StatisticsPage parsed(const std::vector<std::string>& entries) {
  return parse_model_statistics(page(entries)).value();
}

TEST(ModelStatistics, HoldCountsAndTimesPerModel) {
  const StatisticsPage models = parsed({entry("tensorrt_llm", 4), entry("ensemble", 4, 2, 3)});
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].model, "ensemble") << "models are sorted by name";
  EXPECT_EQ(models[0].version, "1");
  EXPECT_EQ(models[0].inference_count, 8u);
  EXPECT_EQ(models[0].execution_count, 4u);
  EXPECT_EQ(models[0].success, (Spent{4, 120'000'000}));
  EXPECT_EQ(models[0].fail, (Spent{3, 3'000'000}));
  EXPECT_EQ(models[0].queue, (Spent{4, 8'000'000}));
  EXPECT_EQ(models[0].compute_input, (Spent{4, 4'000'000}));
  EXPECT_EQ(models[0].compute_infer, (Spent{4, 100'000'000}));
  EXPECT_EQ(models[0].compute_output, (Spent{4, 8'000'000}));
}

TEST(ModelStatistics, OfAWindowAreDifferencesAndMeansPerRequest) {
  const std::vector<StatisticsPage> before = {parsed({entry("ensemble", 10), entry("idle", 5)})};
  const std::vector<StatisticsPage> after = {
      parsed({entry("ensemble", 14, 1, 2), entry("idle", 5), entry("fresh", 3)})};
  const auto times = model_times(before, after);
  ASSERT_EQ(times.size(), 2u) << "an idle model is left out";
  EXPECT_EQ(times[0].model, "ensemble");
  EXPECT_EQ(times[0].requests, 4u);
  EXPECT_EQ(times[0].failed, 2u);
  EXPECT_EQ(times[0].executions, 4u);
  EXPECT_DOUBLE_EQ(times[0].request_ms.value(), 30);
  EXPECT_DOUBLE_EQ(times[0].queue_ms.value(), 2);
  EXPECT_DOUBLE_EQ(times[0].compute_input_ms.value(), 1);
  EXPECT_DOUBLE_EQ(times[0].compute_infer_ms.value(), 25);
  EXPECT_DOUBLE_EQ(times[0].compute_output_ms.value(), 2);
  EXPECT_FALSE(times[0].restarted);
  EXPECT_EQ(times[1].model, "fresh") << "a new model starts at zero";
  EXPECT_EQ(times[1].requests, 3u);
}

TEST(ModelStatistics, OfAReloadedModelCountFromItsReload) {
  const std::vector<StatisticsPage> before = {parsed({entry("m", 10)})},
                                    after = {parsed({entry("m", 3)})};
  const auto times = model_times(before, after);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_TRUE(times[0].restarted);
  EXPECT_EQ(times[0].requests, 3u);
}

TEST(ModelStatistics, OfSeveralServersAreDifferencesPerServerAddedUp) {
  const std::vector<StatisticsPage> before = {parsed({entry("m", 10)}), parsed({entry("m", 20)})};
  const std::vector<StatisticsPage> after = {parsed({entry("m", 12)}), parsed({entry("m", 5)})};
  const auto times = model_times(before, after);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].requests, 2u + 5u)
      << "the second server reloaded the model, which a difference of sums would hide";
  EXPECT_TRUE(times[0].restarted);
}

TEST(ModelStatistics, RevealRequestsOfOtherClients) {
  std::vector<ModelTimes> times(2);
  times[0].model = "ensemble";
  times[0].requests = 62;
  times[1].model = "postprocessing";
  times[1].requests = 900;
  EXPECT_EQ(foreign_requests_warning(times, "ensemble", 40),
            "the server counts 62 requests of ensemble in the window, the client sent 40: another "
            "client used the server");
  EXPECT_EQ(foreign_requests_warning(times, "ensemble", 60), std::nullopt)
      << "a count of the server may lag";
  EXPECT_EQ(foreign_requests_warning(times, "ensemble", 62), std::nullopt);
}

TEST(ModelStatistics, HaveNoMeansIfAllRequestsFailed) {
  const std::vector<StatisticsPage> before = {parsed({entry("m", 0)})},
                                    after = {parsed({entry("m", 0, 1, 2)})};
  const auto times = model_times(before, after);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].failed, 2u);
  EXPECT_EQ(times[0].queue_ms, std::nullopt);
}

// --- hostile pages ---

TEST(HostileModelStatistics, WithoutAListAreAnError) {
  for (const char* text :
       {"", "nothing", "{", "[]", R"({"error":"no such page"})", R"({"model_stats":{}})"})
    EXPECT_EQ(parse_model_statistics(text).error().message,
              "model statistics without a list 'model_stats'")
        << text;
  EXPECT_EQ(
      parse_model_statistics(R"({"model_stats":)" + std::string(100'000, '[')).error().message,
      "model statistics are nested deeper than 16");
}

TEST(HostileModelStatistics, LeaveOutUnnamedAndRepeatedModelsAndAreBounded) {
  EXPECT_EQ(parsed({"7", "{}", R"({"name":""})", R"({"name":7})",
                    fmt::format(R"({{"name":"{}"}})", std::string(300, 'x'))}),
            StatisticsPage{});
  const StatisticsPage twice = parsed({entry("m", 1), entry("m", 9)});
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_EQ(twice[0].success.count, 1u);
  std::vector<std::string> many;
  for (std::size_t i = 0; i < k_most_models + 5; ++i)
    many.push_back(fmt::format(R"({{"name":"m{}"}})", i));
  EXPECT_EQ(parsed(many).size(), k_most_models);
}

TEST(HostileModelStatistics, ReadInvalidCountsAsZero) {
  const StatisticsPage models = parsed(
      {R"({"name":"m","version":1,"inference_count":-3,"execution_count":1e300,"inference_stats":{"success":{"count":"x","ns":1.5},"fail":7}})"});
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0], (ModelStatistics{.model = "m",
                                        .version = "",
                                        .success = {},
                                        .fail = {},
                                        .queue = {},
                                        .compute_input = {},
                                        .compute_infer = {},
                                        .compute_output = {},
                                        .cache_hit = {},
                                        .cache_miss = {}}));
}

}  // namespace model_statistics_test
}  // namespace orch::observe
