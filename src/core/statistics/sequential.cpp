#include "core/statistics/sequential.hpp"

#include <cassert>
#include <cmath>
#include <numeric>

#include "core/statistics/student.hpp"

namespace orch::statistics {
namespace {

double limit_of(double constant, double fraction, double shape) {
  return constant * std::pow(fraction, shape - 0.5);
}

// The density of a Brownian motion that has stayed within the limits, on equal steps over them.
class Density {
 public:
  // After the first observation, at TIME.
  Density(double time, double half_width) : Density(half_width) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = std::exp(-at(i) * at(i) / (2 * time)) / std::sqrt(2 * M_PI * time);
  }

  // After an observation DURATION later that is within HALF_WIDTH, too.
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

// The probability that some observation is outside of the boundary.
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

}  // namespace

double boundary_constant(std::span<const int> sizes, double shape, double alpha) {
  assert(!sizes.empty() && std::ranges::is_sorted(sizes) && alpha > 0 && alpha < 1);
  double low = normal_quantile(1 - alpha / 2);  // of one look
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

}  // namespace orch::statistics
