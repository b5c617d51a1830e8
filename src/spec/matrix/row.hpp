// One row of an expansion: its inputs to the expression table, the values of its parameters and the
// results of the expressions.
#pragma once

#include "spec/matrix/assignment.hpp"
#include "spec/matrix/columns.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orch::matrix {

// The rows of an expansion: every combination of axis values, then those of each entry of
// `include`. Maps the index of a row to its settings and its label.

class Rows {
 public:
  // The number of rows must fit into memory.
  Rows(const Matrix& matrix, const Assignment& assignment);

  std::size_t size() const { return blocks_.back().end; }
  // Whether ROW comes from `include`.
  bool is_included(std::size_t row) const { return row >= blocks_.front().end; }

  // Calls VISIT(axis, value) for every axis that applies to ROW, the last axis fastest. An entry of
  // `include` comes first, as VISIT(number of axes, index of the entry).
  template <class Visit> void for_each_choice(std::size_t row, const Visit& visit) const {
    const Block& block = block_of(row);
    if (block.entry != k_product) visit(labels_.size(), block.entry);
    std::size_t rest = row - block.begin, stride = block.end - block.begin;
    for (const std::size_t axis : block.axes) {
      stride /= labels_[axis].size();
      visit(axis, rest / stride);
      rest %= stride;
    }
  }

  // The axis values in the name of ROW's point; "" without axes.
  std::string label(std::size_t row) const;

 private:
  static constexpr std::size_t k_product = static_cast<std::size_t>(-1);
  struct Block {
    std::size_t entry;              // of `include`, or k_product
    std::vector<std::size_t> axes;  // that it expands over
    std::size_t begin;
    std::size_t end;
    // [axis]: the label of what the entry sets instead of that axis. The last one is for everything
    // else that the entry sets.
    std::vector<std::string> labels;
  };
  const Block& block_of(std::size_t row) const;
  void label_entry(Block& block, const Partial& entry) const;

  std::map<std::string, std::size_t> axis_of_;    // of each parameter that an axis sets
  std::vector<std::vector<std::string>> labels_;  // [axis][value]
  std::vector<Block> blocks_;                     // in row order
};

// How many rows there would be, and the calculation as text: "2 x 3 = 6".
struct RowCount {
  double rows = 0;
  std::string sum;
};
RowCount count_rows(const Matrix& matrix);

// The unknown facts that an expression depends on, directly or through other expressions. Every
// column that SQLite resolves counts, even if coalesce() could do without it.

using Waits =
    std::vector<std::vector<std::string>>;  // [column]: facts, sorted; empty: it waits for none

// GIVEN: columns whose value is an input of the row, so that their expression is not evaluated.
Waits find_waits(const Columns& columns, const std::set<std::string>& unknown_facts,
                 const std::vector<bool>& given);

// What the rows of one expansion share. Borrows everything.
struct RowInputs {
  const Matrix& matrix;
  const Vocabulary& vocabulary;
  const Known& known;
  const Assignment& assignment;
  Columns& columns;  // after create()
};

class Row {
 public:
  explicit Row(const RowInputs& inputs);

  // Turns this into row INDEX of ROWS. An expression that cannot be computed is an error.
  Status load(const Rows& rows, std::size_t index);

  std::size_t index() const { return index_; }
  const sql::Cell& result(std::size_t column) const {
    return columns_.table().cell(results_[column]);
  }
  sql::ValueId result_id(std::size_t column) const { return results_[column]; }
  // The unknown facts that a column depends on.
  std::span<const std::string> waits(std::size_t column) const {
    return waits_ ? std::span<const std::string>((*waits_)[column])
                  : std::span<const std::string>();
  }

  // Whether the column is computed from facts, known or unknown.
  bool depends_on_facts(std::size_t column) const { return behind_ && !(*behind_)[column].empty(); }

  const std::shared_ptr<ParameterTable>& table() const { return table_; }
  // Indices into the table's values, in the order of its names; 0: no value.
  const std::vector<std::uint32_t>& values() const { return values_; }
  // Null if there is no value.
  const Value* value_at(std::size_t slot) const {
    return values_[slot] == 0 ? nullptr : &table_->values[values_[slot]];
  }
  const Value* value(const std::string& name) const;
  // The index in the table's names of the name that COLUMN computes.
  std::size_t slot(std::size_t column) const { return column_slots_[column]; }
  // The index in the table's names of parameter NAME.
  std::size_t slot_of(const std::string& name) const { return slots_.at(name); }
  void set(std::size_t slot, std::uint32_t value) { values_[slot] = value; }
  // Adds VALUE to the table; returns its index.
  std::uint32_t keep(Value value);
  // Whether an input of the row, not an expression, gives the column's value.
  bool is_given(std::size_t column) const { return given_[column] != sql::k_null; }
  // The value of parameter or fact NAME as text; nullopt if it has none.
  std::optional<std::string> text(const std::string& name) const;

  // How many times the table evaluates each row.
  std::size_t passes() const { return computed_model_ ? 2 : 1; }

 private:
  struct Written {
    std::size_t input;
    std::size_t slot;
    sql::ValueId id;
    std::uint32_t value;
    std::optional<std::size_t> column;  // that computes it unless it is given
  };
  // The facts of one model, as inputs.
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
  std::vector<std::size_t> column_slots_;                // [column]: slot(), if it has a name
  std::vector<std::vector<std::vector<Written>>> axes_;  // [axis][value]
  std::vector<std::vector<Written>> include_;            // [entry]
  std::map<std::string, Facts> facts_;                   // by model
  std::set<std::string> facts_read_;                     // that some expression reads
  bool may_depend_ = false;                              // some parameter may depend on facts
  std::map<std::vector<bool>, Waits> depend_;  // on facts_read_, by which columns are given
  std::optional<std::size_t> model_slot_;
  std::optional<std::size_t> computed_model_;  // the column that computes the model
  std::vector<sql::ValueId> no_inputs_;        // these three: the initial state of a row
  std::vector<std::uint32_t> no_values_;
  std::vector<sql::ValueId> fixed_given_;

  std::size_t index_ = 0;
  std::vector<sql::ValueId> inputs_;
  std::vector<std::uint32_t> values_;
  std::vector<sql::ValueId> given_;  // [column]
  std::vector<sql::ValueId> results_;
  Facts* own_facts_ = nullptr;
  std::string model_;  // the model that own_facts_ belong to
  const Waits* waits_ = nullptr;
  const Waits* behind_ = nullptr;  // in depend_
};

}  // namespace orch::matrix
