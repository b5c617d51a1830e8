// The parts of an expression table: its columns and expressions, and the evaluation of rows in
// groups of expressions that are computed together. Private to src/core/sql.
#pragma once

#include "core/sql/expression_scan.hpp"
#include "core/sql/expression_table.hpp"
#include "core/sql/generated_columns.hpp"
#include "core/sql/value_pool.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::sql {

struct ExpressionGroup;

struct ExpressionEntry {
  TableExpression expression;
  std::size_t index;
  std::string column;   // its name as a column of the table
  bool faulty = false;  // an error was reported
  std::set<std::string> reads{};
  std::size_t place = 0;                    // of its value among the values of a row
  std::vector<std::size_t> sources{};       // places of the values that it reads
  std::optional<std::size_t> given{};       // the index of its input, if overridable
  std::optional<RealDivision> real{};       // reset once a difference is reported
  std::optional<GeneratedColumns> alone{};  // once it has been compiled alone
  ExpressionGroup* group = nullptr;
  std::size_t position = 0;  // in the members of the group

  bool is_readable() const { return !expression.name.empty(); }
  GeneratedColumn generated() const {
    return {.column = {column, expression.type}, .sql = expression.sql};
  }
  // An error at the character at OFFSET.
  Error located(std::string_view message, std::size_t offset = 0) const;
};

// The columns and expressions of a table. The values of a row are those of the columns, then those
// of the expressions.
class Expressions {
 public:
  std::size_t add_column(std::string name, ColumnType type);
  std::size_t add(TableExpression expression);
  // Sets which values of a row each expression reads. Call once, after SQLite has resolved all
  // names.
  void link();

  std::size_t columns() const { return columns_.size(); }
  std::size_t values() const { return columns_.size() + entries_.size(); }
  std::size_t inputs() const { return inputs_; }  // after link()
  std::deque<ExpressionEntry>& all() { return entries_; }
  const std::deque<ExpressionEntry>& all() const { return entries_; }
  // The expression at PLACE in a row; null for a column.
  const ExpressionEntry* at(std::size_t place) const {
    return place < columns_.size() ? nullptr : &entries_[place - columns_.size()];
  }
  // The expression that others read as NAME; null if there is none.
  ExpressionEntry* find(std::string_view name);

  // The names that ENTRY may read.
  std::vector<std::string> names_visible_to(const ExpressionEntry& entry) const;
  // The names of columns and expressions of type version.
  std::vector<std::string> versions() const;
  // Definitions of the columns that the text of PROBED names, not generated; ends with a comma.
  // PROBED cannot read others, and SQLite would parse all of them, often hundreds, for each
  // expression.
  std::string columns_sql(const ExpressionEntry& probed) const;
  std::vector<ColumnDefinition> definitions(std::span<const std::size_t> places) const;

 private:
  std::vector<ColumnDefinition> columns_;
  std::deque<ExpressionEntry> entries_;
  std::size_t inputs_ = 0;
};

// Expressions that depend on the same values. A member may read earlier members.
struct ExpressionGroup {
  std::vector<std::size_t> sources;  // places in a row
  std::vector<ExpressionEntry*> members{};
  std::vector<ExpressionEntry*>
      divided{};  // members with a second column for real division; after the members
  std::optional<GeneratedColumns> together{};
  std::optional<Combinations> remembered{};
  std::span<const ValueId> values{};  // of the members in this row; empty: compute each one alone
  std::vector<ValueId> computed{};
};

class ExpressionRows {
 public:
  // All must outlive this. EXPRESSIONS are linked.
  ExpressionRows(Expressions& expressions, Database& database, ExpressionGuard& guard,
                 ValuePool& values)
      : expressions_(expressions),
        database_(database),
        guard_(guard),
        values_(values),
        row_(expressions.values()) {}

  // Compiles all expressions in groups. In ORDER each follows those that it reads.
  Status compile(std::vector<ExpressionEntry*> order);
  Status compile_alone(ExpressionEntry& entry);

  // Call after compile(). As ExpressionTable::evaluate().
  Status evaluate(std::span<const ValueId> inputs, std::span<ValueId> results);
  const std::vector<Division>& divisions() const { return divisions_; }

 private:
  ExpressionGroup& group_for(const ExpressionEntry& entry);
  Status compile_together(ExpressionGroup& group);
  void look_up(ExpressionGroup& group);
  void compare_divisions(const ExpressionGroup& group, std::span<const Cell> as_real);
  Result<ValueId> compute_alone(ExpressionEntry& entry);
  void read(std::span<const std::size_t> places);
  std::span<const Cell* const> cells_read();

  Expressions& expressions_;
  Database& database_;
  ExpressionGuard& guard_;
  ValuePool& values_;
  std::vector<ExpressionEntry*> order_;
  std::deque<ExpressionGroup> groups_;
  std::vector<ValueId> row_;
  std::vector<ValueId> read_;  // by one group or expression
  std::vector<const Cell*> cells_;
  std::size_t rows_ = 0;
  std::vector<Division> divisions_;
};

}  // namespace orch::sql
