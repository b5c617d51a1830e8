// Reads the outline of an SQL expression - quotes, brackets, marks - to prove that it can stand between parentheses of
// ours without ever closing them. Knows no grammar beyond that: SQLite is the parser.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orch::sql {

inline constexpr std::size_t k_expression_bytes = 10'000;

// Why EXPRESSION may not be put into a statement, in words; empty when it may. Refused: nothing but white space, more
// than k_expression_bytes, an open quote or parenthesis, a parenthesis that closes ours, `;`, comments, parameters
// (`?`, `:x`, `@x`, `$x`, `#x`) and NUL bytes.
std::optional<std::string> refuse_expression(std::string_view expression);

}  // namespace orch::sql
