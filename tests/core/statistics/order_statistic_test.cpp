#include "core/statistics/student.hpp"

#include <cmath>

#include <boost/math/distributions/beta.hpp>
#include <gtest/gtest.h>

namespace orch::statistics {
namespace order_statistic_test {

// The probability that the order statistic of SHARE is below the P-quantile.
double below(double n, double p, double share) {
  return cdf(boost::math::beta_distribution<>((n + 1) * share, (n + 1) * (1 - share)), p);
}

TEST(OrderShare, IsWhereTheBetaDistributionReachesTheLevel) {
  for (const double n : {40.0, 97.5, 400.0, 5000.0, 1e6}) {
    for (const double p : {0.5, 0.9, 0.95, 0.99, 0.999}) {
      for (const double upper : {0.975, 0.025}) {
        const auto share = order_share(n, p, upper);
        EXPECT_TRUE(share || n < 5000);
        if (!share) continue;
        EXPECT_NEAR(below(n, p, *share), upper, 1e-3);
      }
    }
  }
}

TEST(OrderShare, ExistsFromTheSampleSizeOnThatTheGreatestValueAllows) {
  for (const double p : {0.5, 0.9, 0.95, 0.99, 0.999}) {
    const double least = std::log(0.025) / std::log(p);  // p^n = 0.025
    EXPECT_FALSE(order_share(least * 0.98, p, 0.025)) << p;
    const auto share = order_share(least * 1.02, p, 0.025);
    ASSERT_TRUE(share) << p;
    EXPECT_NEAR(*share, least / (least + 1), 0.02 / least + 0.002) << p;
  }
  EXPECT_FALSE(order_share(0.5, 0.5, 0.025));
  EXPECT_TRUE(order_share(60, 0.99, 0.975));
}

TEST(OrderShare, IsSymmetricForTheMedian) {
  EXPECT_NEAR(*order_share(100, 0.5, 0.975) + *order_share(100, 0.5, 0.025), 1, 1e-4);
}

// The correlation of the signs of two normal variables is 2 / pi asin(r).
TEST(IndicatorShare, OfTheMedianIsThatOfTheArcsine) {
  for (const double r : {0.1, 0.5, 0.7, 0.9}) {
    double sum = 0;
    for (double power = r; power > 1e-9; power *= r) sum += 2 / M_PI * std::asin(power);
    EXPECT_NEAR(indicator_share(0.5, r), sum * (1 - r) / r, 2e-3) << r;
  }
  EXPECT_NEAR(indicator_share(0.5, 0), 2 / M_PI, 1e-12);
}

// Expected values: the same sums with scipy's bivariate normal distribution.
TEST(IndicatorShare, FallsTowardsTheTails) {
  EXPECT_NEAR(indicator_share(0.9, 0.7), 0.475463046, 1e-5);
  EXPECT_NEAR(indicator_share(0.99, 0.7), 0.222014970, 1e-5);
  EXPECT_NEAR(indicator_share(0.99, 0.3), 0.133531485, 1e-5);
  EXPECT_NEAR(indicator_share(0.999, 0.9), 0.154859533, 1e-5);
  EXPECT_NEAR(indicator_share(0.01, 0.7), indicator_share(0.99, 0.7), 1e-12);
}

}  // namespace order_statistic_test
}  // namespace orch::statistics
