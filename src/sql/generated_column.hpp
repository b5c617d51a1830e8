// One expression as what SQLite computes: a table of one row with the columns that the expression reads, and itself as a
// generated column. Knows nothing of other expressions.
#pragma once

#include "sql/expression_guard.hpp"
#include "sql/expression_table.hpp"

#include <span>
#include <string>

namespace orch::sql {

struct ColumnDefinition {
  std::string name;
  ColumnType type;
};

// ` TEXT COLLATE version` and the like, as it stands behind a column's name.
const char* type_sql(ColumnType type);

class GeneratedColumn {
 public:
  // TABLE is a name of its own within DATABASE, which outlives this as GUARD does. The columns that SQLite then has must be
  // exactly ours. SQL has been scanned.
  static Result<GeneratedColumn> make(Database& database, ExpressionGuard& guard, const std::string& table,
                                      std::span<const ColumnDefinition> reads, const std::string& sql, ColumnType type);

  // The expression's value, a blob as text; INPUTS in the order of the columns that it reads.
  Result<Cell> compute(std::span<const Cell* const> inputs);

 private:
  GeneratedColumn(ExpressionGuard& guard, Statement insert, Statement select)
      : guard_(&guard), insert_(std::move(insert)), select_(std::move(select)) {}

  ExpressionGuard* guard_;
  Statement insert_;
  Statement select_;
};

}  // namespace orch::sql
