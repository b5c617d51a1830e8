#include "core/statistics/student.hpp"

#include <array>
#include <cassert>
#include <cmath>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace orch::statistics {

namespace {

// Does not promote to long double, which takes four times as long for digits that are never
// printed.
using Policy = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using Student = boost::math::students_t_distribution<double, Policy>;
using Fisher = boost::math::fisher_f_distribution<double, Policy>;

// Intervals of 95 % with whole degrees of freedom are computed for each metric and each row of
// results: the quantile takes a microsecond, a table lookup a nanosecond.
constexpr double k_usual = 0.975;
constexpr std::size_t k_usual_degrees = 200;

double usual_quantile(std::size_t degrees) {
  static const auto k_table = [] {
    std::array<double, k_usual_degrees + 1> table{};
    for (std::size_t i = 1; i < table.size(); ++i)
      table[i] = quantile(Student(static_cast<double>(i)), k_usual);
    return table;
  }();
  return k_table[degrees];
}

// A helper of Peizer and Pratt's formula.
double curvature(double x) {
  constexpr double k_near = 1e-4;  // closer to 1 the quotient would lose its digits
  if (std::abs(1 - x) < k_near) return (1 - x) / 3;
  return (1 - x * x + 2 * x * std::log(x)) / ((1 - x) * (1 - x));
}

// The normal quantile of P(X <= p) for a beta distribution with the parameters A, B >= 1. It is
// that of at most b - 1 successes in a + b - 1 trials with probability 1 - p.
double beta_z(double p, double a, double b) {
  const double trials = a + b - 1, q = 1 - p;
  const double successes = b - 0.5, failures = a - 0.5;
  const double off = successes + 1.0 / 6 - (trials + 1.0 / 3) * q +
                     0.02 * (p / b - q / a + (p - 0.5) / (trials + 1));
  const double shape =
      1 + p * curvature(successes / (trials * q)) + q * curvature(failures / (trials * p));
  return off * std::sqrt(shape / ((trials + 1.0 / 6) * p * q));
}

}  // namespace

double normal_probability(double z) { return cdf(Normal(), z); }

double normal_quantile(double probability) {
  assert(probability > 0 && probability < 1);
  return quantile(Normal(), probability);
}

double student_probability(double t, double degrees) {
  assert(degrees > 0);
  if (std::isinf(t)) return t > 0 ? 1 : 0;
  return cdf(Student(degrees), t);
}

double student_quantile(double probability, double degrees) {
  assert(probability > 0 && probability < 1 && degrees > 0);
  if (probability == k_usual && degrees <= k_usual_degrees && degrees == std::floor(degrees))
    return usual_quantile(static_cast<std::size_t>(degrees));
  return quantile(Student(degrees), probability);
}

double two_sided_p(double t, double degrees) {
  return 2 * student_probability(-std::abs(t), degrees);
}

double f_exceedance(double f, double degrees_above, double degrees_below) {
  assert(f >= 0 && degrees_above > 0 && degrees_below > 0);
  if (std::isinf(f)) return 0;
  return cdf(complement(Fisher(degrees_above, degrees_below), f));
}

std::optional<double> order_share(double n, double p, double upper) {
  assert(p > 0 && p < 1);
  if (!(n >= 1)) return {};
  const double wanted = normal_quantile(upper);
  const auto excess = [&](double share) {
    return beta_z(p, (n + 1) * share, (n + 1) * (1 - share)) - wanted;
  };
  double low = 1 / (n + 1), high = n / (n + 1);  // the least and the greatest value
  double at_low = excess(low), at_high = excess(high);
  if (at_low < 0 || at_high > 0) return {};
  // Regula falsi with the Illinois rule: EXCESS falls almost linearly.
  constexpr double k_accuracy = 1e-4;  // of a normal quantile
  constexpr int k_most_steps = 60;
  for (int i = 0, side = 0; i < k_most_steps; ++i) {
    if (at_low - at_high < k_accuracy) break;
    const double middle = (low * at_high - high * at_low) / (at_high - at_low);
    const double found = excess(middle);
    if (std::abs(found) < k_accuracy) return middle;
    if (found > 0) {
      low = middle;
      at_low = found;
      if (side > 0) at_high /= 2;
      side = 1;
    } else {
      high = middle;
      at_high = found;
      if (side < 0) at_low /= 2;
      side = -1;
    }
  }
  return (low + high) / 2;
}

double indicator_share(double p, double r) {
  assert(p > 0 && p < 1 && r >= 0 && r < 1);
  const double z = normal_quantile(p);
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
  const double scale = density * density / (p * (1 - p));
  constexpr int k_most_terms = 500;
  constexpr double k_negligible = 1e-5;
  double before = 0, now = 1;  // He[m-1](z) / sqrt((m-1)!)
  double power = 1;            // r^(m-1)
  double sum = 0;              // divided by r
  for (int m = 1; m <= k_most_terms && power > k_negligible; ++m) {
    sum += scale * now * now / m * power / (1 - power * r);
    power *= r;
    const double next = (z * now - std::sqrt(m - 1.0) * before) / std::sqrt(m);
    before = now;
    now = next;
  }
  return sum * (1 - r);
}

}  // namespace orch::statistics
