// Rows, figures and metrics as text in reports, without markup.
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

// The values of those parameters of ROW that its group's name lacks, with the load if WITH_LOAD:
// "llama-cpp q8_0 c8". Numbers have a short name as a prefix. "" if there are no such parameters.
std::string label(const Report& report, const Row& row, bool with_load);
// The value of the parameter NAME in ROW, or "".
std::string value_of(const Report& report, const Row& row, std::string_view name);

// The interval of FIGURE: "±4.6%", "-1.6/+3.3%", "≥12.3"; "" if it has none.
std::string interval_text(const Figure& figure);
// The value of FIGURE with four digits, and a mark if it is not supported: "1,668*".
std::string value_text(const Figure& figure);

// A condition over columns in words: "precision = 'q8_0' AND tp < 4" is "precision q8_0, tp below
// 4". A condition that is not a list of comparisons is "a selection of points".
std::string selection_in_words(std::string_view sql);

// The subject of REPORT: "quickstart: 16 configurations of tiny on triton-openvino".
std::string headline(const Report& report);

// WARNING with N in place of its numbers, so that all warnings of a kind are equal.
std::string warning_kind(std::string_view warning);

std::string_view state_name(State state);

// Whether REPORT has too many rows to show every detail of each.
bool is_large(const Report& report);

// N with NOUN in singular or plural: "1 point", "2 points".
std::string count_of(std::size_t n, std::string_view noun);

// The summary of a report in plain words: the best of each group, and what is marked and why.

// The best row of a group by one metric.
struct BestOf {
  std::size_t row = 0, metric = 0;
  // The number of other rows of the group whose intervals overlap that of the best.
  std::size_t not_separated = 0;
  std::size_t without = 0;  // other rows without a value of the metric
};

struct GroupSummary {
  std::string name;
  std::size_t rows = 0;
  std::vector<BestOf> best;
};

// The best rows of each group by the metrics of the report's plot. Leaves out invalid rows, and
// percentiles that are not supported.
std::vector<GroupSummary> best_of_groups(const Report& report);

// Sentences on how certain it is that BEST leads GROUP: how many intervals overlap its own, whether
// it has one, and how many points have no value. Empty if there is nothing to mention.
std::vector<std::string> standing_in_words(const Report& report, const GroupSummary& group,
                                           const BestOf& best);

// Sentences about rows that are invalid, disturbed, unsupported or have warnings, and about
// failures.
std::vector<std::string> marks_in_words(const Report& report);

// The kinds of warnings, each with the number of points that have it, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> kinds_of_warnings(const Report& report);

}  // namespace orch::page
