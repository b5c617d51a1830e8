// One row of an expansion: its inputs to the expression table, the values of its parameters and the
// results of the expressions.
#pragma once

#include "spec/matrix/assignment.hpp"
#include "spec/matrix/columns.hpp"
#include "spec/matrix/row_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

  // The axis values in the name of ROW's point; without axes the name of the matrix.
  std::string label(std::size_t row) const;

 private:
  static constexpr std::size_t k_product = static_cast<std::size_t>(-1);
  struct Block {
    std::size_t entry;              // of `include`, or k_product
    std::vector<std::size_t> axes;  // that it expands over
    std::size_t begin;
    std::size_t end;
    // [axis]: the label of the values that the entry sets instead of that axis. The last label is
    // for its other values.
    std::vector<std::string> labels;
  };
  const Block& block_of(std::size_t row) const;
  void label_entry(Block& block, const Partial& entry) const;

  std::string of_matrix_;
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

// The inputs that the rows of one expansion share, all borrowed.
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
  std::span<const std::string> waits(std::size_t column) const { return facts_.waits(column); }
  // Whether the column is computed from facts, known or unknown.
  bool depends_on_facts(std::size_t column) const { return facts_.are_behind(column); }

  const std::shared_ptr<ParameterTable>& table() const { return table_; }
  // Indices into the table's values, in the order of its names; 0: no value.
  const std::vector<std::uint32_t>& values() const { return own_.values; }
  // Null if there is no value.
  const Value* value_at(std::size_t slot) const {
    return own_.values[slot] == 0 ? nullptr : &table_->values[own_.values[slot]];
  }
  const Value* value(const std::string& name) const;
  // The index in the table's names of the name that COLUMN computes.
  std::size_t slot(std::size_t column) const { return column_slots_[column]; }
  // The index in the table's names of parameter NAME.
  std::size_t slot_of(const std::string& name) const { return slots_.at(name); }
  void set(std::size_t slot, std::uint32_t value) { own_.values[slot] = value; }
  // Adds VALUE to the table; returns its index.
  std::uint32_t keep(Value value);
  // Whether an input of the row, not an expression, gives the column's value.
  bool is_given(std::size_t column) const { return own_.given[column] != sql::k_null; }
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
  struct State {
    std::vector<sql::ValueId> inputs;
    std::vector<std::uint32_t> values;
    std::vector<sql::ValueId> given;  // [column]
  };

  Written compile(const Setting& setting);
  std::vector<Written> compile(const std::vector<Setting>& settings);
  void write(const Written& written);

  Columns& columns_;
  std::shared_ptr<ParameterTable> table_;  // shared with the points
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> column_slots_;  // [column]: slot(), if it has a name
  // [axis][value]; after the last axis, the entries of `include`.
  std::vector<std::vector<std::vector<Written>>> choices_;
  RowFacts facts_;
  std::optional<std::size_t> model_slot_;
  std::optional<std::size_t> computed_model_;  // the column that computes the model
  State initial_;                              // of every row
  State own_;
  std::vector<sql::ValueId> results_;
  std::size_t index_ = 0;
};

}  // namespace orch::matrix
