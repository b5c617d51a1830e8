// A condition on configurations in SQL, and whether the intervals of figures leave it open. Reads
// no store: SQLite evaluates the condition with the figures themselves.
#pragma once

#include "core/base/result.hpp"
#include "core/statistics/limits.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orch::best {

// COLUMN OPERATOR NUMBER, such as ttft_ms_p99 < 50.
struct Comparison {
  std::string column;
  std::string operation;  // <, <=, >, >=, =, <>
  double number = 0;
  std::string written;  // as in the condition
};

// A condition as the conjunction of its parts.
struct Condition {
  std::vector<Comparison> comparisons;
  std::vector<std::string> others;  // parts of any other form, as written
};

// Errors: a text that is no single expression.
Result<Condition> read_condition(const std::string& sql);

// A figure with the limits of its interval, which may be empty.
struct Figure {
  double value = 0;
  statistics::Limits limits{};
};

enum class Kept {
  surely,  // by the whole interval
  open,    // by one end of the interval and not by the other, or an end is unknown
  broken,  // by the whole interval
};

Kept judge(const Comparison& comparison, const Figure& figure);

// "44.3 (38.2 to 61)" with the digits that the interval allows.
std::string figure_text(const Figure& figure);

}  // namespace orch::best
