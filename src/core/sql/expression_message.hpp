// Translates SQLite's message about a faulty statement into one about the expression that the user
// wrote.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orch::sql {

struct Refusal {
  std::string_view message{};           // sqlite3_errmsg
  std::string_view refused_function{};  // by the guard; "" without a refusal
  std::string_view own_name{};          // of the expression's column; "" without one
  bool at_end = false;                  // the fault is after the expression's last character
};

// NAMES are the columns that the expression could have read.
std::string explain_refusal(const Refusal& refusal, std::span<const std::string> names);

}  // namespace orch::sql
