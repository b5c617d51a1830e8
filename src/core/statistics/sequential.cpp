#include "core/statistics/sequential.hpp"

#include "core/statistics/student.hpp"

#include <cassert>
#include <cmath>
#include <numeric>

namespace orch::statistics {

namespace {

double limit_of(double constant, double fraction, double shape) {
  return constant * std::pow(fraction, shape - 0.5);
}

// The density of a Brownian motion that has stayed within the limits, on equal steps over them.
class Density {
 public:
  // The density after the first observation, at TIME.
  Density(double time, double half_width) : Density(half_width) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = std::exp(-at(i) * at(i) / (2 * time)) / std::sqrt(2 * M_PI * time);
  }

  // The density after another observation within HALF_WIDTH, DURATION later.
  Density after(double duration, double half_width) const {
    Density next(half_width);
    const double scale = step_ / std::sqrt(2 * M_PI * duration);
    for (std::size_t i = 0; i < values_.size(); ++i)
      for (std::size_t j = 0; j < values_.size(); ++j) {
        const double moved = next.at(i) - at(j);
        next.values_[i] +=
            weight(j) * values_[j] * scale * std::exp(-moved * moved / (2 * duration));
      }
    return next;
  }

  // The probability that every observation was within the limits.
  double mass() const {
    double sum = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) sum += weight(i) * values_[i] * step_;
    return sum;
  }

 private:
  explicit Density(double half_width)
      : half_width_(half_width), step_(2 * half_width / (k_points - 1)), values_(k_points) {}

  double at(std::size_t i) const { return -half_width_ + static_cast<double>(i) * step_; }
  // Simpson's rule.
  double weight(std::size_t i) const {
    if (i == 0 || i + 1 == values_.size()) return 1.0 / 3;
    return i % 2 == 1 ? 4.0 / 3 : 2.0 / 3;
  }

  static constexpr int k_points = 151;  // odd
  double half_width_;
  double step_;
  std::vector<double> values_;
};

// The probability that some observation is outside the boundary.
double exit_probability(std::span<const int> sizes, double shape, double constant) {
  const auto time = [&](std::size_t k) { return static_cast<double>(sizes[k]) / sizes.back(); };
  const auto half_width = [&](std::size_t k) {
    return limit_of(constant, time(k), shape) * std::sqrt(time(k));
  };
  Density density(time(0), half_width(0));
  for (std::size_t k = 1; k < sizes.size(); ++k)
    density = density.after(time(k) - time(k - 1), half_width(k));
  return 1 - density.mass();
}

// The indices of P_VALUES, the smallest value first.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

constexpr std::size_t k_least = 3;

// The variance that values would have without estimation errors, around MEAN.
double true_variance(std::span<const Estimate> estimates, double mean) {
  double squares = 0;
  double noise = 0;
  for (const Estimate& one : estimates) {
    squares += (one.value - mean) * (one.value - mean);
    noise += one.standard_error * one.standard_error;
  }
  const auto n = static_cast<double>(estimates.size());
  return std::max(0.0, squares / (n - 1) - noise / n);
}

}  // namespace

double boundary_constant(std::span<const int> sizes, double shape, double alpha) {
  assert(!sizes.empty() && std::ranges::is_sorted(sizes) && alpha > 0 && alpha < 1);
  double low = normal_quantile(1 - alpha / 2);  // of a single look
  double high = 2 * low + 3;
  constexpr double k_accuracy = 1e-5;
  while (high - low > k_accuracy) {
    const double middle = (low + high) / 2;
    (exit_probability(sizes, shape, middle) > alpha ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::vector<Look> looks(int most, double alpha) {
  assert(most >= 2);
  if (most <= k_first_look) return {{.sessions = most, .alpha = alpha}};
  std::vector<int> sizes(static_cast<std::size_t>(most - k_first_look + 1));
  std::iota(sizes.begin(), sizes.end(), k_first_look);
  const double constant = boundary_constant(sizes, k_look_shape, alpha);
  std::vector<Look> out;
  for (const int size : sizes) {
    const double z = limit_of(constant, static_cast<double>(size) / most, k_look_shape);
    out.push_back({.sessions = size, .alpha = 2 * normal_probability(-z)});
  }
  return out;
}

Step step(const SessionDifference& difference, double size, bool last) {
  assert(size > 0);
  if (difference.inference) {
    const Inference& found = *difference.inference;
    if (found.p < 1 - found.level) return Step::differs;
    if (std::max(std::abs(found.low), std::abs(found.high)) <= size) return Step::same;
  }
  return last ? Step::ended : Step::go_on;
}

std::optional<double> detectable_difference(double sd, int sessions,
                                            const DetectableOptions& options) {
  assert(sd >= 0 && sessions >= 1 && options.lent_degrees >= 0);
  assert(options.level > 0 && options.level < 1 && options.power > 0 && options.power < 1);
  const double degrees = 2.0 * sessions - 2 + options.lent_degrees;
  if (!(degrees > 0)) return {};
  return (student_quantile((1 + options.level) / 2, degrees) +
          student_quantile(options.power, degrees)) *
         sd * std::sqrt(2.0 / sessions);
}

std::optional<int> sessions_needed(double size, double sd, const DetectableOptions& options,
                                   int most) {
  assert(size > 0);
  const auto found = [&](int sessions) {
    const std::optional<double> detectable = detectable_difference(sd, sessions, options);
    return detectable && *detectable <= size;
  };
  // The detectable difference falls as sessions are added.
  int too_few = 0;
  int enough = 1;
  while (enough < most && !found(enough)) {
    too_few = enough;
    enough = std::min(most, 2 * enough);
  }
  if (!found(enough)) return {};
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (found(middle) ? enough : too_few) = middle;
  }
  return enough;
}

std::vector<double> holm(std::span<const double> p_values) {
  const std::vector<std::size_t> order = ascending(p_values);
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double p = p_values[order[i]];
    assert(p >= 0 && p <= 1);
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * p));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::vector<double> shrunk(std::span<const Estimate> estimates) {
  std::vector<double> out;
  double mean = 0;
  for (const Estimate& one : estimates) {
    out.push_back(one.value);
    mean += one.value / static_cast<double>(estimates.size());
  }
  if (estimates.size() < k_least) return out;
  const double variance = true_variance(estimates, mean);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double noise = estimates[i].standard_error * estimates[i].standard_error;
    if (noise > 0) out[i] = mean + variance / (variance + noise) * (out[i] - mean);
  }
  return out;
}

}  // namespace orch::statistics
