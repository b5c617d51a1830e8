#include "results/tables/repeats_interval.hpp"

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

}  // namespace

std::string half_width_of_mean(std::string_view value) {
  return fmt::format("({}) * {}", fmt::format(k_student_t, value),
                     fmt::format(k_standard_error, value));
}

}  // namespace orch::tables
