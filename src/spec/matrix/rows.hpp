// The rows of an expansion: every combination of the values of the axes, then those of each entry
// of `include`. Maps the index of a row to its settings and its label. Knows no expression.
#pragma once

#include "spec/matrix/assignment.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace orch::matrix {

class Rows {
 public:
  // ASSIGNMENT must outlive this. There are not more rows than memory has room for.
  Rows(const Matrix& matrix, const Assignment& assignment);

  std::size_t size() const { return blocks_.back().end; }
  // Comes from `include`.
  bool is_included(std::size_t row) const { return row >= blocks_.front().end; }

  // Calls VISIT(axis, value) for every axis that counts in ROW, the last axis fastest. An entry of
  // `include` comes first, as VISIT(number of axes, index of the entry).
  template <class Visit> void for_each_choice(std::size_t row, const Visit& visit) const {
    const Block& block = block_of(row);
    if (block.entry != k_product) visit(assignment_.axes.size(), block.entry);
    std::size_t rest = row - block.begin, stride = block.end - block.begin;
    for (const std::size_t axis : block.axes) {
      stride /= assignment_.axes[axis].size();
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
    // [axis]: the label of what the entry sets in place of that axis. The last one labels what the
    // entry sets beside the axes.
    std::vector<std::string> labels;
  };
  const Block& block_of(std::size_t row) const;
  void label_entry(Block& block) const;

  const Assignment& assignment_;
  std::map<std::string, std::size_t> axis_of_;    // of each parameter that an axis sets
  std::vector<std::vector<std::string>> labels_;  // [axis][value]
  std::vector<Block> blocks_;                     // in the order of the rows
};

// How many rows there would be, and the sum in words: "2 x 3 = 6".
struct RowCount {
  double rows = 0;
  std::string sum;
};
RowCount count_rows(const Matrix& matrix);

}  // namespace orch::matrix
