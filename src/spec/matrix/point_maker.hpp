// Rows -> points: every row of an expansion goes through the expression table and becomes a point,
// unless it is excluded, left out or the same as another. Knows no text of a matrix.
#pragma once

#include "spec/matrix/point_name.hpp"
#include "spec/matrix/row.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace orch::matrix {

class PointMaker {
 public:
  // ERRORS must outlive this.
  PointMaker(const RowInputs& inputs, Errors& errors);

  // Fills OUT's points. Each error names the first point that has it.
  void make(Expansion& out);

 private:
  // Values of a column by the id of its result, made once.
  struct Values {
    std::vector<const Value*> by_id;
    const Value* unknown = nullptr;  // "{name}"
  };
  // Points by name, for a set that holds their indices.
  struct NameHash {
    const std::vector<Point>* points;
    std::size_t operator()(std::uint32_t index) const {
      return std::hash<std::string>()((*points)[index].name);
    }
  };
  struct NameSame {
    const std::vector<Point>* points;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return (*points)[a].name == (*points)[b].name;
    }
  };

  // Like Point::Waiting, but borrowing strings that outlive the row.
  struct Wait {
    const std::string* reader;
    const std::string* fact;
    bool operator==(const Wait&) const = default;
  };
  // The list of the latest row, which the next row shares when it is equal: consecutive rows mostly
  // wait for the same facts.
  template <class Key, class T> struct Latest {
    std::vector<Key> keys;
    SharedList<T> list;
  };

  void take_row();
  bool is_dropped();
  void take_computed();
  void refuse_nulls();
  void take_dataset(Point& point);
  void take_model(Point& point);
  void refuse_unknown_models();
  void take_rules(Point& point);
  bool is_asked(std::vector<Wait>& waiting, const Column& rule, bool rejected);
  void take_warmup(Point& point);
  void take_provided(Point& point);
  void take_answers(Point& point);
  double answer(const Point& point, std::size_t index);
  void take_name(Point& point);
  bool is_known_point(const Point& point);
  void warn_of_divisions();

  // Whether COLUMN waits for facts, which are added to WAITING.
  bool waits(std::vector<Wait>& waiting, std::size_t column) const;
  std::optional<bool> truth(std::size_t column);
  const Value* keep(Value value);
  const Value* free_value_of(sql::ValueId id);
  const Value* declared_value_of(std::size_t column, sql::ValueId id);
  bool is_known(const std::string& name) const;
  std::string fill(const Rule& rule) const;
  std::string label_of(std::size_t row) const;
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
  PointNames namer_;
  Findings findings_;
  std::map<std::size_t, Values> values_;                    // by column
  std::vector<const Value*> free_values_;                   // of `let`, by id
  bool may_repeat_ = false;                                 // two rows may be one point
  std::unordered_multimap<std::size_t, std::size_t> same_;  // points by a hash of their parameters
  std::vector<Wait> waiting_;                               // of this row
  std::vector<const std::string*> unknown_;                 // of this row
  Latest<Wait, Point::Waiting> latest_waiting_;
  Latest<const std::string*, std::string> latest_unknown_;
  Expansion* out_ = nullptr;
  std::unordered_set<std::uint32_t, NameHash, NameSame> names_;
};

}  // namespace orch::matrix
