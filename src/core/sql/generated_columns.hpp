// Computes expressions with SQLite: a one-row table has the columns that the expressions read, and
// a generated column per expression.
#pragma once

#include "core/sql/database.hpp"
#include "core/sql/expression_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct sqlite3;

namespace orch::sql {

// Restricts SQLite to the work of an expression table: an authorizer with an allow-list of
// functions, limits on lengths, and a step budget per row.

// Functions that an expression may call: scalar, deterministic, and with a result bounded by the
// length of the arguments.
std::span<const std::string> expression_functions();

// Must not outlive the connection of HANDLE, from which its destructor detaches it.
class ExpressionGuard {
 public:
  // From construction on, statements may create, fill and read only the allowed tables.
  explicit ExpressionGuard(sqlite3* handle);
  ~ExpressionGuard();
  ExpressionGuard(const ExpressionGuard&) = delete;
  ExpressionGuard& operator=(const ExpressionGuard&) = delete;

  void allow_table(std::string table) { tables_.insert(std::move(table)); }
  // Clears the records of reads and refusals.
  void forget();
  // The columns of allowed tables that SQLite has resolved since forget().
  const std::set<std::string>& reads() const { return reads_; }
  // The first function that the authorizer has refused since forget(), or "".
  const std::string& refused_function() const { return refused_function_; }

  // From now on limits the length of values to that of a point's parameter.
  void limit_values();
  // Resets the step budget, for the next row.
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

struct ColumnDefinition {
  std::string name;
  ColumnType type;
};

struct GeneratedColumn {
  ColumnDefinition column;
  std::string sql;  // checked by scan_expression()
};

// The declared type that follows a column's name, such as ` TEXT COLLATE version`.
const char* type_sql(ColumnType type);

class GeneratedColumns {
 public:
  // TABLE is unique within DATABASE. DATABASE and GUARD must outlive the result. Error: SQLite
  // rejects an expression, or the created table does not have exactly these columns.
  static Result<GeneratedColumns> make(Database& database, ExpressionGuard& guard,
                                       const std::string& table,
                                       std::span<const ColumnDefinition> reads,
                                       std::span<const GeneratedColumn> generated);

  // Returns all values in the order of the generated columns, valid until the next call. INPUTS is
  // in the order of the columns that are read. The cells must not move or change during the
  // lifetime of this object; an unchanged input is not bound again.
  Result<std::span<const Cell>> compute(std::span<const Cell* const> inputs);

 private:
  GeneratedColumns(ExpressionGuard& guard, Statement insert, Statement select,
                   std::size_t generated)
      : guard_(&guard),
        insert_(std::move(insert)),
        select_(std::move(select)),
        values_(generated) {}

  ExpressionGuard* guard_;
  Statement insert_;
  Statement select_;
  std::vector<const Cell*> bound_;
  std::vector<Cell> values_;
};

// Compares an expression's results with integer and with real division.

// Whether both cells hold the same number, or texts that differ only in the notation of whole
// numbers ("bs4", "bs4.0").
bool same_but_for_type(const Cell& as_written, const Cell& as_real);

}  // namespace orch::sql
