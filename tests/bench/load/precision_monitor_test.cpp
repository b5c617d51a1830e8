// The precision target of a load: when its interval is narrow enough.
#include "bench/load/precision_monitor.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace orch::load {
namespace precision_monitor_test {

TEST(PrecisionMonitor, IsReachedAtTheTargetAndNotBefore) {
  // 32 values, two 2 above and two 2 below the mean of 10 in turn, of variance 128 / 31. They
  // are hardly correlated and not skewed. So half the interval is t(31) * sqrt(128 / 31 /
  // 32) = 2.0395 * 0.3592, 7.33 %, nine tenths of 8.14 %.
  std::vector<measure::Parts> values;
  for (int i = 0; i < 32; ++i) values.push_back({.above = i / 2 % 2 == 0 ? 12.0 : 8.0, .below = 1});
  const measure::Window window;
  EXPECT_TRUE(is_narrow({.metric = "ttft_ms", .percent = 8.15}, window, values));
  EXPECT_FALSE(is_narrow({.metric = "ttft_ms", .percent = 8.13}, window, values));
  values.resize(29);
  EXPECT_FALSE(is_narrow({.metric = "ttft_ms", .percent = 1000}, window, values))
      << "29 values have no interval";
}

TEST(PrecisionMonitor, AllowsForSlotsThatEndAtDifferentTimes) {
  const std::vector<measure::Parts> rounds(80, {.above = 1, .below = 0.1});
  measure::Window window;
  window.concurrency = 8;
  EXPECT_TRUE(is_narrow({.metric = "requests_per_s", .percent = 11.2}, window, rounds))
      << "one round in ten";
  EXPECT_FALSE(is_narrow({.metric = "requests_per_s", .percent = 11.0}, window, rounds));
}

TEST(PrecisionMonitor, AcceptsMetricsOfRequestsAndClosedLoopRates) {
  const std::vector<record::Load> closed{{.kind = record::Load::Kind::closed, .concurrency = 2}};
  const std::vector<record::Load> open{{.kind = record::Load::Kind::open, .request_rate = 1}};
  EXPECT_TRUE(check_precision_metric("ttft_ms", open).ok());
  EXPECT_TRUE(check_precision_metric("requests_per_s", closed).ok());
  EXPECT_FALSE(check_precision_metric("requests_per_s", open).ok());
  EXPECT_FALSE(check_precision_metric("no_such_metric", closed).ok());
}

}  // namespace precision_monitor_test
}  // namespace orch::load
