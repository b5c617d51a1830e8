// A comparison as text for people: on a terminal, in a pull request, or on the page of a report.
#pragma once

#include "analysis/compare/read_comparison.hpp"
#include "analysis/compare/two_sides.hpp"
#include "analysis/page/report.hpp"
#include "results/query/table.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::compare {

// A comparison as tables: a short one for people, and one with every figure for programs and gates.

// The columns of the table `comparison`, which the SQL of a gate may use.
struct Column {
  std::string_view name, type, meaning;
  report::Cell (*of)(const Row&);
};
std::span<const Column> comparison_columns();

// One row for each metric over all points, whose point is '', and one for each metric at each
// point.
report::Table comparison_table(const Comparison& comparison);

// The metrics over all points, for people.
report::Table overall_table(const Comparison& comparison);
// The rows of single points: all of them if ALL, otherwise only those with a difference.
report::Table points_table(const Comparison& comparison, bool all);

// The verdict on ROW: "better by 9.5 %", "no difference larger than 5.2 % shown", "not enough data;
// 9 sessions a side would do", or "no claim: …".
std::string verdict_of(const Row& row, const Comparison& comparison);

// "3 sessions a side would allow a claim, about 12 min more".
std::string more_sessions(const Row& row, const Comparison& comparison);

// SHAPE is Format::table or Format::markdown. Each name or value from the store is on one line,
// escaped for a terminal or Markdown. Shows all points if EVERY_POINT, otherwise only those with a
// difference.
std::string answer_text(const Answer& answer, report::Format shape, bool every_point);

// A section with all metrics over all points, and the points with a difference.
page::ComparisonSection section_of(const Answer& answer);

}  // namespace orch::compare
