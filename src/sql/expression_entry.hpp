// What an expression table holds for each expression, and for those that it computes together. Only
// for its .cpp files.
#pragma once

#include "sql/combinations.hpp"
#include "sql/expression_scan.hpp"
#include "sql/expression_table.hpp"
#include "sql/generated_columns.hpp"

#include <optional>

namespace orch::sql {

struct ExpressionTable::Entry {
  TableExpression expression;
  std::size_t index;
  bool faulty = false;  // told already
  std::string column;   // its name in the table
  std::set<std::string> reads{};
  std::vector<std::size_t> sources{};  // of what it reads, in row_
  std::optional<std::size_t> given{};  // overridable: its input
  std::optional<RealDivision> real{};  // until it has made a difference
  std::optional<GeneratedColumns> alone{};
  Group* group = nullptr;
  std::size_t position = 0;  // among the members of the group

  GeneratedColumn generated() const {
    return {.column = {column, expression.type}, .sql = expression.sql};
  }
};

// Expressions that are decided by the same values. A member may read others that stand before it.
struct ExpressionTable::Group {
  std::vector<std::size_t> sources;  // in row_
  std::vector<Entry*> members{};
  std::vector<Entry*> divided{};  // members whose real division is computed too, behind the members
  std::optional<GeneratedColumns> together{};  // none: it would be one member alone
  std::optional<Combinations> remembered{};
  std::span<const ValueId>
      values{};  // of the members, in this row; empty: each has to be computed alone
  std::vector<ValueId> computed{};
};

}  // namespace orch::sql
