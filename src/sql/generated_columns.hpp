// Expressions as what SQLite computes: a table of one row with the columns that they read, and each
// of them as a generated column. Knows nothing of other tables.
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

struct GeneratedColumn {
  ColumnDefinition column;
  std::string sql;  // has been scanned
};

// ` TEXT COLLATE version` and the like, as it stands behind a column's name.
const char* type_sql(ColumnType type);

class GeneratedColumns {
 public:
  // TABLE is a name of its own within DATABASE, which outlives this as GUARD does. The columns that
  // SQLite then has must be exactly ours.
  static Result<GeneratedColumns> make(Database& database, ExpressionGuard& guard,
                                       const std::string& table,
                                       std::span<const ColumnDefinition> reads,
                                       std::span<const GeneratedColumn> generated);

  // All values, in the order of the generated columns, valid until the next call. INPUTS in the
  // order of the columns that are read; each cell stays where and as it is as long as this lives,
  // and is not bound again while it stays an input.
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

}  // namespace orch::sql
