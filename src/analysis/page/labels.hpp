// How a report writes rows, figures and metrics as text. Knows no markup.
#pragma once

#include "analysis/page/report.hpp"

namespace orch::page {

// "TTFT p99"
std::string metric_title(const Metric& metric);
// "TTFT p99, ms (lower is better)"
std::string axis_title(const Metric& metric);

// The values of ROW's parameters with one of ROLES, without those that equal those of its group's
// name: "llama-cpp q8_0 c8". Numbers carry a short name. "" without any.
std::string label(const Report& report, const Row& row, bool with_load);
// The value of the parameter NAME in ROW, or "".
std::string value_of(const Report& report, const Row& row, std::string_view name);

// "±4.6%", "-1.6/+3.3%", "≥12.3", or "" without an interval.
std::string interval_text(const Figure& figure);
// "1,668*": the value with four digits, and a mark if it is not supported.
std::string value_text(const Figure& figure);

// What a condition over columns selects, in words: "precision = 'q8_0' AND tp < 4" is "precision
// q8_0, tp below 4". A condition that is no list of comparisons is "a selection of points".
std::string selection_in_words(std::string_view sql);

// What REPORT is about: "quickstart: 16 configurations of tiny on triton-openvino".
std::string headline(const Report& report);

// A warning with its numbers as N, by which warnings of the same kind are counted.
std::string warning_kind(std::string_view warning);

std::string_view state_name(State state);

// So many rows that a page with every detail of each would be too large.
bool is_large(const Report& report);

// "1 point", "2 points"
std::string count_of(std::size_t n, std::string_view noun);

}  // namespace orch::page
