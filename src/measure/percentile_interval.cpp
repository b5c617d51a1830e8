#include "measure/percentile_interval.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "measure/interval.hpp"
#include "statistics/student.hpp"

namespace orch::measure {
namespace {

constexpr double k_upper = 0.975;
constexpr double k_z = 1.959963984540054;

// The inflation of the share of values below a percentile, by the inflation of the mean, where the
// values are a monotonic function of a first-order autoregression.
//
// With the correlation r^k at lag k, the indicators of a normal variable beyond z correlate by the
// sum over m >= 1 of (phi(z) He[m-1](z))^2 / (m! p (1 - p)) r^(k m), He being Hermite polynomials.
// The sum over all lags replaces r^(k m) by r^m / (1 - r^m).
class ShareInflation {
 public:
  explicit ShareInflation(int per_mille) {
    const double p = per_mille / 1000.0;
    const double z = statistics::normal_quantile(p);
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
    std::vector<double> weights;
    double before = 0, now = 1;  // He[m-1](z) / sqrt((m-1)!)
    for (int m = 1; m <= k_terms; ++m) {
      weights.push_back(density * density * now * now / (m * p * (1 - p)));
      before = std::exchange(now, (z * now - std::sqrt(m - 1.0) * before) / std::sqrt(m));
    }
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const double r = correlation(i);
      double power = 1, sum = 0;
      for (const double weight : weights) {
        power *= r;
        sum += weight * power / (1 - power);
      }
      table_[i] = r > 0 ? sum * (1 - r) / r : weights[0];
    }
  }

  // FACTOR is at least 1.
  double of(double factor) const {
    const double r = std::min(correlation(table_.size() - 1), (factor - 1) / (factor + 1));
    const double at = r / k_step;
    const auto below = std::min(static_cast<std::size_t>(at), table_.size() - 2);
    const double part = at - static_cast<double>(below);
    const double scaled = table_[below] + part * (table_[below + 1] - table_[below]);
    return 1 + 2 * scaled * r / (1 - r);
  }

 private:
  static double correlation(std::size_t i) { return static_cast<double>(i) * k_step; }

  static constexpr int k_terms = 400;
  static constexpr double k_step = 0.02;
  std::array<double, 50> table_{};  // the sum over lags * (1 - r) / r, for r = 0, 0.02, ...
};

const ShareInflation& share_inflation(std::size_t percentile) {
  static const auto k_all = [] {
    std::vector<ShareInflation> all;
    for (const int per_mille : k_percentiles_per_mille) all.emplace_back(per_mille);
    return all;
  }();
  return k_all[percentile];
}

// The normal quantile of P(X <= p) for X of a beta distribution with the parameters A and B, right
// to 0.001 for A, B >= 1 (Peizer, Pratt: Journal of the American Statistical Association 63, 1968).
double beta_z(double p, double a, double b) {
  const auto g = [](double x) {
    if (std::abs(1 - x) < 1e-4) return (1 - x) / 3;
    return (1 - x * x + 2 * x * std::log(x)) / ((1 - x) * (1 - x));
  };
  // That of at most b - 1 successes in n trials with the probability q.
  const double n = a + b - 1, q = 1 - p;
  const double successes = b - 0.5, failures = a - 0.5;
  const double off =
      successes + 1.0 / 6 - (n + 1.0 / 3) * q + 0.02 * (p / b - q / a + (p - 0.5) / (n + 1));
  return off * std::sqrt((1 + p * g(successes / (n * q)) + q * g(failures / (n * p))) /
                         ((n + 1.0 / 6) * p * q));
}

// Where the order statistic of share U among N independent uniform values lies: the normal quantile
// of the probability that it is below P.
double order_z(double n, double p, double u) { return beta_z(p, (n + 1) * u, (n + 1) * (1 - u)); }

// The share U whose order statistic is below P with the normal quantile Z, or empty if even the
// first or the last of N values is not enough.
std::optional<double> share_at(double n, double p, double z) {
  double low = 1 / (n + 1), high = n / (n + 1);
  if (n < 1 || order_z(n, p, low) < z || order_z(n, p, high) > z) return {};
  for (int i = 0; i < 40 && high - low > 1e-9; ++i) {
    const double middle = (low + high) / 2;
    (order_z(n, p, middle) > z ? low : high) = middle;
  }
  return (low + high) / 2;
}

// The value of rank SHARE * (n + 1) among SORTED, interpolated.
double at_share(std::span<const std::pair<double, std::size_t>> sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() + 1) - 1;
  const double inside = std::clamp(rank, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = std::min(static_cast<std::size_t>(inside), sorted.size() - 2);
  const double part = inside - static_cast<double>(below);
  return sorted[below].first + part * (sorted[below + 1].first - sorted[below].first);
}

using Ranked = std::vector<std::pair<double, std::size_t>>;  // values and their positions, sorted

// Deviations of the ranks from their mean, at the positions of the values; equal values share one.
std::vector<double> rank_deviations(const Ranked& sorted, std::size_t positions) {
  std::vector<double> out(positions);
  const double mean = static_cast<double>(sorted.size() - 1) / 2;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end < sorted.size() && sorted[end].first == sorted[i].first) ++end;
    const double rank = static_cast<double>(i + end - 1) / 2;
    for (; i < end; ++i) out[sorted[i].second] = rank - mean;
  }
  return out;
}

}  // namespace

LimitsOfPercentiles limits_of_percentiles(std::span<const std::optional<double>> values,
                                          std::int64_t cycle) {
  Ranked sorted;
  sorted.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) sorted.emplace_back(*values[i], i);
  std::sort(sorted.begin(), sorted.end());
  LimitsOfPercentiles out;
  if (sorted.empty()) return out;
  const bool equal = sorted.front().first == sorted.back().first;
  const auto inflation = std::ssize(sorted) < k_interval_least || equal
                             ? std::nullopt
                             : inflation_of(rank_deviations(sorted, values.size()), cycle);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int per_mille = k_percentiles_per_mille[i];
    if (std::ssize(sorted) < records_needed(per_mille)) continue;
    PercentileLimits& limits = out[i].emplace();
    if (equal) limits = {.low = sorted.front().first, .high = sorted.front().first};
    if (!inflation) continue;
    const double wider = statistics::student_quantile(k_upper, inflation->degrees) / k_z;
    const double effective =
        static_cast<double>(sorted.size()) /
        (share_inflation(i).of(std::max(1.0, inflation->factor)) * wider * wider);
    const double p = per_mille / 1000.0;
    if (const auto share = share_at(effective, p, k_z)) limits.low = at_share(sorted, *share);
    if (const auto share = share_at(effective, p, -k_z)) limits.high = at_share(sorted, *share);
  }
  return out;
}

}  // namespace orch::measure
