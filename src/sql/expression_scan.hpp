// Reads the outline of an SQL expression - words, numbers, quotes, brackets, marks - to prove that
// it can stand between parentheses of ours without ever closing them. Knows no grammar beyond that:
// SQLite is the parser.
#pragma once

#include "base/result.hpp"

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
  std::string_view written;  // quotes included; a mark may be of several characters: "<="

  bool is(std::string_view mark) const { return kind == Kind::mark && written == mark; }
  bool is_word(std::string_view upper_case) const;
};

// What is wrong with an expression, at which byte.
struct Fault {
  std::size_t offset;
  std::string message;
};

struct Scan {
  std::vector<Token> tokens;   // views into the expression
  std::optional<Fault> fault;  // why the expression may not be put into a statement
};

// Refused: nothing but white space, more than k_expression_bytes, an open quote or parenthesis, a
// parenthesis that closes ours, `;`, comments, parameters (`?`, `:x`, `@x`, `$x`, `#x`) and NUL
// bytes.
Scan scan_expression(std::string_view expression);

// A comparison of one of the columns VERSIONS with a number that has no quotes: `0.10` would be the
// number 0.1.
std::optional<Fault> find_version_as_number(std::span<const Token> tokens,
                                            std::span<const std::string> versions);

// EXPRESSION with real division in place of every division; empty when it has none.
struct RealDivision {
  std::string sql;
  std::size_t offset;  // of the first division
};
std::optional<RealDivision> with_real_division(std::string_view expression,
                                               std::span<const Token> tokens);

}  // namespace orch::sql
