// What may be asked, and the words for what may not.
#include "analysis/best/best_question.hpp"

#include <gtest/gtest.h>

namespace orch::best {
namespace best_question_test {

const std::vector<std::string> k_columns = {
    "point", "isl",        "osl",       "tp",          "ttft_ms",       "ttft_ms_p99",
    "model", "output_tps", "my_metric", "goodput_rps", "requests_per_s"};

const std::vector<std::string> k_parameters = {"isl", "osl", "tp", "model"};

std::string error_of(const Asked& asked) {
  const auto question = question_of(asked, k_columns, k_parameters);
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
      question_of({.maximize = "output_tps", .by = {"model", "length"}}, k_columns, k_parameters);
  EXPECT_EQ(question->by, (std::vector<std::string>{"model", "isl", "osl"}));
}

TEST(Front, KnowsTheBetterDirectionOfOurMetrics) {
  const auto question = question_of({.front = "output_tps,ttft_ms"}, k_columns, k_parameters);
  EXPECT_EQ(question->front[0].direction, report::Direction::higher_is_better);
  EXPECT_EQ(question->front[1].direction, report::Direction::lower_is_better);
}

TEST(Front, AsksForTheDirectionOfOthers) {
  EXPECT_EQ(
      error_of({.front = "output_tps,my_metric"}),
      "--pareto: it is unknown whether a higher my_metric is better; write my_metric:higher or "
      "my_metric:lower");
  const auto question =
      question_of({.front = "output_tps,my_metric:lower"}, k_columns, k_parameters);
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
  const auto value_of = [&](std::string_view column) -> std::optional<double> {
    const auto found = row.find(std::string(column));
    return found == row.end() ? std::nullopt : std::optional(found->second);
  };
  return factor_of(question, value_of).value.value_or(-1);
}

Factor cost_factor(const Prices& prices, const std::map<std::string, double>& row) {
  const auto value_of = [&](std::string_view column) -> std::optional<double> {
    const auto found = row.find(std::string(column));
    return found == row.end() ? std::nullopt : std::optional(found->second);
  };
  return factor_of({.goal = Goal{"output_tps"}, .per = Per::cost, .prices = prices}, value_of);
}

// By hand: 800 tokens/s for 2 USD an hour are 800 * 3600 / 2 tokens per USD.
TEST(CostFactor, IsOfTheGpusAndTheMachine) {
  const std::map<std::string, double> gpus = {{"output_tps", 800}, {"output_tps_per_gpu", 200}};
  EXPECT_DOUBLE_EQ(*cost_factor({.gpu_hour = 0.5}, gpus).value, 3600 / 2.0);
  EXPECT_DOUBLE_EQ(*cost_factor({.gpu_hour = 0.5, .machine_hour = 1}, gpus).value, 3600 / 3.0);
  EXPECT_DOUBLE_EQ(*cost_factor({.gpu_hour = 0.5}, {{"output_tps", 8}, {"gpus", 2}}).value, 3600)
      << "imported rows state their GPUs";
}

TEST(CostFactor, OfAServerWithoutAGpuIsThatOfTheMachine) {
  const std::map<std::string, double> cpu = {{"output_tps", 80}, {"server_start_s", 2}};
  EXPECT_DOUBLE_EQ(*cost_factor({.gpu_hour = 2.5, .machine_hour = 0.4}, cpu).value, 3600 / 0.4);
  EXPECT_EQ(cost_factor({.gpu_hour = 2.5}, cpu).why_not,
            "the price is per GPU, but its server was given no GPU: state machine_hour");
  EXPECT_EQ(cost_factor({.gpu_hour = 2.5, .machine_hour = 0.4}, {{"output_tps", 80}}).why_not,
            "its server's number of GPUs is unknown; for imported rows, `import --set gpus=N` "
            "states it");
}

// What is ranked is what is printed: tokens per USD are a million over the cost of a million.
TEST(CostFactor, AgreesWithTheCostOfTokens) {
  const Prices prices{.machine_hour = 2.5, .output_token_weight = 4};
  const auto factor =
      cost_factor(prices, {{"output_tps", 3000}, {"input_tps", 9000}, {"server_start_s", 1}});
  const auto cost = token_cost(2.5, {.output_tps = 3000, .input_tps = 9000}, 4);
  EXPECT_NEAR(3000 * *factor.value, 1e6 / cost->output, 1e-6);
  EXPECT_EQ(cost_factor(prices, {{"output_tps", 3000}, {"server_start_s", 1}}).value, std::nullopt);
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
                              k_columns, k_parameters);
  EXPECT_DOUBLE_EQ(factor(*question, row), 3600 / 2.0 * 0.8);
  question->condition = {};
  EXPECT_DOUBLE_EQ(factor(*question, row), 3600 / 2.0);
}

TEST(Goal, MayBeSqlOverColumns) {
  const auto question = question_of({.maximize = "output_tps / tp"}, k_columns, k_parameters);
  ASSERT_TRUE(question.ok()) << question.error().text();
  EXPECT_NE(question->goal->column.find("1.0"), std::string::npos) << "division is that of reals";
  EXPECT_NE(error_of({.maximize = "output_tps) OR (1"}), "");
  EXPECT_NE(error_of({.maximize = "output_tps / tp", .per = "gpu"}), "");
}

TEST(Goal, ThatAPointSetsIsExact) {
  EXPECT_TRUE(question_of({.maximize = "tp"}, k_columns, k_parameters)->goal->is_set);
  EXPECT_FALSE(question_of({.maximize = "output_tps"}, k_columns, k_parameters)->goal->is_set);
}

TEST(FigureName, IsThatOfWhatIsRanked) {
  const auto name = [](const char* column, Per per, const char* currency = "") {
    return figure_name_of({.goal = Goal{column}, .per = per, .prices = {.currency = currency}});
  };
  EXPECT_EQ(name("output_tps", Per::nothing), "output_tps");
  EXPECT_EQ(name("output_tps", Per::gpu), "output_tps_per_gpu");
  EXPECT_EQ(name("output_tps", Per::cost, "USD"), "output_tokens_per_usd");
  EXPECT_EQ(name("goodput_rps", Per::cost, "€"), "goodput_requests_per_currency");
  EXPECT_EQ(name("requests_per_s", Per::joule), "requests_per_joule");
}

TEST(Unit, NamesWhatTheFigureIsPer) {
  const auto question = question_of(
      {.maximize = "output_tps", .per = "cost", .prices = {.gpu_hour = 1, .currency = "EUR"}},
      k_columns, k_parameters);
  EXPECT_EQ(unit_of(*question), "tokens per EUR");
}

}  // namespace best_question_test
}  // namespace orch::best
