// Rows -> points: evaluates every row of an expansion in the expression table and makes it a point,
// unless it is excluded, left out or a duplicate.
#pragma once

#include "spec/matrix/points/point_block.hpp"
#include "spec/matrix/points/point_name.hpp"
#include "spec/matrix/row.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orch::matrix {

class PointMaker {
 public:
  // ERRORS must outlive this.
  PointMaker(const RowInputs& inputs, Errors& errors);

  // Fills OUT's points. Each error names the first point that has it.
  void make(Expansion& out);

 private:
  // Values of a column, as indices into the table's values.
  struct Values {
    std::vector<std::uint32_t> by_id;  // by id of its result; 0: not made yet
    std::uint32_t unknown = 0;         // "{name}"
  };
  // Like Point::Waiting, but borrowing strings that outlive the row.
  struct Wait {
    const std::string* reader;
    const std::string* fact;
    bool operator==(const Wait&) const = default;
  };
  // The list of the latest row, which the next row shares if its own would be equal: consecutive
  // rows mostly wait for the same facts.
  template <class Key, class T> struct Latest {
    std::vector<Key> keys;
    SharedList<T> list;
  };

  void take_row();
  bool is_dropped();
  void take_computed();
  void refuse_nulls();
  void take_origin();
  const std::pair<const std::string, Dataset>* dataset() const;
  const std::pair<const std::string, Model>* model();
  void refuse_unknown_models();
  void take_rules();
  bool is_asked(std::vector<Wait>& waiting, const Column& rule, bool rejected);
  void take_warmup();
  void take_provided();
  void take_answers();
  double answer(std::size_t index);
  void take_fleeting();
  bool is_known_point();
  void warn_of_divisions();

  // Whether COLUMN waits for facts; adds them to WAITING.
  bool waits(std::vector<Wait>& waiting, std::size_t column) const;
  std::optional<bool> truth(std::size_t column);
  std::uint32_t free_value_of(sql::ValueId id);
  std::uint32_t declared_value_of(std::size_t column, sql::ValueId id);
  bool is_known(const std::string& name) const;
  std::string fill(const Rule& rule) const;
  void find_null(std::size_t column);
  const ModelFact* missing_fact(std::size_t column) const;
  std::string way_out(const ModelFact& fact) const;
  std::string remedy(const Column& column, const std::string& empty) const;
  void found(const Column& column, std::string_view cause, const std::string& message);

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  Columns& columns_;
  Errors& errors_;
  Rows rows_;
  Row row_;
  std::vector<const Parameter*> of_datasets_;  // of type dataset
  std::vector<std::size_t> declared_slots_;    // of the vocabulary's parameters
  std::shared_ptr<PointBlock> block_;
  PointRow own_;                                                          // of this row
  std::map<std::pair<const void*, const void*>, std::uint32_t> origins_;  // by model and dataset
  Findings findings_;
  std::vector<bool> is_read_;                               // [column]: by the runner
  std::vector<Values> values_;                              // by column
  std::vector<std::uint32_t> free_values_;                  // of `let`, by id
  bool may_repeat_ = false;                                 // two rows may give the same point
  std::unordered_multimap<std::size_t, std::size_t> same_;  // points by a hash of their parameters
  std::vector<Wait> waiting_;                               // of this row
  std::vector<const std::string*> unknown_;                 // of this row
  Latest<Wait, Point::Waiting> latest_waiting_;
  Latest<const std::string*, std::string> latest_unknown_;
  Expansion* out_ = nullptr;
};

}  // namespace orch::matrix
