// Computes expressions with SQLite: a table of one row has the columns that they read, and a
// generated column per expression. Knows nothing of other tables.
#pragma once

#include "core/sql/expression_guard.hpp"
#include "core/sql/expression_table.hpp"

#include <span>
#include <string>

namespace orch::sql {

struct ColumnDefinition {
  std::string name;
  ColumnType type;
};

struct GeneratedColumn {
  ColumnDefinition column;
  std::string sql;  // checked by scan()
};

// The declared type that follows a column's name, such as ` TEXT COLLATE version`.
const char* type_sql(ColumnType type);

class GeneratedColumns {
 public:
  // TABLE is unique within DATABASE. DATABASE and GUARD must outlive the result. Error: the created
  // table does not have exactly these columns.
  static Result<GeneratedColumns> make(Database& database, ExpressionGuard& guard,
                                       const std::string& table,
                                       std::span<const ColumnDefinition> reads,
                                       std::span<const GeneratedColumn> generated);

  // Returns all values in the order of the generated columns, valid until the next call. INPUTS has
  // the order of the columns that are read. The cells must not move or change during the lifetime
  // of this object; an unchanged input is not bound again.
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
