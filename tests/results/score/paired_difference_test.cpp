// The paired interval beside its formula, and its coverage by simulation.
#include "results/score/answer_difference.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace orch::score {
namespace paired_difference_test {

TEST(PairedDifference, OfEqualScoresIsZeroWithAWidth) {
  const PairedDifference none = paired_difference(std::vector<double>(98, 0.0));
  EXPECT_EQ(none.mean, 0);
  EXPECT_EQ(none.differing, 0u);
  // 100 values of variance 2 / 99: t(0.975, 99) sqrt(2 / 99 / 100) = 1.98422 * 0.0142134.
  EXPECT_NEAR(*none.limits.low, -0.0282025, 1e-6);
  EXPECT_NEAR(*none.limits.high, 0.0282025, 1e-6);
}

TEST(PairedDifference, OfNothingHasNoLimits) {
  EXPECT_FALSE(paired_difference(std::vector<double>()).limits.low);
}

TEST(PairedDifference, WithoutADifferenceHasTheWidthOfTheScale) {
  const auto narrow = paired_difference(std::vector<double>(98, 0.0), 1);
  const auto wide = paired_difference(std::vector<double>(98, 0.0), 10);
  EXPECT_NEAR(*wide.limits.high, 10 * *narrow.limits.high, 1e-12);
}

// The share of 2,000 intervals of N differences by DRAW that cover MEAN.
template <class Draw> double coverage(std::size_t n, double mean, Draw draw) {
  std::mt19937_64 random(7);
  int covered = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values(n);
    for (double& value : values) value = draw(random);
    const PairedDifference one = paired_difference(values);
    covered += *one.limits.low <= mean && mean <= *one.limits.high;
  }
  return covered / 2000.0;
}

double unit(std::mt19937_64& random) { return std::uniform_real_distribution<>()(random); }

TEST(PairedDifference, CoversTheMeanOfRareDifferencesOfScoresOfNoughtAndOne) {
  for (const std::size_t n : {10, 30, 100, 300})
    for (const auto& [down, up] :
         std::vector<std::pair<double, double>>{{0.01, 0.01}, {0.05, 0}, {0.1, 0.02}, {0.3, 0.1}}) {
      const double covered = coverage(n, up - down, [&](auto& random) {
        const double u = unit(random);
        return u < down ? -1.0 : u < down + up ? 1.0 : 0.0;
      });
      EXPECT_GE(covered, 0.935) << n << " " << down << " " << up;
    }
}

TEST(PairedDifference, CoversTheMeanOfDifferencesOfOtherScores) {
  for (const std::size_t n : {10, 30, 100, 300})
    for (const double share : {0.05, 0.2, 1.0}) {
      const double covered = coverage(n, -share * 0.5, [&](auto& random) {
        return unit(random) < share ? -unit(random) : 0.0;
      });
      EXPECT_GE(covered, n < 30 ? 0.91 : 0.93) << n << " " << share;
      EXPECT_LE(covered, 1.0);
    }
}

// Wide enough to cover everything is no achievement.
TEST(PairedDifference, FindsADifferenceThatManyPromptsShow) {
  std::vector<double> values(100, 0.0);
  for (std::size_t i = 0; i < 12; ++i) values[i] = -1;
  EXPECT_LT(*paired_difference(values).limits.high, 0);
}

}  // namespace paired_difference_test
}  // namespace orch::score
