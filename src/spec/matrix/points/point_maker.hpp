// Rows -> points: evaluates every row of an expansion in the expression table and makes it a point,
// unless it is excluded, left out or a duplicate.
#pragma once

#include "spec/matrix/points/point_block.hpp"
#include "spec/matrix/points/row_answers.hpp"
#include "spec/matrix/row.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orch::matrix {

// The values that expressions compute for parameters and `let` columns.
class ComputedValues {
 public:
  // All must outlive this.
  ComputedValues(const RowInputs& inputs, Row& row, RowAnswers& answers);

  // Sets them in the row; a value that waits for facts is "{name}". Adds the names of such values
  // to UNKNOWN, and the facts for which the runner waits to WAITING.
  void take(std::vector<Wait>& waiting, std::vector<const std::string*>& unknown);
  // NULL is an error for a parameter that the runner reads and that is not optional.
  void refuse_nulls();

 private:
  // Values of a column, as indices into the table's values.
  struct Values {
    std::vector<std::uint32_t> by_id;  // by id of its result; 0: not made yet
    std::uint32_t unknown = 0;         // "{name}"
  };
  std::uint32_t free_value_of(sql::ValueId id);
  std::uint32_t declared_value_of(std::size_t column, sql::ValueId id);

  Columns& columns_;
  Row& row_;
  RowAnswers& answers_;
  std::vector<bool> is_read_;               // [column]: by the runner
  std::vector<Values> values_;              // by column
  std::vector<std::uint32_t> free_values_;  // of `let`, by id
};

// Where the model and the prompts of a row come from.
class Origins {
 public:
  // All must outlive this.
  Origins(const RowInputs& inputs, const Row& row, RowAnswers& answers, PointBlock& block);

  // The number of the row's origin in the block. An unknown model is an error.
  std::uint32_t take();

 private:
  const std::pair<const std::string, Dataset>* dataset() const;
  const std::pair<const std::string, Model>* model();
  void refuse_unknown_models();

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  const Columns& columns_;
  const Row& row_;
  RowAnswers& answers_;
  PointBlock& block_;
  std::vector<const Parameter*> of_datasets_;                             // of type dataset
  std::map<std::pair<const void*, const void*>, std::uint32_t> origins_;  // by model and dataset
};

// Finds rows that give the same point as an earlier one.
class KnownPoints {
 public:
  // All must outlive this.
  KnownPoints(const RowInputs& inputs, const Row& row, const PointBlock& block);

  // Whether the row with this ORIGIN gives a point of the block; else it is the block's next one.
  bool has(std::uint32_t origin);

 private:
  const Row& row_;
  const PointBlock& block_;
  bool may_repeat_ = false;                                 // two rows may give the same point
  std::vector<std::size_t> declared_slots_;                 // of the vocabulary's parameters
  std::unordered_multimap<std::size_t, std::size_t> same_;  // points by a hash of their parameters
};

// A list of the current row, shared with the row before if its list is equal: consecutive rows
// mostly wait for the same facts.
template <class Key, class T> struct RowList {
  std::vector<Key> keys;  // of this row

  // The results of MAKE for the keys.
  template <class Make> const SharedList<T>& list(const Make& make) {
    if (keys == latest_) return list_;
    std::vector<T> made;
    for (const Key& key : keys) made.push_back(make(key));
    latest_ = keys;
    return list_ = std::move(made);
  }

 private:
  std::vector<Key> latest_;
  SharedList<T> list_;
};

class PointMaker {
 public:
  explicit PointMaker(const RowInputs& inputs);

  // Fills OUT's points. Each error names the first point that has it.
  void make(Expansion& out, Errors& errors);

 private:
  void take_row(Expansion& out);
  bool is_dropped(Expansion& out);
  void take_rules();
  bool is_asked(std::vector<Wait>& waiting, const Column& rule);
  void take_warmup();
  void take_provided();
  void take_answers();
  double answer(std::size_t index);
  void take_fleeting();
  bool is_known(const std::string& name) const;
  std::string fill(const Rule& rule) const;

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  Columns& columns_;
  Row row_;
  RowAnswers answers_;
  std::shared_ptr<PointBlock> block_;
  ComputedValues values_;
  Origins origins_;
  KnownPoints known_points_;
  PointRow own_;  // of this row, as are the next two
  RowList<Wait, Point::Waiting> waiting_;
  RowList<const std::string*, std::string> unknown_;
};

}  // namespace orch::matrix
