// The spread of repeats and the 95 % interval of their mean, as SQL that any SQLite can run. Knows
// no table.
#pragma once

#include <string>
#include <string_view>

namespace orch::tables {

// VALUE and LIMIT are expressions over rows that a GROUP BY takes together, a row per repeat: its
// mean, and the limit on this side of the interval within it, NULL where it has none.
//
// From two repeats on, the wider of two:
// - Student's t over the repeats' means. Repeats are independent whatever follows what within each,
// so that this alone holds
//   the true mean in 95 % of all cases: what differs from run to run is in it, and so is what
//   varies within a run.
// - what the repeats' own intervals leave of doubt about their mean, as if nothing else differed:
// sqrt(sum of their squared
//   half-widths) / n; a repeat that has none is taken to be known as well as the others are on
//   average. Few repeats agree by chance now and then; their t is narrow then, although each run
//   says that it does not know its mean so well.
// Simulated (tests/tables/repeats_interval_test.cpp): where repeats differ 95 % hold the true mean; where
// they differ by nothing but the noise within them 99 %, in intervals that are wider by 3 % of two
// repeats, 12 % of three and 34 % of ten. The limits of one repeat are its own. Not below zero
// where no value is.
//
// Repeats on one server share it: where servers differ, only `repeats.serve` says how much, and two
// servers measured thrice each are fewer than six repeats, which this does not know.
std::string lower_limit_over_repeats(std::string_view value, std::string_view limit);
std::string upper_limit_over_repeats(std::string_view value, std::string_view limit);

// The standard deviation of what all repeats hold together, each as much as another: SPREAD is that
// within one, VALUE its mean.
std::string spread_over_repeats(std::string_view value, std::string_view spread);

}  // namespace orch::tables
