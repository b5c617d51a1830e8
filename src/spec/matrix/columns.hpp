// The expressions of a matrix and its runner as one expression table, with the role of each and the
// columns that it reads.
#pragma once

#include "core/sql/expression_table.hpp"
#include "spec/matrix/expand.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

enum class Role { let, parameter, exclude, where, again, when, rule, warmup, provide, question };

// An expression of the table.
struct Column {
  Role role = Role::let;
  std::string name{};  // of a `let` or parameter
  std::string what{};  // for messages
  Places where{};
  const Parameter* parameter = nullptr;  // the parameter that it computes
  bool by_matrix = false;                // computed by a `let`, not by the runner's own expression
  const Rule* rule = nullptr;
  const Question* question = nullptr;
  std::size_t provision = 0;          // index in the matrix's `provide`
  std::optional<std::size_t> when{};  // for a rule: the column that is evaluated first
};

class Columns {
 public:
  // All must outlive this.
  Columns(const Matrix& matrix, const Vocabulary& vocabulary, const Known& known);

  // Appends an error for each expression that is faulty or reads a forbidden name. Returns whether
  // rows may be evaluated.
  bool create(const std::set<std::string>& unknown, const ExpandOptions& options, Errors& errors);

  sql::ExpressionTable& table() { return table_; }
  const std::vector<Column>& all() const { return columns_; }
  // The indices of the expressions with ROLE, in the order of all().
  const std::vector<std::size_t>& of(Role role) const;
  // The expression that computes NAME; nullopt if none does.
  std::optional<std::size_t> index_of(std::string_view name) const;
  const std::set<std::string>& reads(std::size_t column) const { return table_.reads(column); }

  // The index of the parameter or fact NAME among a row's inputs.
  std::size_t input(const std::string& name) const { return inputs_.at(name); }
  std::size_t inputs() const { return inputs_.size() + unknown_; }

 private:
  void add_inputs(const std::set<std::string>& unknown);
  void add_expressions(const ExpandOptions& options);
  void add_computed(const Parameter& parameter);
  void add_rule(const Rule& rule);
  void add(Column column, const std::string& sql, sql::ColumnType type = sql::ColumnType::any);
  const Expression* let_of(const std::string& name) const;
  void refuse_reserved_names(Errors& errors) const;
  void check_questions(Errors& errors) const;
  void check_model(Errors& errors) const;

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  const Known& known_;
  std::map<std::string, const Expression*> lets_;
  sql::ExpressionTable table_;
  std::vector<Column> columns_;  // in the order of the table's expressions
  std::map<Role, std::vector<std::size_t>> by_role_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::string, std::size_t> inputs_;
  std::size_t unknown_ = 0;  // inputs reserved for unknown names
};

// Checks `measure.goodput`, an expression over the metrics of one request.
void check_goodput(const Expression& goodput, Errors& errors);

}  // namespace orch::matrix
