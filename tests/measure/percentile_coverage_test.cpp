// Coverage of the intervals of percentiles, by simulation. ORCH_COVERAGE=1 in the environment runs
// the whole table with more replications, and prints it; otherwise a few rows run.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "measure/percentile_interval.hpp"
#include "processes.hpp"
#include "statistics/student.hpp"

namespace orch::measure {
namespace {

constexpr double k_sigma = 0.5;  // of the logarithm
constexpr double k_outlier = 3;  // an outlier takes this many times as long

// Lognormal values of an autoregression, a share OUTLIERS of which is k_outlier times as large.
struct Process {
  double kept = 0;  // correlation of successive values
  double outliers = 0;

  std::string name() const {
    return fmt::format("{}{}", kept == 0 ? "independent" : fmt::format("AR(1) {}", kept),
                       outliers == 0 ? "" : fmt::format(", {:.0f} % outliers", 100 * outliers));
  }

  std::vector<std::optional<double>> make(Draws& draws, int n) const {
    std::vector<std::optional<double>> out;
    if (kept<0) {for (double v: sojourn_times(draws,n,-kept,QueueBegins::as_in_steady_state)) out.emplace_back(v);return out;}
    double z = draws.normal();
    for (int i = 0; i < n; ++i) {
      out.emplace_back(std::exp(k_sigma * z) * (draws.uniform() < outliers ? k_outlier : 1));
      z = kept * z + std::sqrt(1 - kept * kept) * draws.normal();
    }
    return out;
  }

  double share_below(double value) const {
    const double z = std::log(value) / k_sigma, moved = std::log(value / k_outlier) / k_sigma;
    return (1 - outliers) * statistics::normal_probability(z) +
           outliers * statistics::normal_probability(moved);
  }

  double percentile(double p) const {
    if (kept<0) return -std::log(1-p)/(1+kept);
    double low = 1e-3, high = 1e3;
    for (int i = 0; i < 100; ++i) {
      const double middle = std::sqrt(low * high);
      (share_below(middle) < p ? low : high) = middle;
    }
    return low;
  }
};

// Of one percentile, in percent of the runs.
struct Seen {
  double bounded = 0;  // on both sides
  double covers = 0;   // of those that are bounded on both sides
  double below = 0;    // the percentile is below the lower limit
  double above = 0;    // or above the upper one
  double unlimited_up = 0;
};

using AllSeen = std::array<Seen, k_percentiles_per_mille.size()>;

AllSeen simulate(const Process& process, int n, int replications) {
  Draws draws(20261126);
  AllSeen seen;
  std::array<double, seen.size()> truths{};
  for (std::size_t i = 0; i < seen.size(); ++i)
    truths[i] = process.percentile(k_percentiles_per_mille[i] / 1000.0);
  const double each = 100.0 / replications;
  for (int r = 0; r < replications; ++r) {
    const LimitsOfPercentiles all = limits_of_percentiles(process.make(draws, n));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!all[i]) continue;
      const auto& [low, high] = *all[i];
      const bool below = low && truths[i] < *low, above = high && truths[i] > *high;
      seen[i].below += below * each;
      seen[i].above += above * each;
      seen[i].unlimited_up += !high * each;
      if (!low || !high) continue;
      seen[i].bounded += each;
      seen[i].covers += !(below || above) * each;
    }
  }
  for (Seen& one : seen)
    if (one.bounded > 0) one.covers *= 100 / one.bounded;
  return seen;
}

TEST(LimitsOfPercentiles, CoverThePercentileAtTheirLevel) {
  const bool all = std::getenv("ORCH_COVERAGE") != nullptr;
  for (const Process& process : {Process{}, Process{.kept = 0.7}, Process{.outliers = 0.01},
                                 Process{.kept = 0.7, .outliers = 0.01},Process{.kept=-.5},Process{.kept=-.8}, Process{.kept=.9}}) {
    for (const int n : {100, 300, 1000, 5000}) {
      const AllSeen seen = simulate(process, n, all ? 4000 : 400);
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (all && seen[i].bounded + seen[i].unlimited_up > 0)
          fmt::print(
              "{:26} n {:4}  p{:<4}  bounded {:5.1f}  covers {:5.1f}  below {:4.1f}  above "
              "{:4.1f}\n",
              process.name(), n, k_percentiles_per_mille[i] / 10.0, seen[i].bounded, seen[i].covers,
              seen[i].below, seen[i].above);
      }
    }
  }
}

}  // namespace
}  // namespace orch::measure
