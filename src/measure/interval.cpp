#include "measure/interval.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace orch::measure {
namespace {

constexpr std::size_t k_batches = 10;
constexpr std::size_t k_half_batches = 2 * k_batches;
static_assert(k_half_batches == k_interval_least);
constexpr std::int64_t k_degrees = 7;
constexpr double k_most_correlation = 0.8;

// A batch's sum of deviations from the overall mean / sqrt(its size): of one variance however n divides.
template <std::size_t N>
using Batches = std::array<double, N>;

template <std::size_t N>
Batches<N> batches_of(std::span<const double> values, double mean) {
  Batches<N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t begin = i * values.size() / N;
    const std::size_t end = (i + 1) * values.size() / N;
    for (std::size_t k = begin; k < end; ++k) out[i] += values[k] - mean;
    out[i] /= std::sqrt(static_cast<double>(end - begin));
  }
  return out;
}

template <std::size_t N>
double variance(const Batches<N>& batches) {
  double squares = 0;
  for (const double batch : batches) squares += batch * batch;
  return squares / (N - 1);
}

// Of a batch with the next. The estimate from few batches is too small, by (1 + 3 r) / N on average; never below zero, so
// that batches which balance each other by chance make no interval narrower.
template <std::size_t N>
double correlation(const Batches<N>& batches) {
  double products = 0;
  for (std::size_t i = 1; i < N; ++i) products += batches[i] * batches[i - 1];
  const double seen = products / (variance(batches) * (N - 1));
  return std::max(0.0, (seen * N + 1) / (N - 3.0));
}

// How often an independent value's variance the mean of values has that follow each other so.
double inflation(double correlation) { return (1 + correlation) / (1 - correlation); }

// Of the mean over BATCHES.
template <std::size_t N>
double skewness(const Batches<N>& batches) {
  double cubes = 0;
  for (const double batch : batches) cubes += batch * batch * batch;
  const double n = N;
  const double one = n / ((n - 1) * (n - 2)) * cubes / std::pow(variance(batches), 1.5);
  return one * std::sqrt(inflation(std::min(correlation(batches), k_most_correlation)) / n);
}

// Hall's cubic takes a mean of this skewness to a normal one; here is the way back.
double unskew(double t, double skewness) {
  const double a = skewness / 6;
  if (std::abs(a) < 1e-6) return t;
  return (std::cbrt(1 + 6 * a * (t - a)) - 1) / (2 * a);
}

double mean_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()); }

// Where no value is below zero their mean is not either, whatever the limit says.
double no_lower_than_possible(double low, std::span<const double> values) {
  const bool negative = std::any_of(values.begin(), values.end(), [](double value) { return value < 0; });
  return negative ? low : std::max(low, 0.0);
}

}  // namespace

double Interval::relative_to(double mean) const {
  const double half = std::max(high - mean, mean - low);
  if (half <= 0) return 0;
  return mean == 0 ? std::numeric_limits<double>::infinity() : half / std::abs(mean);
}

double student_t(std::int64_t degrees) {
  assert(degrees >= 1);
  static constexpr std::array k_table{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
                                      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860};
  if (degrees <= static_cast<std::int64_t>(k_table.size())) return k_table[static_cast<std::size_t>(degrees - 1)];
  // Fisher's expansion about the normal quantile; beyond 20 degrees right to four digits.
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(degrees);
  constexpr double z3 = z * z * z;
  constexpr double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) + (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

std::optional<Interval> interval_of_mean(std::span<const double> values) {
  if (std::ssize(values) < k_interval_least) return {};
  if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); })) return Interval{values.front(), values.front()};
  const double mean = mean_of(values);
  const auto batches = batches_of<k_batches>(values, mean);
  const auto halves = batches_of<k_half_batches>(values, mean);
  // Values that differ may have batches that do not, as those of a short cycle.
  if (!(variance(batches) > 0) || !(variance(halves) > 0)) return {};
  const double follows = correlation(batches);
  if (follows >= k_most_correlation) return {};
  // Batches that follow each other also differ less from their mean than from the true one.
  const double wider = inflation(follows) / (1 - (inflation(follows) - 1) / (k_batches - 1));
  const double error = std::sqrt(variance(batches) * wider / static_cast<double>(values.size()));
  const double skew = skewness(halves);
  const double t = student_t(k_degrees);
  return Interval{no_lower_than_possible(mean - unskew(t, skew) * error, values), mean - unskew(-t, skew) * error};
}

std::optional<Interval> interval_of_ratio(std::span<const double> above, std::span<const double> below) {
  assert(above.size() == below.size());
  if (above.empty() || !(mean_of(below) > 0)) return {};
  const double ratio = mean_of(above) / mean_of(below);
  std::vector<double> off(above.size());
  for (std::size_t i = 0; i < off.size(); ++i) off[i] = above[i] - ratio * below[i];
  const std::optional<Interval> interval = interval_of_mean(off);
  if (!interval) return {};
  return Interval{no_lower_than_possible(ratio + interval->low / mean_of(below), above), ratio + interval->high / mean_of(below)};
}

}  // namespace orch::measure
