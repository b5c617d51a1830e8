#include "tables/repeats_interval.hpp"

#include <fmt/format.h>

namespace orch::tables {

namespace {

// The 97.5 % quantile of Student's t: the Cornish-Fisher expansion about the normal quantile
// (Abramowitz and Stegun 26.7.5), exact to 0.0004 from 4 degrees of freedom on; fewer degrees are
// tabulated. {0} is the value; the degrees of freedom are its count minus one.
constexpr std::string_view k_student_t =
    "CASE count({0}) WHEN 2 THEN 12.7062 WHEN 3 THEN 4.3027 WHEN 4 THEN 3.1824 "
    "ELSE 1.959964 + (2.372271 + (2.822499 + (2.555850 + 1.589534 / (count({0}) - 1)) / "
    "(count({0}) - 1)) / (count({0}) - 1)) / (count({0}) - 1) END";

// The variance of equal values would be rounding error.
constexpr std::string_view k_standard_error =
    "CASE WHEN min({0}) < max({0}) THEN sqrt(max(0.0, sum({0} * {0}) - sum({0}) * avg({0})) / "
    "(count({0}) * (count({0}) - 1.0))) ELSE 0.0 END";

// The interval of one run uses Student's t with 7 degrees of freedom, 2.3646
// (measure/interval.hpp); all runs together have many: 1.9600 / 2.3646. A run without an interval
// counts with the average of those that have one.
constexpr std::string_view k_of_runs =
    "0.8289 * coalesce(sqrt(avg(({0} - {1}) * ({0} - {1})) / count({0})), 0.0)";

std::string half_width(std::string_view value, std::string_view limit) {
  return fmt::format("max(({}) * {}, {})", fmt::format(k_student_t, value),
                     fmt::format(k_standard_error, value), fmt::format(k_of_runs, value, limit));
}

}  // namespace

std::string half_width_of_mean(std::string_view value) {
  return fmt::format("({}) * {}", fmt::format(k_student_t, value),
                     fmt::format(k_standard_error, value));
}

std::string spread_over_repeats(std::string_view value, std::string_view spread) {
  return fmt::format(
      "CASE WHEN count({0}) < 2 THEN min({1}) ELSE sqrt(avg({1} * {1}) + max(0.0, avg({0} * {0}) - "
      "avg({0}) * avg({0}))) END",
      value, spread);
}

std::string lower_limit_over_repeats(std::string_view value, std::string_view limit) {
  return fmt::format(
      "CASE WHEN count({0}) < 2 THEN min({1}) ELSE max(avg({0}) - {2}, iif(min({0}) >= 0, 0.0, "
      "-9e999)) END",
      value, limit, half_width(value, limit));
}

std::string upper_limit_over_repeats(std::string_view value, std::string_view limit) {
  return fmt::format("CASE WHEN count({0}) < 2 THEN max({1}) ELSE avg({0}) + {2} END", value, limit,
                     half_width(value, limit));
}

}  // namespace orch::tables
