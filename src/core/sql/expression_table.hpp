// Expressions over the columns of one row, evaluated by SQLite. The base columns have declared
// types; every expression is a generated column, so SQLite itself refuses subqueries, aggregates,
// windows and unknown names. Expressions that read the same values are computed together, once per
// combination of values. Does not interpret columns or expressions.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "core/sql/value_pool.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::sql {

class ExpressionGuard;
class ExpressionRows;
class Expressions;

enum class ColumnType {
  any,  // values keep their type
  text,
  integer,
  real,
  // Text with the order of versions: 0.9.0 < 0.14.0, in every comparison, BETWEEN, IN, and in max()
  // and min(), where the first argument that is a column decides. Comparing with an unquoted number
  // is an error.
  version,
};

struct TableExpression {
  std::string name{};  // the column under which other expressions read it; "": not readable
  std::string what{};  // for messages: "let 'num_prompts'"
  std::string sql{};
  Places where{};
  ColumnType type = ColumnType::any;
  bool overridable =
      false;  // adds an input that replaces the expression's value unless the input is NULL
};

// An integer division that changed the result of an expression.
struct Division {
  std::size_t expression;  // its index
  std::size_t row;         // the first such row, counted from 0
  Cell as_written;
  Cell as_real;    // the result if every '/' divides reals
  Location where;  // of the first '/'
};

// Usage: add everything, call create() once, then evaluate() for each row.
class ExpressionTable {
 public:
  ExpressionTable();
  ~ExpressionTable();
  ExpressionTable(const ExpressionTable&) = delete;
  ExpressionTable& operator=(const ExpressionTable&) = delete;

  // Names must be unique regardless of case. Returns the index of the input.
  std::size_t add_column(std::string name, ColumnType type);
  // Returns the index of the expression.
  std::size_t add(TableExpression expression);

  // Appends one error per faulty expression to ERRORS, at the faulty character. Returns false if
  // there is one; evaluate() must then not be called.
  bool create(Errors& errors);

  // After create(), successful or not: the columns that expression INDEX names, as SQLite resolved
  // them.
  const std::set<std::string>& reads(std::size_t index) const;

  // The pool that ids in rows refer to. Can be used before create().
  ValueId intern(const Cell& cell) { return values_.intern(cell); }
  const Cell& cell(ValueId id) const { return values_.cell(id); }

  // Evaluates one row. INPUTS: the columns in the order of add_column, then the overridable
  // expressions in the order of add, each NULL or of the expression's type. RESULTS: one value for
  // every expression, in the order of add, a blob as text. If an expression cannot be computed
  // (integer overflow, text too long), the error is located at it.
  Status evaluate(std::span<const ValueId> inputs, std::span<ValueId> results);

  // The divisions found in the rows so far, at most one per expression, unordered. Call after
  // create().
  const std::vector<Division>& divisions() const;

 private:
  Result<Database> database_;
  std::unique_ptr<ExpressionGuard> guard_;
  std::unique_ptr<Expressions> expressions_;
  ValuePool values_;
  std::unique_ptr<ExpressionRows> rows_;  // after create()
};

// Whether WORD is an SQL keyword.
bool is_keyword(std::string_view word);

}  // namespace orch::sql
