// Coverage of the intervals of percentiles, by simulation. ORCH_COVERAGE=1 in the environment runs
// the whole table with more replications, and prints it; otherwise a few rows run.
#include "bench/measure/interval.hpp"
#include "core/statistics/student.hpp"
#include "processes.hpp"

#include <cstdlib>
#include <functional>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace orch::measure {
namespace percentile_coverage_test {

using Values = std::vector<std::optional<double>>;

constexpr double k_sigma = 0.5;  // of the logarithm
constexpr double k_outlier = 3;  // an outlier takes this many times as long

struct Process {
  std::string name;
  std::function<Values(Draws&, int n)> make;
  std::function<double(double p)> percentile;
};

// The percentile P of lognormal values, a share OUTLIERS of which is k_outlier times as large.
double lognormal_percentile(double outliers, double p) {
  double low = -10, high = 10;  // logarithms
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const double below =
        (1 - outliers) * statistics::normal_probability(middle / k_sigma) +
        outliers * statistics::normal_probability((middle - std::log(k_outlier)) / k_sigma);
    (below < p ? low : high) = middle;
  }
  return std::exp(low);
}

// Lognormal values of an autoregression; each keeps the share KEPT of the one before.
Process lognormal(double kept, double outliers) {
  return {.name = fmt::format("{}{}", kept == 0 ? "independent" : fmt::format("AR(1) {}", kept),
                              outliers == 0 ? "" : ", 1 % outliers"),
          .make =
              [=](Draws& draws, int n) {
                Values out;
                double z = draws.normal();
                for (int i = 0; i < n; ++i) {
                  const double times = draws.uniform() < outliers ? k_outlier : 1;
                  out.emplace_back(times * std::exp(k_sigma * z));
                  z = kept * z + std::sqrt(1 - kept * kept) * draws.normal();
                }
                return out;
              },
          .percentile = [=](double p) { return lognormal_percentile(outliers, p); }};
}

Process queue(double utilisation) {
  return {.name = fmt::format("M/M/1 at {}", utilisation),
          .make =
              [=](Draws& draws, int n) {
                const auto times =
                    sojourn_times(draws, n, utilisation, QueueBegins::as_in_steady_state);
                return Values(times.begin(), times.end());
              },
          .percentile = [=](double p) { return -std::log(1 - p) / (1 - utilisation); }};
}

// Of one percentile, in percent of the runs.
struct Seen {
  double supported = 0;
  double bounded = 0;  // on both sides
  double covers = 0;   // in percent of those that are bounded on both sides
  double below = 0;    // the percentile is below the lower limit
  double above = 0;    // it is above the upper limit
};

using AllSeen = std::array<Seen, k_percentiles.size()>;

AllSeen simulate(const Process& process, int n, int replications) {
  Draws draws(20261126);
  AllSeen seen;
  const double each = 100.0 / replications;
  for (int r = 0; r < replications; ++r) {
    const LimitsOfPercentiles all = limits_of_percentiles(process.make(draws, n));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!all[i]) continue;
      const double truth = process.percentile(k_percentiles[i].per_mille / 1000.0);
      const auto& [low, high] = *all[i];
      const bool below = low && truth < *low, above = high && truth > *high;
      seen[i].supported += each;
      seen[i].below += below * each;
      seen[i].above += above * each;
      if (!low || !high) continue;
      seen[i].bounded += each;
      seen[i].covers += !(below || above) * each;
    }
  }
  for (Seen& one : seen)
    if (one.bounded > 0) one.covers *= 100 / one.bounded;
  return seen;
}

void print(const Process& process, int n, const AllSeen& seen) {
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i].supported > 0)
      fmt::print("{:26} n {:4}  p{:<4}  bounded {:5.1f}  covers {}  below {:4.1f}  above {:4.1f}\n",
                 process.name, n, k_percentiles[i].per_mille / 10.0, seen[i].bounded,
                 seen[i].bounded > 0 ? fmt::format("{:5.1f}", seen[i].covers) : "    -",
                 seen[i].below, seen[i].above);
}

// 4,000 replications have a standard error of 0.35 % of coverage, 600 of 0.9 %.
struct Size {
  int replications;
  double slack;  // percent
};
Size size() { return std::getenv("ORCH_COVERAGE") ? Size{4000, 0.5} : Size{600, 2.5}; }

// An interval is given where the values seem less correlated than they are. Where that is rare,
// those few cover less often; the misses are few in percent of all runs.
void expect_coverage(const AllSeen& seen, double slack) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    SCOPED_TRACE(k_percentiles[i].per_mille);
    EXPECT_LE(seen[i].below, 3 + slack / 2);
    EXPECT_LE(seen[i].above, 3.5 + slack / 2);
    if (seen[i].bounded < 50) continue;
    EXPECT_GE(seen[i].covers, 93 - slack);
    EXPECT_LE(seen[i].covers, 97 + slack);
  }
}

TEST(LimitsOfPercentiles, CoverThePercentileAtTheirLevel) {
  const bool all = std::getenv("ORCH_COVERAGE") != nullptr;
  for (const double outliers : {0.0, 0.01}) {
    for (const double kept : {0.0, 0.7}) {
      for (const int n : {100, 300, 1000, 5000}) {
        if (!all && n > 300 && outliers > 0) continue;
        const Process process = lognormal(kept, outliers);
        SCOPED_TRACE(fmt::format("{}, n {}", process.name, n));
        const AllSeen seen = simulate(process, n, n > 1000 && !all ? 200 : size().replications);
        if (all) print(process, n, seen);
        expect_coverage(seen, n > 1000 && !all ? 5 : size().slack);
      }
    }
  }
}

TEST(LimitsOfPercentiles, AreBoundedForIndependentValuesOfEnough) {
  const int replications = size().replications;
  const AllSeen hundred = simulate(lognormal(0, 0), 100, replications);
  EXPECT_GT(hundred[0].bounded, 99);
  EXPECT_GT(hundred[1].bounded, 85);
  EXPECT_EQ(hundred[3].bounded, 0);  // 100 values have no upper limit of p99
  EXPECT_GT(simulate(lognormal(0, 0), 1000, replications)[3].bounded, 80);
}

// The limit of the method: a queue's long waits follow each other, and a run without a burst does
// not show it. Its percentiles lie above the upper limit in up to 13 % of the runs, not in 2.5 %.
TEST(LimitsOfPercentiles, MissThePercentilesOfAQueueOnlySoOften) {
  const bool all = std::getenv("ORCH_COVERAGE") != nullptr;
  for (const double utilisation : {0.5, 0.8}) {
    for (const int n : {100, 300, 1000, 5000}) {
      if (!all && n > 300) continue;
      const Process process = queue(utilisation);
      SCOPED_TRACE(fmt::format("{}, n {}", process.name, n));
      const AllSeen seen = simulate(process, n, size().replications);
      if (all) print(process, n, seen);
      for (const Seen& one : seen) {
        EXPECT_LE(one.below, 6);
        EXPECT_LE(one.above, 13 + size().slack);
      }
    }
  }
}

}  // namespace percentile_coverage_test
}  // namespace orch::measure
