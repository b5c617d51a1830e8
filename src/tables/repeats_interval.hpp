// The spread over repeats and the 95 % interval of their mean, as SQL that any SQLite with math
// functions can run. Knows no table.
#pragma once

#include <string>
#include <string_view>

namespace orch::tables {

// VALUE and LIMIT are expressions over the rows of a group, one row per repeat: the mean of the
// repeat, and the limit of its own interval on this side, NULL without an interval.
//
// From two repeats on, the wider of two intervals:
// - Student's t over the means of the repeats. Repeats are independent, whatever correlation exists
//   within each, so that this interval alone covers the true mean in 95 % of all cases. It contains
//   the variance between runs and within runs.
// - The uncertainty of the mean from the repeats' own intervals, as if runs differed by nothing
//   else: sqrt(sum of their squared half-widths) / n. A repeat without an interval counts with the
//   average of the others. Few repeats sometimes agree by chance and make Student's t too narrow,
//   although each run reports a wide interval.
// Simulated in tests/tables/repeats_interval_test.cpp: with variance between repeats, 95 % of the
// intervals cover the true mean; without it, 99 % do, and the intervals are wider by 3 % with two
// repeats, 12 % with three and 34 % with ten. One repeat keeps its own limits. No limit is below
// zero unless a value is.
//
// Repeats on one server share it. Only `repeats.serve` measures the variance between servers; two
// servers with three measurements each are less information than six independent repeats, which
// this interval does not account for.
std::string lower_limit_over_repeats(std::string_view value, std::string_view limit);
std::string upper_limit_over_repeats(std::string_view value, std::string_view limit);

// Half the width of Student's 95 % interval of the mean of VALUE over the rows of a group, from two
// rows on.
std::string half_width_of_mean(std::string_view value);

// The standard deviation over all samples of all repeats, with equal weight per repeat: SPREAD is
// the standard deviation within one, VALUE its mean.
std::string spread_over_repeats(std::string_view value, std::string_view spread);

}  // namespace orch::tables
