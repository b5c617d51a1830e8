// A comparison as text for people: on a terminal, in a pull request, or in the page of a report.
// Prints nothing.
#pragma once

#include "analysis/compare/read_comparison.hpp"
#include "analysis/compare/two_sides.hpp"
#include "analysis/page/report.hpp"
#include "results/query/table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::compare {

// A comparison as tables: for people, and with every figure for programs and gates. Prints nothing.

// The columns of the table `comparison`, over which a gate is written.
struct Column {
  std::string_view name, type, meaning;
  report::Cell (*of)(const Row&);
};
std::span<const Column> comparison_columns();

// A row for each metric over all points, with point '', and for each metric at each point.
report::Table comparison_table(const Comparison& comparison);

// The metrics over all points, for people.
report::Table overall_table(const Comparison& comparison);
// The rows at points: every one with ALL, otherwise those that differ.
report::Table points_table(const Comparison& comparison, bool all);

// "better by 9.5 %", "no difference larger than 5.2 % shown", "no claim: …", with what would help.
std::string verdict_of(const Row& row, const Comparison& comparison);

// "3 sessions a side would allow a claim, about 12 min more".
std::string more_sessions(const Row& row, const Comparison& comparison);

// SHAPE is Format::table or Format::markdown. Names and values from the store are on one line each,
// escaped for a terminal or Markdown. Every point with EVERY_POINT, otherwise those that differ.
std::string answer_text(const Answer& answer, report::Format shape, bool every_point);

// All metrics over all points, and the points that differ.
page::ComparisonSection section_of(const Answer& answer);

}  // namespace orch::compare
