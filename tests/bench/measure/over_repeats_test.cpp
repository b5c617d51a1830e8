// A metric over the repeats of a point, compared with what each repeat says of itself.
#include "bench/measure/over_repeats.hpp"

#include "bench/measure/interval.hpp"
#include "bench/measure/processes.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace orch::measure {
namespace over_repeats_test {

using Limits = std::pair<std::optional<double>, std::optional<double>>;

Repeat repeat(std::int64_t session, double mean, Limits limits = {}) {
  Repeat one{.session = session, .mean = mean, .statistics = {}};
  one.statistics[Statistic::interval_low] = limits.first;
  one.statistics[Statistic::interval_high] = limits.second;
  return one;
}

constexpr Percentile k_p99 = k_percentiles[3];

Repeat with_p99(std::int64_t session, double p99, Limits limits) {
  Repeat one{.session = session, .mean = {}, .statistics = {}};
  one.statistics[k_p99.value] = p99;
  one.statistics[k_p99.low] = limits.first;
  one.statistics[k_p99.high] = limits.second;
  return one;
}

Limits limits_of(const Repeat& one, Statistic low = Statistic::interval_low,
                 Statistic high = Statistic::interval_high) {
  return {one.statistics[low], one.statistics[high]};
}

Repeat over(std::vector<Repeat> repeats) { return over_repeats(repeats); }

// Two sessions with the means 10 and 14, whatever the number of repeats: t(1) = 12.7062, and the
// standard error is sqrt(8) / sqrt(2) = 2.
TEST(OverRepeats, takes_a_session_as_one_value_if_there_are_several) {
  const Repeat even = over({repeat(1, 10), repeat(2, 14)});
  const Repeat uneven = over({repeat(1, 9), repeat(1, 11), repeat(1, 10), repeat(2, 14)});
  EXPECT_NEAR(*uneven.mean, 12, 1e-9);
  EXPECT_NEAR(*limits_of(even).second, 12 + 12.7062 * 2, 1e-3);
  EXPECT_NEAR(*limits_of(uneven).second, 12 + 12.7062 * 2, 1e-3);
}

TEST(OverRepeats, of_one_session_takes_its_repeats_as_values) {
  const Repeat one = over({repeat(7, 10), repeat(7, 12), repeat(7, 14)});
  EXPECT_NEAR(*limits_of(one).first, 12 - 4.9683, 1e-3);
}

TEST(OverRepeats, keeps_the_limits_of_a_single_percentile) {
  EXPECT_EQ(limits_of(over({with_p99(1, 50, {45, std::nullopt})}), k_p99.low, k_p99.high),
            (Limits{45, std::nullopt}));
}

TEST(OverRepeats, leaves_a_percentile_open_on_a_side_that_no_repeat_bounds) {
  const Repeat one = over({with_p99(1, 50, {45, {}}), with_p99(2, 52, {47, {}})});
  EXPECT_EQ(one.statistics[k_p99.value], 51);
  EXPECT_TRUE(one.statistics[k_p99.low].has_value());
  EXPECT_EQ(one.statistics[k_p99.high], std::nullopt) << "they agree by chance";
}

TEST(OverRepeats, bounds_a_percentile_if_its_sessions_do) {
  const Repeat one = over({with_p99(1, 50, {45, 60}), with_p99(2, 50, {45, 60})});
  EXPECT_NEAR(*one.statistics[k_p99.low], 50 - 5 / std::sqrt(2), 1e-9);
  EXPECT_NEAR(*one.statistics[k_p99.high], 50 + 10 / std::sqrt(2), 1e-9);
}

TEST(OverRepeats, adds_counts_and_keeps_the_extremes) {
  Repeat a = repeat(1, 1), b = repeat(2, 3);
  a.statistics[Statistic::n] = 100, b.statistics[Statistic::n] = 50;
  a.statistics[Statistic::min] = 0.5, b.statistics[Statistic::min] = 2;
  a.statistics[Statistic::max] = 4, b.statistics[Statistic::max] = 9;
  const Repeat one = over({a, b});
  EXPECT_EQ(one.statistics[Statistic::n], 150);
  EXPECT_EQ(one.statistics[Statistic::min], 0.5);
  EXPECT_EQ(one.statistics[Statistic::max], 9);
}

class Simulation : public testing::Test {
 protected:
  struct Coverage {
    double covered_percent = 0;
    double width = 0;  // on average, relative to Student's t over the repeats alone
  };

  // Repeats differ with the standard deviation BETWEEN. The mean of each has the standard error
  // WITHIN, which its own interval covers.
  static Coverage simulate(int repeats, double between, double within) {
    Draws draws(20261121);
    double covered = 0, width = 0, width_of_t = 0;
    for (int replication = 0; replication < k_replications; ++replication) {
      std::vector<Repeat> all, bare;
      for (int i = 0; i < repeats; ++i) {
        const double level = 100 + between * draws.normal();
        const auto values =
            series(200, [&](int) { return level + within * std::sqrt(200.0) * draws.normal(); });
        const auto interval = interval_of_mean(values);
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 200;
        all.push_back(repeat(i, mean, interval ? Limits{interval->low, interval->high} : Limits{}));
        bare.push_back(repeat(i, mean));
      }
      const auto [low, high] = limits_of(over_repeats(all));
      const auto [low_of_t, high_of_t] = limits_of(over_repeats(bare));
      covered += *low <= 100 && 100 <= *high;
      width += *high - *low;
      width_of_t += *high_of_t - *low_of_t;
    }
    return {.covered_percent = 100 * covered / k_replications, .width = width / width_of_t};
  }

  static constexpr int k_replications = 2000;
};

// 2,000 replications leave a spread of 0.5 % about the true coverage.
TEST_F(Simulation, of_repeats_that_differ_has_its_nominal_coverage) {
  for (const int repeats : {2, 3, 5, 10, 40}) {
    const Coverage coverage = simulate(repeats, 3, 0.1);
    EXPECT_GE(coverage.covered_percent, 93) << repeats;
    EXPECT_LE(coverage.covered_percent, 97) << repeats;
    EXPECT_LT(coverage.width, 1.01) << repeats;
  }
}

TEST_F(Simulation, of_repeats_that_differ_by_noise_alone_covers_more_for_little_width) {
  for (const int repeats : {2, 3, 5, 10}) {
    const Coverage coverage = simulate(repeats, 0, 1);
    EXPECT_GE(coverage.covered_percent, 97) << repeats;
    EXPECT_LT(coverage.width, 1.4) << repeats;
  }
}

}  // namespace over_repeats_test
}  // namespace orch::measure
