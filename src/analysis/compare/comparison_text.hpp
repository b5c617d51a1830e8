// A comparison as text for people: on a terminal, in a pull request, or in the page of a report.
// Prints nothing.
#pragma once

#include "analysis/compare/read_comparison.hpp"
#include "analysis/page/report.hpp"
#include "results/query/table.hpp"

#include <string>

namespace orch::compare {

// SHAPE is Format::table or Format::markdown. Names and values from the store are on one line each,
// and mean nothing to a terminal or to Markdown. With EVERY_POINT every point, else those that
// differ.
std::string answer_text(const Answer& answer, report::Format shape, bool every_point);

// All metrics over all points, and the points that differ.
page::ComparisonSection section_of(const Answer& answer);

}  // namespace orch::compare
