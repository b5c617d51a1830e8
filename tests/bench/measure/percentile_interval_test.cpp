// Where percentiles have limits, and properties of the limits. Coverage is tested by
// percentile_coverage_test.cpp.
#include "bench/measure/interval.hpp"
#include "processes.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace percentile_interval_test {

using Values = std::vector<std::optional<double>>;

Values independent(int n, std::uint64_t seed = 1) {
  Draws draws(seed);
  Values out;
  for (int i = 0; i < n; ++i) out.emplace_back(std::exp(draws.normal()));
  return out;
}

Values correlated(int n, double kept) {
  Draws draws(1);
  const auto values = autoregression(draws, n, kept);
  return Values(values.begin(), values.end());
}

constexpr std::size_t k_p50 = 0, k_p90 = 1, k_p99 = 3, k_p999 = 4;

TEST(LimitsOfPercentiles, AreThoseOfThePercentilesThatStatisticsHave) {
  std::vector<int> per_mille;
  for (const StatisticField& field : k_statistic_fields)
    if (field.per_mille > 0) per_mille.push_back(field.per_mille);
  std::vector<int> with_limits;
  for (const Percentile& one : k_percentiles) with_limits.push_back(one.per_mille);
  EXPECT_EQ(per_mille, with_limits);
}

TEST(LimitsOfPercentiles, AreEmptyForAPercentileThatNDoesNotSupport) {
  const LimitsOfPercentiles limits = limits_of_percentiles(independent(999));
  EXPECT_TRUE(limits[k_p99]);
  EXPECT_FALSE(limits[k_p999]);
  EXPECT_FALSE(limits_of_percentiles({})[k_p50]);
  EXPECT_FALSE(limits_of_percentiles(Values(10))[k_p50]);
}

TEST(LimitsOfPercentiles, HaveNoUpperSideWhereNoValueIsHighEnough) {
  const LimitsOfPercentiles limits = limits_of_percentiles(independent(300));
  ASSERT_TRUE(limits[k_p99]);
  EXPECT_TRUE(limits[k_p99]->low);
  EXPECT_FALSE(limits[k_p99]->high);
  EXPECT_TRUE(limits[k_p90]->high);
}

TEST(LimitsOfPercentiles, HaveNoSideWhereTheInflationIsUnknown) {
  const LimitsOfPercentiles few = limits_of_percentiles(independent(29));
  ASSERT_TRUE(few[k_p50]);
  EXPECT_EQ(*few[k_p50], PercentileLimits{});
  EXPECT_EQ(*limits_of_percentiles(independent(100), 25)[k_p50], PercentileLimits{});
  Values trend;
  for (int i = 0; i < 200; ++i) trend.emplace_back(i);
  EXPECT_EQ(*limits_of_percentiles(trend)[k_p50], PercentileLimits{});
}

TEST(LimitsOfPercentiles, OfEqualValuesAreTheValue) {
  const LimitsOfPercentiles limits = limits_of_percentiles(Values(100, 7.5));
  EXPECT_EQ(*limits[k_p99], (PercentileLimits{.low = 7.5, .high = 7.5}));
  EXPECT_EQ(*limits_of_percentiles(Values(5, 7.5))[k_p50],
            (PercentileLimits{.low = 7.5, .high = 7.5}));
}

TEST(LimitsOfPercentiles, EncloseTheirPercentile) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    const Values values = independent(1000, seed);
    const LimitsOfPercentiles limits = limits_of_percentiles(values);
    std::vector<double> sorted;
    for (const auto& value : values) sorted.push_back(*value);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const double own = percentile(sorted, k_percentiles[i].per_mille / 1000.0);
      EXPECT_LE(limits[i]->low.value_or(own), own);
      EXPECT_GE(limits[i]->high.value_or(own), own);
    }
  }
}

TEST(LimitsOfPercentiles, AreWiderForCorrelatedValues) {
  const auto width = [](const LimitsOfPercentiles& limits) {
    return *limits[k_p50]->high - *limits[k_p50]->low;
  };
  // Of the same spread: the deviations of the autoregression have the variance 1 / (1 - 0.7^2).
  const double apart = width(limits_of_percentiles(correlated(1000, 0))) / std::sqrt(0.51);
  EXPECT_GT(width(limits_of_percentiles(correlated(1000, 0.7))), 1.5 * apart);
}

TEST(LimitsOfPercentiles, DependOnlyOnTheOrderOfTheValues) {
  const Values values = independent(500);
  Values moved;
  for (const auto& value : values) moved.emplace_back(std::log(*value));
  const LimitsOfPercentiles limits = limits_of_percentiles(values);
  const LimitsOfPercentiles of_logarithms = limits_of_percentiles(moved);
  // Up to the interpolation between neighbours.
  EXPECT_NEAR(std::log(*limits[k_p90]->high), *of_logarithms[k_p90]->high, 0.01);
}

TEST(LimitsOfPercentiles, LeaveOutRequestsWithoutAValue) {
  Values values = independent(600);
  Values sparse;
  for (const auto& value : values) {
    sparse.push_back(value);
    sparse.emplace_back();
  }
  const auto some = limits_of_percentiles(sparse)[k_p90];
  const auto all = limits_of_percentiles(values)[k_p90];
  EXPECT_NEAR(*some->low, *all->low, 0.2);
  EXPECT_NEAR(*some->high, *all->high, 0.2);
}

TEST(Percentiles, AreKnownByTheEndOfAColumn) {
  EXPECT_EQ(percentile_of("ttft_ms_p99").value().per_mille, 990);
  EXPECT_EQ(percentile_of("ttft_ms_p999").value().per_mille, 999);
  EXPECT_FALSE(percentile_of("ttft_ms"));
}

}  // namespace percentile_interval_test
}  // namespace orch::measure
