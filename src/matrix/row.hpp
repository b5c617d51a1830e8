// One row on its way through the expression table: its inputs, the values of its parameters, and
// what the expressions gave. Knows no point.
#pragma once

#include "matrix/columns.hpp"
#include "matrix/rows.hpp"
#include "matrix/waits.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orch::matrix {

class Row {
 public:
  // All must outlive this.
  Row(const Matrix& matrix, const Vocabulary& vocabulary, const Known& known,
      const Assignment& assignment, Columns& columns);

  // Becomes row INDEX of ROWS. An expression that cannot be computed is an error.
  Status load(const Rows& rows, std::size_t index);

  std::size_t index() const { return index_; }
  const sql::Cell& result(std::size_t column) const {
    return columns_.table().cell(results_[column]);
  }
  sql::ValueId result_id(std::size_t column) const { return results_[column]; }
  // The unknown facts behind a column.
  std::span<const std::string> waits(std::size_t column) const {
    return waits_ ? std::span<const std::string>((*waits_)[column])
                  : std::span<const std::string>();
  }

  // The column is computed, and facts stand behind it, known or not.
  bool depends_on_facts(std::size_t column) const { return behind_ && !(*behind_)[column].empty(); }

  const std::shared_ptr<ParameterTable>& table() const { return table_; }
  // As the table's names; nullptr: no value.
  const std::vector<const Value*>& values() const { return values_; }
  const Value* value(const std::string& name) const;
  // Of what COLUMN computes, among the table's names.
  std::size_t slot(std::size_t column) const { return column_slots_[column]; }
  void set(std::size_t slot, const Value* value) { values_[slot] = value; }
  // The input of the row itself, and of none of its expressions, gives the column's value.
  bool is_given(std::size_t column) const { return given_[column] != sql::k_null; }
  // The value of the parameter or fact NAME in words; empty when it has none.
  std::optional<std::string> text(const std::string& name) const;

  // How often the table is asked for each row.
  std::size_t passes() const { return computed_model_ ? 2 : 1; }

 private:
  struct Written {
    std::size_t input;
    std::size_t slot;
    sql::ValueId id;
    const Value* value;
    std::optional<std::size_t> column;  // that computes it where it is not given
  };
  // What is known of one model, as inputs.
  struct Facts {
    std::vector<std::pair<std::size_t, sql::ValueId>> inputs;
    std::set<std::string> unknown;
    std::map<std::vector<bool>, Waits> waits;  // by which columns are given
  };

  Written compile(const Setting& setting);
  std::vector<Written> compile(const std::vector<Setting>& settings);
  void write(const Written& written);
  Facts& facts_of(const std::string& model);
  void load_facts(const std::string& model);
  void load_waits();

  const Known& known_;
  Columns& columns_;
  std::shared_ptr<ParameterTable> table_;  // shared with the points
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> column_slots_;                // [column], of those with a name
  std::vector<std::vector<std::vector<Written>>> axes_;  // [axis][value]
  std::vector<std::vector<Written>> include_;            // [entry]
  std::map<std::string, Facts> facts_;                   // by model
  std::set<std::string> facts_read_;                     // by any expression
  bool may_depend_ = false;                              // some parameter on facts
  std::map<std::vector<bool>, Waits> depend_;  // on facts_read_, by which columns are given
  std::optional<std::size_t> model_slot_;
  std::optional<std::size_t> computed_model_;  // the column that computes it
  std::vector<sql::ValueId> no_inputs_;        // these three: what a row begins with
  std::vector<const Value*> no_values_;
  std::vector<sql::ValueId> fixed_given_;

  std::size_t index_ = 0;
  std::vector<sql::ValueId> inputs_;
  std::vector<const Value*> values_;
  std::vector<sql::ValueId> given_;  // [column]
  std::vector<sql::ValueId> results_;
  Facts* own_facts_ = nullptr;
  std::string model_;  // whose facts own_facts_ are
  const Waits* waits_ = nullptr;
  const Waits* behind_ = nullptr;  // of depend_
};

}  // namespace orch::matrix
