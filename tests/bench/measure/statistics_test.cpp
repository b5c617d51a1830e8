// Statistics agree with NumPy's defaults, and the histogram keeps its error bound.
#include "bench/measure/statistics.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace statistics_test {

TEST(Statistics, AgreeWithNumpy) {
  // numpy.mean, .std, .percentile of [4, 1, 7, 2, 10]
  const Statistics all = statistics({4, 1, 7, 2, 10});
  EXPECT_EQ(all.n, 5);
  EXPECT_DOUBLE_EQ(all.mean, 4.8);
  EXPECT_DOUBLE_EQ(all.sd, 3.3105890714493698);
  EXPECT_DOUBLE_EQ(all.min, 1);
  EXPECT_DOUBLE_EQ(all.max, 10);
  EXPECT_DOUBLE_EQ(all.p50, 4);
  EXPECT_DOUBLE_EQ(all.p90, 8.8);
  EXPECT_DOUBLE_EQ(all.p95, 9.4);
  EXPECT_DOUBLE_EQ(all.p99, 9.88);
  EXPECT_DOUBLE_EQ(all.p999, 9.988);
}

TEST(Statistics, OfOneValueHaveNoSpread) {
  const Statistics all = statistics({3});
  for (const StatisticField& field : k_statistic_fields)
    EXPECT_DOUBLE_EQ(all.*field.value, field.name() == "sd" ? 0 : 3) << field.name();
}

TEST(Percentile, OfZeroAndOneAreTheExtremes) {
  const std::vector<double> sorted = {1, 2, 3};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(sorted, 1), 3);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.25), 1.5);
}

TEST(Histogram, NeverUnderstatesAPercentileAndOverstatesItByLessThanATwentyFourth) {
  for (const std::int64_t ns :
       {0L, 1L, 31L, 32L, 33L, 1000L, 65'535L, 65'536L, 999'999'999L, 3'600'000'000'000L}) {
    Histogram histogram;
    histogram.add(ns);
    histogram.add(ns * 1000 + 1000);  // so that the percentile is not the maximum
    EXPECT_GE(histogram.percentile_ns(0.5), ns);
    EXPECT_LE(histogram.percentile_ns(0.5), ns + ns / 24);
  }
}

TEST(Histogram, CountsAndFindsThePercentileAmongMany) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(i * 1000);
  EXPECT_EQ(histogram.count(), 1000);
  EXPECT_EQ(histogram.max_ns(), 1'000'000);
  EXPECT_NEAR(static_cast<double>(histogram.percentile_ns(0.99)), 990'000, 31'000);
  EXPECT_EQ(histogram.percentile_ns(1), 1'000'000);
}

TEST(Histogram, IsZeroWhenEmptyAndTakesNegativeDurationsForZero) {
  Histogram histogram;
  EXPECT_EQ(histogram.percentile_ns(0.99), 0);
  histogram.add(-5);
  EXPECT_EQ(histogram.count(), 1);
  EXPECT_EQ(histogram.max_ns(), 0);
}

}  // namespace statistics_test
}  // namespace orch::measure
