// Rows, figures and metrics as text in reports. Knows no markup.
#pragma once

#include "analysis/page/report.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::page {

// "TTFT p99"
std::string metric_title(const Metric& metric);
// "TTFT p99, ms (lower is better)"
std::string axis_title(const Metric& metric);

// The values of ROW's parameters that its group's name does not have, with the load if WITH_LOAD:
// "llama-cpp q8_0 c8". Numbers carry a short name. "" without any.
std::string label(const Report& report, const Row& row, bool with_load);
// The value of the parameter NAME in ROW, or "".
std::string value_of(const Report& report, const Row& row, std::string_view name);

// "±4.6%", "-1.6/+3.3%", "≥12.3", or "" without an interval.
std::string interval_text(const Figure& figure);
// "1,668*": the value with four digits, and a mark if it is not supported.
std::string value_text(const Figure& figure);

// What a condition over columns selects, in words: "precision = 'q8_0' AND tp < 4" is "precision
// q8_0, tp below 4". Any condition other than a list of comparisons is "a selection of points".
std::string selection_in_words(std::string_view sql);

// What REPORT is about: "quickstart: 16 configurations of tiny on triton-openvino".
std::string headline(const Report& report);

// WARNING with its numbers as N, the same for all warnings of a kind.
std::string warning_kind(std::string_view warning);

std::string_view state_name(State state);

// Whether REPORT has too many rows for a page with every detail of each.
bool is_large(const Report& report);

// "1 point", "2 points"
std::string count_of(std::size_t n, std::string_view noun);

// The summary of a report in plain words: the best of each group, and what is marked and why.
// Knows no markup.

// The best of a group by one metric.
struct BestOf {
  std::size_t row = 0, metric = 0;
  // Other rows of the group whose interval overlaps that of the best.
  std::size_t not_separated = 0;
  std::size_t without = 0;  // other rows without a value of the metric
};

struct GroupSummary {
  std::string name;
  std::size_t rows = 0;
  std::vector<BestOf> best;
};

// For each group, by the metrics of the report's plot. Leaves out invalid rows and percentiles that
// their requests do not support.
std::vector<GroupSummary> best_of_groups(const Report& report);

// How certain it is that BEST leads GROUP, in words: whose intervals overlap its own, whether it
// has one, and how many points have no value to compare with. Empty if there is nothing to mention.
std::vector<std::string> standing_in_words(const Report& report, const GroupSummary& group,
                                           const BestOf& best);

// Sentences about what is invalid, disturbed, unsupported, warned of or failed.
std::vector<std::string> marks_in_words(const Report& report);

// The kinds of warnings with the number of points that have one, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> kinds_of_warnings(const Report& report);

}  // namespace orch::page
