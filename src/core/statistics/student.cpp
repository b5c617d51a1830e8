#include "core/statistics/student.hpp"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <array>
#include <cassert>
#include <cmath>

namespace orch::statistics {
namespace {

// Without promotion to long double, which is four times as slow for digits that nobody prints.
using Policy = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using Student = boost::math::students_t_distribution<double, Policy>;
using Fisher = boost::math::fisher_f_distribution<double, Policy>;

// Intervals of 95 % with whole degrees of freedom are computed for each metric and each row of
// results: the quantile takes a microsecond, its table a nanosecond.
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

}  // namespace orch::statistics
