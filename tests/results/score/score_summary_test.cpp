// Means over prompts with their intervals; expected limits are computed by hand from the formulas.
#include "results/score/score_targets.hpp"

#include <gtest/gtest.h>

namespace orch::score {
namespace score_summary_test {

// Wilson, p = 1, n = 100: low = 1 / (1 + z^2 / n) = 1 / 1.03841.
TEST(Summary, AnIntervalOfScoresThatAreAllOneHasAWidth) {
  const statistics::Limits limits = limits_of_mean(std::vector<double>(100, 1.0));
  EXPECT_NEAR(*limits.low, 0.963007, 1e-5);
  EXPECT_EQ(*limits.high, 1);
  EXPECT_EQ(*limits_of_mean(std::vector<double>(100, 0.0)).low, 0);
}

// Wilson, p = 0.1, n = 100: (0.1 + 0.0192073 -+ 1.96 sqrt(0.0009 + 0.0000960)) / 1.0384146.
TEST(Summary, AnIntervalOfSharesIsWilsons) {
  std::vector<double> values(100, 0.0);
  for (int i = 0; i < 10; ++i) values[static_cast<std::size_t>(i)] = 1;
  const statistics::Limits limits = limits_of_mean(values);
  EXPECT_NEAR(*limits.low, 0.05523, 1e-5);
  EXPECT_NEAR(*limits.high, 0.17437, 1e-5);
}

// Student, n = 4: mean 0.5, sd 0.2582, t = 3.1824, half 0.4108.
TEST(Summary, AnIntervalOfOtherScoresIsStudents) {
  const statistics::Limits limits = limits_of_mean(std::vector<double>{0.2, 0.4, 0.6, 0.8});
  EXPECT_NEAR(*limits.low, 0.0892, 1e-4);
  EXPECT_NEAR(*limits.high, 0.9108, 1e-4);
}

TEST(Summary, ScoresBetweenNoughtAndOneHaveLimitsBetweenThem) {
  EXPECT_DOUBLE_EQ(*limits_of_mean(std::vector<double>{0.1, 0.9}).low, 0);
  EXPECT_DOUBLE_EQ(*limits_of_mean(std::vector<double>{0.1, 0.9}).high, 1);
  EXPECT_GT(*limits_of_mean(std::vector<double>{1, 90}).high, 91);
}

TEST(Summary, OneScoreOrEqualScoresBetweenHaveNoInterval) {
  EXPECT_FALSE(limits_of_mean(std::vector<double>{1}).low);
  EXPECT_FALSE(limits_of_mean(std::vector<double>{0.5, 0.5, 0.5}).low);
}

TEST(Summary, APromptCountsOnceWithTheMeanOfItsScores) {
  const record::NamedMetric metric = summary("score_f1", {{"p", {0, 1, 1, 0}}, {"q", {1}}});
  EXPECT_EQ(metric.name, "score_f1");
  EXPECT_DOUBLE_EQ(*metric.mean, 0.75);
  EXPECT_DOUBLE_EQ(*metric.statistics[Statistic::n], 2);
  EXPECT_DOUBLE_EQ(*metric.statistics[Statistic::sd], 0.25);
  EXPECT_DOUBLE_EQ(*metric.statistics[Statistic::min], 0.5);
}

}  // namespace score_summary_test
}  // namespace orch::score
