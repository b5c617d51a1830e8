// Restricts SQLite to the work of an expression table: an authorizer with an allow-list of
// functions, limits on lengths, and a budget of steps per row.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;

namespace orch::sql {

// Functions that an expression may call: scalar, deterministic, and with a result whose length the
// arguments bound.
std::span<const std::string> expression_functions();

// Must outlive the connection that it guards.
class ExpressionGuard {
 public:
  // From now on statements may create, fill and read only the tables that are allowed.
  explicit ExpressionGuard(sqlite3* handle);
  ~ExpressionGuard();
  ExpressionGuard(const ExpressionGuard&) = delete;
  ExpressionGuard& operator=(const ExpressionGuard&) = delete;

  void allow_table(std::string table) { tables_.insert(std::move(table)); }
  // Clears the records of reads and refusals.
  void forget();
  // The columns of the table that SQLite has resolved since then.
  const std::set<std::string>& reads() const { return reads_; }
  // The function that the authorizer has refused since then; "" without one.
  const std::string& refused_function() const { return refused_function_; }

  // From now on no value may be longer than a parameter of a point can be.
  void limit_values();
  // Resets the budget of steps, for the next row.
  void allow_row() { steps_ = 0; }

 private:
  static int authorize(void* self, int action, const char* a, const char* b, const char* database,
                       const char* inner);
  static int count_steps(void* self);
  int decide(int action, std::string_view a, std::string_view b);
  bool allow_read(std::string_view table, std::string_view column);
  bool allow_function(std::string_view name);

  sqlite3* handle_;
  std::set<std::string, std::less<>> tables_;
  std::set<std::string> reads_;
  std::string refused_function_;
  std::int64_t steps_ = 0;
};

}  // namespace orch::sql
