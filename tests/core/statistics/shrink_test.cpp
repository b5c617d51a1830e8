#include "core/base/random.hpp"
#include "core/statistics/sequential.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace orch::statistics {
namespace shrink_test {

// By hand: variance 14/3, mean of se^2 1.5625, so v = 3.104; mean 12.
TEST(Shrink, MovesEachEstimateTowardsTheMeanByItsShareOfNoise) {
  const std::vector<Estimate> estimates = {{10, 1}, {12, 1}, {11, 2}, {15, 0.5}};
  const std::vector<double> out = shrunk(estimates);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_NEAR(out[0], 10.48730964, 1e-8);
  EXPECT_NEAR(out[1], 12, 1e-12);
  EXPECT_NEAR(out[2], 11.56304985, 1e-8);
  EXPECT_NEAR(out[3], 14.77639752, 1e-8);
}

TEST(Shrink, GivesTheMeanWhereAllSpreadIsNoise) {
  for (const double value : shrunk(std::vector<Estimate>{{10, 5}, {11, 5}, {12, 5}}))
    EXPECT_DOUBLE_EQ(value, 11);
}

TEST(Shrink, LeavesEstimatesWithoutNoiseAndPairs) {
  EXPECT_EQ(shrunk(std::vector<Estimate>{{1, 0}, {2, 0}, {9, 0}}), (std::vector<double>{1, 2, 9}));
  EXPECT_EQ(shrunk(std::vector<Estimate>{{1, 5}, {9, 5}}), (std::vector<double>{1, 9}));
  EXPECT_TRUE(shrunk({}).empty());
}

// The best of 16 with a true spread of 5 % and a noise of 5 % is told 6 % too high.
TEST(Shrink, RemovesTheBiasOfTheBestOfMany) {
  Random random(20261126);
  constexpr int k_repeats = 4000, k_configurations = 16;
  double raw_bias = 0, bias = 0;
  for (int i = 0; i < k_repeats; ++i) {
    std::vector<double> truth;
    std::vector<Estimate> estimates;
    for (int j = 0; j < k_configurations; ++j) {
      truth.push_back(0.05 * random.normal());
      estimates.push_back({truth.back() + 0.05 * random.normal(), 0.05});
    }
    const auto best = static_cast<std::size_t>(
        std::max_element(estimates.begin(), estimates.end(),
                         [](const auto& a, const auto& b) { return a.value < b.value; }) -
        estimates.begin());
    raw_bias += (estimates[best].value - truth[best]) / k_repeats;
    bias += (shrunk(estimates)[best] - truth[best]) / k_repeats;
  }
  EXPECT_GT(raw_bias, 0.05);
  EXPECT_LT(std::abs(bias), 0.005);
}

}  // namespace shrink_test
}  // namespace orch::statistics
