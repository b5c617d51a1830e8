// SQLite's words about a faulty expression, said again for somebody who wrote an expression and no
// statement.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orch::sql {

struct Refusal {
  std::string_view message{};           // sqlite3_errmsg
  std::string_view refused_function{};  // by the guard; "" when it refused none
  std::string_view own_name{};          // of the expression's column; "" when it has none
  bool at_end = false;                  // the fault stands behind the expression's last character
};

// NAMES are the columns that the expression could have read.
std::string explain_refusal(const Refusal& refusal, std::span<const std::string> names);

}  // namespace orch::sql
