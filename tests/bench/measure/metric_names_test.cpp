#include "bench/measure/metric_names.hpp"

#include <set>

#include <gtest/gtest.h>

namespace orch {
namespace metric_names_test {

TEST(StatisticNames, AreDifferent) {
  EXPECT_EQ(std::set<std::string_view>(k_statistic_names.begin(), k_statistic_names.end()).size(),
            k_statistic_names.size());
}

TEST(StatisticNames, HaveASuffixExceptTheMean) {
  EXPECT_EQ(k_suffixed_statistics.size() + 1, k_statistic_names.size());
  EXPECT_EQ(std::find(k_suffixed_statistics.begin(), k_suffixed_statistics.end(), "mean"),
            k_suffixed_statistics.end());
}

TEST(StatisticNames, EndColumns) {
  EXPECT_EQ(without_statistic("ttft_ms_p99"), "ttft_ms");
  EXPECT_EQ(without_statistic("ttft_ms"), "ttft_ms");
  EXPECT_EQ(without_statistic("_p99"), "_p99");
}

TEST(StatisticValues, AreEmptyUntilTheyAreSet) {
  StatisticValues values;
  EXPECT_FALSE(values.has_any());
  values[Statistic::p999_interval_high] = 3;
  EXPECT_TRUE(values.has_any());
  EXPECT_EQ(values[Statistic::p999_interval_high], 3);
  EXPECT_EQ(values[Statistic::sd], std::nullopt);
}

TEST(Percentiles, HaveTheNamesOfTheirLimits) {
  for (const Percentile& one : k_percentiles) {
    EXPECT_EQ(to_string(one.low), std::string(to_string(one.value)) + "_interval_low");
    EXPECT_EQ(to_string(one.high), std::string(to_string(one.value)) + "_interval_high");
  }
}

}  // namespace metric_names_test
}  // namespace orch
