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

// How much of the correlation of an autoregression is left in the shares of values below a
// percentile: if the correlation at lag k is r^k, that of the indicators of a normal variable beyond
// z is the sum over m >= 1 of (phi(z) He[m-1](z))^2 / (m! p (1 - p)) r^(k m), He being Hermite
// polynomials. Over all lags, r^(k m) becomes r^m / (1 - r^m).
class SharesOfAutoregression {
 public:
  explicit SharesOfAutoregression(double p) {
    const double z = statistics::normal_quantile(p);
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
    double before = 0, now = 1;  // He[m-1](z) / sqrt((m-1)!)
    for (int m = 1; m <= k_terms; ++m) {
      weights_[static_cast<std::size_t>(m - 1)] = density * density * now * now / (m * p * (1 - p));
      before = std::exchange(now, (z * now - std::sqrt(m - 1.0) * before) / std::sqrt(m));
    }
  }

  // The sum of the correlations over all lags, as a share of that of the autoregression itself.
  double remaining(double r) const {
    if (r <= 0) return weights_[0];
    double power = 1, sum = 0;
    for (const double weight : weights_) {
      power *= r;
      sum += weight * power / (1 - power);
      if (power < 1e-6) break;
    }
    return sum * (1 - r) / r;
  }

 private:
  static constexpr int k_terms = 300;
  std::array<double, k_terms> weights_{};
};

const SharesOfAutoregression& shares_of(std::size_t percentile) {
  static const auto k_all = [] {
    std::vector<SharesOfAutoregression> all;
    for (const int per_mille : k_percentiles_per_mille) all.emplace_back(per_mille / 1000.0);
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
    static const double D=getenv("DIRECT")?atof(getenv("DIRECT")):50;
    static const double DEC=getenv("DEC")?atof(getenv("DEC")):1;
    static const double NMIN=getenv("NMIN")?atof(getenv("NMIN")):250;
    const double n=static_cast<double>(sorted.size());
    const double r=std::min(.98,(std::max(1.0,inflation->factor)-1)/(std::max(1.0,inflation->factor)+1));
    double fac=1+2*r/(1-r)*shares_of(i).remaining(r);
    double deg=inflation->degrees;
    const double pp=std::min(per_mille/1000.0,1-D/n);
    if (n>=NMIN && pp>=.5) {
      std::vector<double> dev(values.size());
      const auto cut=static_cast<std::size_t>(pp*n);
      for (std::size_t j=0;j<sorted.size();++j) dev[sorted[j].second]=(j<cut?1.0:0.0)-static_cast<double>(cut)/n;
      if (const auto d=inflation_of(dev,cycle)) {
         const double ratio=pp==per_mille/1000.0?1:shares_of(i).remaining(r)/SharesOfAutoregression(pp).remaining(r);
         fac=1+std::max(0.0,d->factor-1)*std::pow(ratio,DEC); deg=d->degrees; }
    }
    const double wider = statistics::student_quantile(k_upper, deg) / k_z;
    const double effective =
        static_cast<double>(sorted.size()) /
        (fac * wider * wider);
    const double p = per_mille / 1000.0;
    if (const auto share = share_at(effective, p, k_z)) limits.low = at_share(sorted, *share);
    if (const auto share = share_at(effective, p, -k_z)) limits.high = at_share(sorted, *share);
  }
  return out;
}

}  // namespace orch::measure
