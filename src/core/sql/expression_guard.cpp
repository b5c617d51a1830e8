#include "core/sql/expression_guard.hpp"

#include "core/base/text.hpp"

#include <sqlite3.h>

namespace orch::sql {

namespace {

constexpr int k_value_bytes = 64 * 1024;
constexpr int k_pattern_bytes = 1000;
constexpr int k_steps_between_calls = 1000;
constexpr std::int64_t k_steps_per_row = 10'000'000;

bool is_schema(std::string_view table) {
  return table == "sqlite_master" || table == "sqlite_schema";
}

bool is_inspection(std::string_view pragma) {
  return pragma == "table_xinfo" || pragma == "index_list" || pragma == "foreign_key_list";
}

}  // namespace

std::span<const std::string> expression_functions() {
  static const std::vector<std::string> k_names = {
      "abs",   "ceil",   "ceiling", "coalesce",  "exp",  "floor", "glob",    "ifnull", "iif",
      "instr", "length", "like",    "ln",        "log",  "log10", "log2",    "lower",  "ltrim",
      "max",   "min",    "mod",     "nullif",    "pow",  "power", "replace", "round",  "rtrim",
      "sign",  "sqrt",   "substr",  "substring", "trim", "trunc", "typeof",  "upper",
  };
  return k_names;
}

ExpressionGuard::ExpressionGuard(sqlite3* handle) : handle_(handle) {
  sqlite3_set_authorizer(handle_, &ExpressionGuard::authorize, this);
  sqlite3_progress_handler(handle_, k_steps_between_calls, &ExpressionGuard::count_steps, this);
  sqlite3_limit(handle_, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, k_pattern_bytes);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
}

ExpressionGuard::~ExpressionGuard() {
  sqlite3_set_authorizer(handle_, nullptr, nullptr);
  sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
}

void ExpressionGuard::forget() {
  reads_.clear();
  refused_function_.clear();
  allow_row();
}

void ExpressionGuard::limit_values() { sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, k_value_bytes); }

// NOLINTNEXTLINE(readability-function-size): the signature is SQLite's
int ExpressionGuard::authorize(void* self, int action, const char* a, const char* b, const char*,
                               const char*) {
  return static_cast<ExpressionGuard*>(self)->decide(action, a ? a : "", b ? b : "");
}

int ExpressionGuard::count_steps(void* self) {
  auto* guard = static_cast<ExpressionGuard*>(self);
  guard->steps_ += k_steps_between_calls;
  return guard->steps_ > k_steps_per_row ? 1 : 0;
}

int ExpressionGuard::decide(int action, std::string_view a, std::string_view b) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_TRANSACTION: return SQLITE_OK;
    case SQLITE_CREATE_TABLE:
    case SQLITE_DELETE: return tables_.contains(a) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_INSERT: return tables_.contains(a) || is_schema(a) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE: return is_schema(a) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_READ: return allow_read(a, b) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION: return allow_function(b) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA: return is_inspection(a) ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
  }
}

bool ExpressionGuard::allow_read(std::string_view table, std::string_view column) {
  if (!tables_.contains(table)) return is_schema(table);
  reads_.emplace(column);
  return true;
}

bool ExpressionGuard::allow_function(std::string_view name) {
  const std::string wanted = lower(name);
  const auto known = expression_functions();
  if (std::ranges::find(known, wanted) != known.end()) return true;
  if (refused_function_.empty()) refused_function_ = wanted;
  return false;
}

}  // namespace orch::sql
