// What may be asked, and the words for what may not.
#include "best/best_question.hpp"

#include <gtest/gtest.h>

namespace orch::best {
namespace best_question_test {

const std::vector<std::string> k_columns = {
    "point", "isl",        "osl",       "tp",          "ttft_ms",       "ttft_ms_p99",
    "model", "output_tps", "my_metric", "goodput_rps", "requests_per_s"};

std::string error_of(const Asked& asked) {
  const auto question = question_of(asked, k_columns);
  return question ? "" : question.error().text();
}

TEST(Question, NeedsWhatIsBest) {
  EXPECT_EQ(error_of({}),
            "say what is best: --maximize output_tps, --minimize ttft_ms_p99, or both as --pareto "
            "output_tps,ttft_ms");
  EXPECT_NE(error_of({.maximize = "output_tps", .minimize = "ttft_ms"}).find("exclude"),
            std::string::npos);
}

TEST(Question, NamesTheNearestColumn) {
  EXPECT_EQ(error_of({.maximize = "output_tp"}),
            "--maximize: the results have no column 'output_tp'; did you mean 'output_tps'?");
  EXPECT_EQ(error_of({.maximize = "output_tps", .subject_to = "ttft_ms_p9 < 50"}),
            "--subject-to: the results have no column 'ttft_ms_p9'; did you mean 'ttft_ms_p99'?");
  EXPECT_EQ(error_of({.maximize = "output_tps", .by = {"modell"}}),
            "--by: the results have no column 'modell'; did you mean 'model'?");
  EXPECT_EQ(error_of({.maximize = "output_tps", .subject_to = "TTFT_MS < 50"}), "");
}

TEST(Question, GroupsByLengthAsBothLengths) {
  const auto question =
      question_of({.maximize = "output_tps", .by = {"model", "length"}}, k_columns);
  EXPECT_EQ(question->by, (std::vector<std::string>{"model", "isl", "osl"}));
}

TEST(Front, KnowsTheBetterDirectionOfOurMetrics) {
  const auto question = question_of({.front = "output_tps,ttft_ms"}, k_columns);
  EXPECT_EQ(question->front[0].direction, report::Direction::higher_is_better);
  EXPECT_EQ(question->front[1].direction, report::Direction::lower_is_better);
}

TEST(Front, AsksForTheDirectionOfOthers) {
  EXPECT_EQ(
      error_of({.front = "output_tps,my_metric"}),
      "--pareto: whether a higher my_metric is better is not known; write my_metric:higher or "
      "my_metric:lower");
  const auto question = question_of({.front = "output_tps,my_metric:lower"}, k_columns);
  EXPECT_EQ(question->front[1].direction, report::Direction::lower_is_better);
  EXPECT_NE(error_of({.front = "output_tps"}), "");
  EXPECT_EQ(error_of({.front = "output_tps,output_tps"}),
            "--pareto takes two different columns: a column has no front against itself");
}

TEST(PerCost, NeedsAPriceAndSaysTheLineToAdd) {
  EXPECT_EQ(error_of({.maximize = "output_tps", .per = "cost", .prices = {.file = "/s/site.yaml"}}),
            "--per cost needs a price: add `prices: {gpu_hour: 2.50, currency: USD}` (or "
            "machine_hour, for a machine without GPUs) to /s/site.yaml");
}

TEST(PerCost, NeedsAThroughput) {
  EXPECT_NE(error_of({.minimize = "ttft_ms", .per = "cost", .prices = {.gpu_hour = 1}}), "");
  EXPECT_EQ(error_of({.maximize = "output_tps", .per = "cost", .prices = {.gpu_hour = 1}}), "");
}

double factor(const Question& question, const std::map<std::string, double>& row) {
  const auto value_of = [&](const std::string& column) -> std::optional<double> {
    const auto found = row.find(column);
    return found == row.end() ? std::nullopt : std::optional(found->second);
  };
  return factor_of(question, value_of).value.value_or(-1);
}

TEST(Factor, IsPerGpuOfTheServer) {
  EXPECT_DOUBLE_EQ(factor({.per = Per::gpu}, {{"output_tps", 800}, {"output_tps_per_gpu", 200}}),
                   0.25);
  EXPECT_EQ(factor({.per = Per::gpu}, {{"output_tps", 800}}), -1);
}

TEST(Factor, IsPerJouleOnlyWherePowerIsKnown) {
  EXPECT_DOUBLE_EQ(factor({.per = Per::joule}, {{"power_w", 400}}), 1.0 / 400);
  EXPECT_EQ(factor({.per = Per::joule}, {}), -1);
}

TEST(Factor, CountsGoodRequestsOnlyUnderALimitOfLatency) {
  const std::map<std::string, double> row = {
      {"output_tps", 800}, {"requests_per_s", 10}, {"goodput_rps", 8}};
  auto question = question_of({.maximize = "output_tps",
                               .subject_to = "ttft_ms_p99 < 50",
                               .per = "cost",
                               .prices = {.machine_hour = 2}},
                              k_columns);
  EXPECT_DOUBLE_EQ(factor(*question, row), 3600 / 2.0 * 0.8);
  question->condition = {};
  EXPECT_DOUBLE_EQ(factor(*question, row), 3600 / 2.0);
}

TEST(Unit, NamesWhatTheFigureIsPer) {
  const auto question = question_of(
      {.maximize = "output_tps", .per = "cost", .prices = {.gpu_hour = 1, .currency = "EUR"}},
      k_columns);
  EXPECT_EQ(unit_of(*question), "tokens per EUR");
}

}  // namespace best_question_test
}  // namespace orch::best
