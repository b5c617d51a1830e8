// Splits an SQL expression into words, numbers, quoted texts, brackets and operators, to prove that
// it can be embedded in parentheses without closing them. Leaves the rest of the grammar to SQLite.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::sql {

inline constexpr std::size_t k_expression_bytes = 10'000;

struct Token {
  enum class Kind { word, quoted_name, text, number, mark };

  Kind kind;
  std::size_t begin;
  std::string_view written;  // with quotes; an operator may have several characters: "<="

  bool is(std::string_view mark) const { return kind == Kind::mark && written == mark; }
  bool is_word(std::string_view upper_case) const;
};

// An error in an expression, and its byte offset.
struct Fault {
  std::size_t offset;
  std::string message;
};

struct Scan {
  std::vector<Token> tokens;   // views into the expression
  std::optional<Fault> fault;  // why the expression must not be embedded in a statement
};

// Refuses an expression of white space only or of more than k_expression_bytes, an open quote or
// parenthesis, an unmatched closing parenthesis, `;`, comments, parameters (`?`, `:x`, `@x`, `$x`,
// `#x`) and NUL bytes.
Scan scan_expression(std::string_view expression);

// Finds a comparison of a column of VERSIONS that would not follow the order of versions: with an
// unquoted number (`0.10` would be 0.1), or as text after a function, CASE, || or COLLATE.
std::optional<Fault> find_version_as_number(std::span<const Token> tokens,
                                            std::span<const std::string> versions);

// The offset of the fault if SQLite gives only MESSAGE: that of the first token that MESSAGE
// contains; 0 if it contains none.
std::size_t offset_in(std::string_view message, std::span<const Token> tokens);

// EXPRESSION with every division made a real division; nullopt if it has none.
struct RealDivision {
  std::string sql;
  std::size_t offset;  // of the first division
};
std::optional<RealDivision> with_real_division(std::string_view expression,
                                               std::span<const Token> tokens);

// Translates SQLite's message about a faulty statement into one about the user's expression.

struct Refusal {
  std::string_view message{};           // sqlite3_errmsg
  std::string_view refused_function{};  // by the guard; "" if none
  std::string_view own_name{};          // of the expression's column; "" if none
  bool at_end = false;                  // the fault is after the expression's last character
};

// NAMES are the columns that the expression could have read.
std::string explain_refusal(const Refusal& refusal, std::span<const std::string> names);

}  // namespace orch::sql
