// Expressions over the columns of one row, evaluated by SQLite. The base columns have declared types; every expression
// is a generated column, so that SQLite itself refuses subqueries, aggregates, windows and unknown names.
// Knows nothing of what columns and expressions mean.
#pragma once

#include "base/result.hpp"
#include "sql/database.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace orch::sql {

class ExpressionGuard;

enum class ColumnType {
  any,  // values stay what they are
  text,
  integer,
  real,
  version,  // text; compares as a version: 0.9.0 < 0.14.0
};

struct TableExpression {
  std::string name{};  // the column that other expressions read; "": nobody can read it
  std::string what{};  // for messages: "let 'num_prompts'"
  std::string sql{};
  Places where{};
  ColumnType type = ColumnType::any;
  bool overridable = false;  // one more input: where it is not NULL, it stands instead of the expression's value
};

// Use: add everything, create() once, then insert() and read() in batches.
class ExpressionTable {
 public:
  ExpressionTable();
  ~ExpressionTable();
  ExpressionTable(const ExpressionTable&) = delete;
  ExpressionTable& operator=(const ExpressionTable&) = delete;

  // Names are unique, case aside. Returns the index of the input.
  std::size_t add_column(std::string name, ColumnType type);
  // Returns the index of the expression.
  std::size_t add(TableExpression expression);

  // Every faulty expression is one error at its own place, appended to ERRORS. False: nothing may be inserted.
  bool create(Errors& errors);

  // After create(), whether it succeeded or not: the columns that expression INDEX names, as SQLite resolved them.
  const std::set<std::string>& reads(std::size_t index) const;

  // One row: the columns in the order of add_column, then the overridable expressions in the order of add. An expression
  // that cannot be computed for it (integer overflow, text too long) is an error at the expression's place.
  Status insert(std::span<const Cell> inputs);

  // RESULTS: one cell for every expression, in the order of add, a blob as text; valid during the call.
  using Sink = std::function<void(std::size_t row, std::span<const Cell> results)>;
  // Gives every row inserted since the last read, in that order, and forgets them.
  Status read(const Sink& sink);

 private:
  struct Column {
    std::string name;
    ColumnType type;
  };
  struct Entry {
    TableExpression expression;
    std::string column;           // its name in the table
    std::set<std::string> reads;
  };

  void resolve(Errors& errors);
  std::optional<Error> resolve_one(Entry& entry);
  void refuse_loops(Errors& errors);
  Status create_table();
  Status check_schema();
  Status prepare_statements();
  Status insert_row(std::span<const Cell> inputs);
  Error faulty_expression(std::span<const Cell> inputs);
  std::optional<Error> fault_of(const Entry& entry, std::map<std::string, Cell>& values, bool compute);

  std::string columns_sql(const Entry* probed) const;
  std::vector<std::string> visible_names() const;
  const Entry* find(std::string_view name) const;
  Error located(const Entry& entry, std::string message) const;

  Result<Database> database_;
  std::unique_ptr<ExpressionGuard> guard_;
  std::vector<Column> columns_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> order_;  // of entries_, every one after what it reads
  std::optional<Statement> insert_;
  std::optional<Statement> select_;
  std::optional<Statement> clear_;
  std::size_t inputs_ = 0;
};

// Is WORD a keyword of SQL?
bool is_keyword(std::string_view word);

}  // namespace orch::sql
