// Which series are steady, by simulation, and the sentences about the others.
#include "bench/measure/over_repeats.hpp"
#include "processes.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace steady_state_test {

constexpr int k_replications = 1000;
constexpr int k_n = 2000;

template <class Make> double unsteady_percent(Make make) {
  Draws draws(20261121);
  int unsteady = 0;
  for (int i = 0; i < k_replications; ++i)
    if (!steady_state("x", make(draws))->steady) ++unsteady;
  return 100.0 * unsteady / k_replications;
}

// Autocorrelated latencies that vary by a quarter of their level; LEVEL gives the level at 0 .. 1
// of a run.
template <class Level> std::vector<double> latencies(Draws& draws, int n, Level level) {
  const auto noise = autoregression(draws, n, 0.5);
  return series(n, [&](int i) {
    return level(static_cast<double>(i) / n) *
           std::exp(0.22 * (noise[static_cast<std::size_t>(i)] - 10));
  });
}

template <class Level> double unsteady_percent_of_level(Level level) {
  return unsteady_percent([&](Draws& draws) { return latencies(draws, k_n, level); });
}

TEST(SteadyState, IsReportedForAQueueOfAnyUtilisation) {
  for (const double utilisation : {0.5, 0.8})
    EXPECT_LE(unsteady_percent([&](Draws& draws) {
                return sojourn_times(draws, k_n, utilisation, QueueBegins::as_in_steady_state);
              }),
              7)
        << utilisation;
}

TEST(SteadyState, IsReportedForValuesAroundOneLevel) {
  EXPECT_LE(unsteady_percent_of_level([](double) { return 10; }), 5);
  EXPECT_LE(unsteady_percent(
                [](Draws& draws) { return series(k_n, [&](int) { return draws.exponential(); }); }),
            5);
  EXPECT_LE(unsteady_percent(
                [](Draws& draws) { return latencies(draws, 100, [](double) { return 10; }); }),
            7);
  EXPECT_TRUE(steady_state("x", std::vector<double>(200, 5.0))->steady);
}

TEST(SteadyState, IsReportedForWavesOfAHundredValues) {
  EXPECT_LE(unsteady_percent([](Draws& draws) {
              auto values = autoregression(draws, k_n, 0.98);
              for (double& value : values) value = std::exp(0.06 * (value - 10));
              return values;
            }),
            8);
}

TEST(SteadyState, IsNotReportedForARamp) {
  EXPECT_GE(unsteady_percent_of_level([](double at) { return 10 * (1 + at); }), 95);
}

TEST(SteadyState, IsNotReportedForAStep) {
  EXPECT_GE(unsteady_percent_of_level([](double at) { return at < 0.5 ? 10 : 13; }), 95);
  EXPECT_GE(unsteady_percent_of_level([](double at) { return at < 0.8 ? 10 : 13; }), 95);
}

TEST(SteadyState, IsNotReportedForADriftOfAFifth) {
  EXPECT_GE(unsteady_percent_of_level([](double at) { return 10 * (1 + 0.2 * at); }), 95);
}

TEST(SteadyState, IsNotReportedForAColdStart) {
  EXPECT_GE(
      unsteady_percent_of_level([](double at) { return 10 * (1 + 2 * std::exp(-at / 0.03)); }), 95);
}

TEST(SteadyState, IsNotReportedForAnOverloadedQueue) {
  EXPECT_GE(unsteady_percent(
                [](Draws& draws) { return sojourn_times(draws, k_n, 1.2, QueueBegins::empty); }),
            95);
}

TEST(SteadyState, IsNotDecidedForTooFewValues) {
  EXPECT_FALSE(steady_state("x", std::vector<double>(99, 5.0)));
  EXPECT_TRUE(steady_state("x", std::vector<double>(100, 5.0)));
}

TEST(SteadyState, IgnoresSmallChanges) {
  EXPECT_TRUE(steady_state("x", series(1000, [](int i) { return i < 500 ? 100 : 104; }))->steady);
  EXPECT_FALSE(steady_state("x", series(1000, [](int i) { return i < 500 ? 100 : 106; }))->steady);
}

TEST(SteadyState, ReportsAfterHowManyValuesARunSettled) {
  const auto verdict = steady_state("request_latency_ms",
                                    series(1000, [](int i) { return i < 120 ? 30 : 10 + i % 2; }));
  ASSERT_FALSE(verdict->steady);
  EXPECT_EQ(verdict->settled, 150) << "whole twentieths of the run are left out";
  EXPECT_EQ(verdict->sentence,
            "request_latency_ms settled only after 150 of 1000: 26.1 on average before, 10.5 "
            "after; send more requests, or warm up longer");
}

TEST(SteadyState, ReportsARunThatDidNotSettle) {
  const auto verdict =
      steady_state("request_latency_ms", series(1000, [](int i) { return 10 + i / 10; }));
  ASSERT_FALSE(verdict->steady);
  EXPECT_FALSE(verdict->settled);
  EXPECT_EQ(verdict->sentence,
            "request_latency_ms did not settle: 22 on average over the first quarter of 1000, 97 "
            "over the last; measure longer, or with less load");
}

}  // namespace steady_state_test
}  // namespace orch::measure
