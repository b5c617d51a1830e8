// Where there is an interval, and properties of its limits. Coverage is tested by
// interval_coverage_test.cpp.
#include "bench/measure/interval.hpp"

#include "coverage.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace interval_test {

TEST(IntervalOfMean, HasNoWidthForEqualValues) {
  const auto interval = interval_of_mean(std::vector<double>(50, 7.5));
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 7.5);
  EXPECT_DOUBLE_EQ(interval->high, 7.5);
  EXPECT_DOUBLE_EQ(interval->relative_to(7.5), 0);
}

TEST(IntervalOfMean, IsEmptyForTooFewValues) {
  Draws draws(1);
  EXPECT_FALSE(interval_of_mean({}));
  EXPECT_FALSE(interval_of_mean(series(29, [&](int) { return draws.normal(); })));
  EXPECT_TRUE(interval_of_mean(series(30, [&](int) { return draws.normal(); })));
}

TEST(IntervalOfMean, IsEmptyForFewerThanFiveRounds) {
  Draws draws(1);
  EXPECT_FALSE(interval_of_mean(series(79, [&](int) { return draws.normal(); }), 16));
  EXPECT_TRUE(interval_of_mean(series(80, [&](int) { return draws.normal(); }), 16));
}

TEST(IntervalOfMean, DoesNotSplitARound) {
  Draws draws(1);
  const auto values = waves(draws, 40, 8, 20, 0.1, 0.1);
  EXPECT_LT(interval_of_mean(values, 8)->relative_to(mean_of(values)), 0.005);
  EXPECT_GT(interval_of_mean(values, 1)->relative_to(mean_of(values)), 0.01);
}

TEST(IntervalOfMean, DoesNotExceedTheRangeOfItsValues) {
  std::vector<double> values(100, 1);
  values.back() = 10;
  const auto interval = interval_of_mean(values);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 1);
  EXPECT_LE(interval->high, 10);
}

TEST(IntervalOfMean, IsEmptyForATrend) {
  Draws draws(1);
  EXPECT_FALSE(
      interval_of_mean(series(1000, [&](int i) { return 10 + 0.01 * i + draws.normal(); })));
}

TEST(IntervalOfMean, IsEmptyWhenAWaveIsAboutAsLongAsTheRun) {
  EXPECT_FALSE(interval_of_mean(series(1000, [](int i) { return 10 + std::sin(i / 160.0); })));
}

TEST(IntervalOfMean, IsEmptyWhenACycleMakesAllBatchesEqual) {
  EXPECT_FALSE(interval_of_mean(series(1000, [](int i) { return i % 5; })));
  EXPECT_TRUE(interval_of_mean(series(100, [](int i) { return i % 5; })));
}

TEST(IntervalOfMean, IsLongerOnTheSideOfTheTail) {
  Draws draws(1);
  double above = 0;
  double below = 0;
  for (int i = 0; i < 200; ++i) {
    const auto values = series(100, [&](int) { return std::exp(draws.normal()); });
    const auto interval = interval_of_mean(values);
    if (!interval) continue;
    above += interval->high - mean_of(values);
    below += mean_of(values) - interval->low;
  }
  EXPECT_GT(above, 1.2 * below);
}

TEST(IntervalOfMean, ShiftsAndScalesWithItsValues) {
  Draws draws(2);
  const auto values = sojourn_times(draws, 500, 0.5, QueueBegins::empty);
  const auto moved =
      series(500, [&](int i) { return 1000 + 3 * values[static_cast<std::size_t>(i)]; });
  const auto one = interval_of_mean(values);
  const auto other = interval_of_mean(moved);
  ASSERT_TRUE(one && other);
  EXPECT_NEAR(other->low, 1000 + 3 * one->low, 1e-9);
  EXPECT_NEAR(other->high, 1000 + 3 * one->high, 1e-9);
}

TEST(IntervalOfRatio, CoversTheRateOfARandomProcess) {
  Draws draws(20261121);
  int held = 0;
  constexpr int k_replications = 1000;
  for (int i = 0; i < k_replications; ++i) {
    const auto gaps = series(500, [&](int) { return draws.exponential() / 4; });
    const auto done = series(500, [&](int) { return 3 * draws.uniform(); });
    const auto interval = interval_of_ratio(done, gaps);
    if (!interval || (interval->low <= 6 && 6 <= interval->high)) ++held;
  }
  EXPECT_GE(100.0 * held / k_replications, 94);
  EXPECT_LE(100.0 * held / k_replications, 98);
}

TEST(IntervalOfRatio, HasNoWidthForAConstantPace) {
  const auto interval = interval_of_ratio(series(50, [](int i) { return 1 + i % 3; }),
                                          series(50, [](int i) { return (1 + i % 3) / 4.0; }));
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 4, 1e-9);
  EXPECT_NEAR(interval->high, 4, 1e-9);
}

TEST(IntervalOfRatio, IgnoresIndicesWithoutAValue) {
  Draws draws(1);
  std::vector<double> value, present, values;
  for (int i = 0; i < 400; ++i) {
    present.push_back(i % 20 == 7 ? 0 : 1);
    value.push_back(present.back() * (100 + draws.normal()));
    if (present.back() > 0) values.push_back(value.back());
  }
  const auto interval = interval_of_ratio(value, present, 4);
  const auto of_present = interval_of_mean(values);
  ASSERT_TRUE(interval && of_present);
  EXPECT_NEAR(interval->low, of_present->low, 0.05);
  EXPECT_NEAR(interval->high, of_present->high, 0.05);
}

TEST(IntervalOfRatio, IsEmptyWhenTheTimesSumToZero) {
  EXPECT_FALSE(interval_of_ratio({}, {}));
  EXPECT_FALSE(interval_of_ratio(std::vector<double>(50, 1), std::vector<double>(50, 0)));
}

std::vector<double> deviations_of(std::vector<double> values) {
  const double mean = mean_of(values);
  for (double& value : values) value -= mean;
  return values;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(Inflation, IsThatOfTheMeanOfAnAutoregression) {
  Draws draws(3);
  std::vector<double> independent, correlated;
  for (int i = 0; i < 300; ++i) {
    const auto own = series(500, [&](int) { return draws.normal(); });
    independent.push_back(inflation_of(deviations_of(own))->factor);
    correlated.push_back(inflation_of(deviations_of(autoregression(draws, 500, 0.5)))->factor);
  }
  EXPECT_NEAR(median(independent), 1, 0.15);
  EXPECT_NEAR(median(correlated), 3, 0.45);  // (1 + 0.5) / (1 - 0.5)
}

TEST(Inflation, IsEmptyWhereTheMeanHasNoInterval) {
  EXPECT_FALSE(inflation_of(std::vector<double>(100, 0)));
  EXPECT_FALSE(inflation_of(series(79, [](int i) { return i % 2 - 0.5; }), 16));
  EXPECT_FALSE(inflation_of({}));
}

TEST(Interval, IsMeasuredByItsFartherLimit) {
  EXPECT_DOUBLE_EQ((Interval{9, 13}.relative_to(10)), 0.3);
  EXPECT_DOUBLE_EQ((Interval{-13, -9}.relative_to(-10)), 0.3);
  EXPECT_TRUE(std::isinf(Interval{-1, 1}.relative_to(0)));
}

}  // namespace interval_test
}  // namespace orch::measure
