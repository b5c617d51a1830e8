// Which sides of a matrix are compared until a difference is decided: from
// `measure.until_difference` or from `run --resolve "A against B"`. Knows no store and starts
// nothing.
#pragma once

#include "core/base/result.hpp"
#include "spec/matrix/matrix.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::rounds {

struct Side {
  std::string label;  // for users: "q8_0"
  std::string sql;    // true for its points; over the parameters of a point
};

struct Question {
  std::string metric;       // a column of `results`
  double size = 0;          // the difference that matters, as a share
  int most = 0;             // sessions of a side
  std::vector<Side> sides;  // two at least; each is compared with the first
};

// What the command line says; it takes precedence over the matrix.
struct Asked {
  std::string resolve{};             // "A against B"; "" for what the matrix says
  std::string size{};                // "3 %"; "" for that of the matrix, else 3 %
  std::string metric{};              // "" for that of the matrix, else output_tps
  std::optional<int> most{};         // empty: that of the matrix, else 10
  std::optional<double> budget_s{};  // no round begins that would probably end later
};

// Empty: neither MATRIX nor ASKED has a question. The sides of `--resolve` are two values of one
// axis of MATRIX or, if they are not, SQL over the parameters of a point, which is not checked
// here.
Result<std::optional<Question>> question_of(const matrix::Matrix& matrix, const Asked& asked);

// "90m" or "2h 30m" in seconds; units are s, m, h and d. Empty: TEXT is no duration above 0.
std::optional<double> seconds_of(std::string_view text);

// SQL that is true for the points that have all of SETS.
std::string sql_of(const matrix::Settings& sets);

}  // namespace orch::rounds
