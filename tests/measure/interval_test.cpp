// Whether intervals hold the true mean as often as they say, by simulation, and where none is given.
#include "measure/interval.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "processes.hpp"

namespace orch::measure {
namespace {

constexpr int k_replications = 2000;

struct Coverage {
  double percent = 0;        // of the intervals that were given
  double given_percent = 0;  // of the runs
};

template <class Make>
Coverage coverage(double truth, Make make) {
  Draws draws(20261121);
  int given = 0;
  int held = 0;
  for (int i = 0; i < k_replications; ++i) {
    const auto interval = interval_of_mean(make(draws));
    if (!interval) continue;
    ++given;
    if (interval->low <= truth && truth <= interval->high) ++held;
  }
  return {100.0 * held / given, 100.0 * given / k_replications};
}

Coverage of_queue(double utilisation, QueueBegins begins) {
  return coverage(1 / (1 - utilisation), [&](Draws& draws) { return sojourn_times(draws, 2000, utilisation, begins); });
}

double mean_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()); }

// 2,000 replications leave a spread of 0.5 % about the true coverage.
void expect_covers(const Coverage& seen) {
  EXPECT_GE(seen.percent, 93);
  EXPECT_LE(seen.percent, 97);
  EXPECT_GE(seen.given_percent, 95);
}

// Where values are independent nothing is gained by batches, and that is paid for with a little width.
void expect_covers_a_little_more(const Coverage& seen) {
  EXPECT_GE(seen.percent, 95);
  EXPECT_LE(seen.percent, 98);
  EXPECT_GE(seen.given_percent, 95);
}

TEST(IntervalOfMean, HoldsTheMeanSojournTimeOfAQueueAtHalfItsCapacity) { expect_covers(of_queue(0.5, QueueBegins::as_in_steady_state)); }

TEST(IntervalOfMean, HoldsTheMeanSojournTimeOfAQueueAtFourFifthsOfItsCapacity) { expect_covers(of_queue(0.8, QueueBegins::as_in_steady_state)); }

TEST(IntervalOfMean, HoldsItWhereTheRunFoundTheQueueEmpty) {
  expect_covers(of_queue(0.5, QueueBegins::empty));
  expect_covers(of_queue(0.8, QueueBegins::empty));
}

TEST(IntervalOfMean, HoldsTheMeanOfIndependentValuesHoweverTheyAreSpread) {
  expect_covers_a_little_more(coverage(0, [](Draws& draws) { return series(500, [&](int) { return draws.normal(); }); }));
  expect_covers_a_little_more(coverage(1, [](Draws& draws) { return series(500, [&](int) { return draws.exponential(); }); }));
  expect_covers_a_little_more(coverage(std::exp(0.5), [](Draws& draws) { return series(2000, [&](int) { return std::exp(draws.normal()); }); }));
}

TEST(IntervalOfMean, HoldsTheMeanOfAnAutoregression) {
  expect_covers_a_little_more(coverage(10, [](Draws& draws) { return autoregression(draws, 2000, 0.9); }));
}

TEST(IntervalOfMean, HoldsTheMeanOfAsFewValuesAsItTakes) {
  for (const int n : {20, 39}) expect_covers_a_little_more(coverage(0, [&](Draws& draws) { return series(n, [&](int) { return draws.normal(); }); }));
}

TEST(IntervalOfMean, IsNotMuchWiderThanIndependentValuesNeed) {
  Draws draws(1);
  double relative = 0;
  for (int i = 0; i < 200; ++i) {
    const auto values = series(1000, [&](int) { return 100 + draws.normal(); });
    relative += interval_of_mean(values)->relative_to(mean_of(values)) / 200;
  }
  const double textbook = 1.96 / std::sqrt(1000.0) / 100;
  EXPECT_GT(relative, textbook);
  EXPECT_LT(relative, 2 * textbook);
}

TEST(IntervalOfMean, OfEqualValuesHasNoWidth) {
  const auto interval = interval_of_mean(std::vector<double>(50, 7.5));
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 7.5);
  EXPECT_DOUBLE_EQ(interval->high, 7.5);
  EXPECT_DOUBLE_EQ(interval->relative_to(7.5), 0);
}

TEST(IntervalOfMean, IsNotGivenForFewerValuesThanItsBatchesNeed) {
  Draws draws(1);
  EXPECT_FALSE(interval_of_mean({}));
  EXPECT_FALSE(interval_of_mean(series(19, [&](int) { return draws.normal(); })));
  EXPECT_TRUE(interval_of_mean(series(20, [&](int) { return draws.normal(); })));
}

TEST(IntervalOfMean, IsNotGivenForATrend) {
  Draws draws(1);
  EXPECT_FALSE(interval_of_mean(series(1000, [&](int i) { return 10 + 0.01 * i + draws.normal(); })));
}

TEST(IntervalOfMean, IsNotGivenWhereAWaveIsAboutAsLongAsTheRun) {
  EXPECT_FALSE(interval_of_mean(series(1000, [](int i) { return 10 + std::sin(i / 160.0); })));
}

TEST(IntervalOfMean, IsNotGivenWhereACycleMakesAllBatchesEqual) {
  EXPECT_FALSE(interval_of_mean(series(100, [](int i) { return i % 5; })));
}

TEST(IntervalOfMean, OfValuesThatAreNeverNegativeHasNoNegativeLimit) {
  Draws draws(3);
  bool seen_at_zero = false;
  for (int i = 0; i < 500; ++i) {
    const auto interval = interval_of_mean(sojourn_times(draws, 200, 0.9, QueueBegins::as_in_steady_state));
    if (!interval) continue;
    EXPECT_GE(interval->low, 0);
    seen_at_zero = seen_at_zero || interval->low == 0;
  }
  EXPECT_TRUE(seen_at_zero);
}

TEST(IntervalOfMean, ReachesFartherToTheSideOfTheTail) {
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

TEST(IntervalOfMean, MovesAndScalesWithItsValues) {
  Draws draws(2);
  const auto values = sojourn_times(draws, 500, 0.5, QueueBegins::empty);
  const auto moved = series(500, [&](int i) { return 1000 + 3 * values[static_cast<std::size_t>(i)]; });
  const auto one = interval_of_mean(values);
  const auto other = interval_of_mean(moved);
  ASSERT_TRUE(one && other);
  EXPECT_NEAR(other->low, 1000 + 3 * one->low, 1e-9);
  EXPECT_NEAR(other->high, 1000 + 3 * one->high, 1e-9);
}

TEST(IntervalOfRatio, HoldsTheRateOfWhatHappensAtRandom) {
  Draws draws(20261121);
  int held = 0;
  for (int i = 0; i < k_replications; ++i) {
    const auto gaps = series(500, [&](int) { return draws.exponential() / 4; });
    const auto done = series(500, [&](int) { return 3 * draws.uniform(); });
    const auto interval = interval_of_ratio(done, gaps);
    if (!interval || (interval->low <= 6 && 6 <= interval->high)) ++held;
  }
  EXPECT_GE(100.0 * held / k_replications, 94);
  EXPECT_LE(100.0 * held / k_replications, 98);
}

TEST(IntervalOfRatio, HasNoWidthWhereAllWentAtOnePace) {
  const auto interval = interval_of_ratio(series(50, [](int i) { return 1 + i % 3; }), series(50, [](int i) { return (1 + i % 3) / 4.0; }));
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 4, 1e-9);
  EXPECT_NEAR(interval->high, 4, 1e-9);
}

TEST(IntervalOfRatio, IsNotGivenForNoTime) {
  EXPECT_FALSE(interval_of_ratio({}, {}));
  EXPECT_FALSE(interval_of_ratio(std::vector<double>(50, 1), std::vector<double>(50, 0)));
}

TEST(StudentT, IsThatOfTheTables) {
  for (const auto& [degrees, t] : {std::pair{1, 12.7062}, {7, 2.3646}, {20, 2.0860}, {21, 2.0796}, {30, 2.0423}, {60, 2.0003}, {1000, 1.9623}})
    EXPECT_NEAR(student_t(degrees), t, 1e-4) << degrees;
}

TEST(Interval, IsMeasuredByItsFartherLimit) {
  EXPECT_DOUBLE_EQ((Interval{9, 13}.relative_to(10)), 0.3);
  EXPECT_DOUBLE_EQ((Interval{-13, -9}.relative_to(-10)), 0.3);
  EXPECT_TRUE(std::isinf(Interval{-1, 1}.relative_to(0)));
}

}  // namespace
}  // namespace orch::measure
