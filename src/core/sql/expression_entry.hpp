// Internal data of an expression table: one entry per expression, and groups of expressions that
// are computed together. Private to src/core/sql.
#pragma once

#include "core/sql/expression_scan.hpp"
#include "core/sql/expression_table.hpp"
#include "core/sql/generated_columns.hpp"
#include "core/sql/value_pool.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace orch::sql {

struct ExpressionTable::Entry {
  TableExpression expression;
  std::size_t index;
  bool faulty = false;  // an error was reported
  std::string column;   // its name as a column of the table
  std::set<std::string> reads{};
  std::vector<std::size_t> sources{};       // indices in row_ of the values that it reads
  std::optional<std::size_t> given{};       // the index of its input, if overridable
  std::optional<RealDivision> real{};       // reset once a difference is reported
  std::optional<GeneratedColumns> alone{};  // once it has been computed alone
  Group* group = nullptr;
  std::size_t position = 0;  // in the members of the group

  GeneratedColumn generated() const {
    return {.column = {column, expression.type}, .sql = expression.sql};
  }
};

// Expressions that depend on the same values. A member may read earlier members.
struct ExpressionTable::Group {
  std::vector<std::size_t> sources;  // in row_
  std::vector<Entry*> members{};
  std::vector<Entry*>
      divided{};  // members with a second column for real division; after the members
  std::optional<GeneratedColumns> together{};
  std::optional<Combinations> remembered{};
  std::span<const ValueId> values{};  // of the members in this row; empty: compute each one alone
  std::vector<ValueId> computed{};
};

}  // namespace orch::sql
