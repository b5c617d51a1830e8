// The parameters of one point that have a value, by name. Cheap to copy and small, because a matrix
// may have a million points: names and values are shared.
#pragma once

#include "spec/matrix/parameter.hpp"

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::matrix {

// Names that points may have values for, and the values that they have.
struct ParameterTable {
  std::vector<std::string> names;  // sorted, unique
  std::deque<Value> values;        // growing moves no value
};

// Iterates in the order of the names as pairs of name and value.
class Parameters {
 public:
  class Iterator;

  Parameters() = default;
  Parameters(std::initializer_list<std::pair<const std::string, Value>> values);
  // VALUES has one value for each name of TABLE; null where there is none.
  Parameters(std::shared_ptr<const ParameterTable> table, std::vector<const Value*> values)
      : table_(std::move(table)), values_(std::move(values)) {}

  // Costs a copy of all the values.
  void set(const std::string& name, Value value);

  // nullptr: no value. Valid until the next set().
  const Value* find(std::string_view name) const;
  // NAME has a value.
  const Value& at(std::string_view name) const { return *find(name); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  Iterator begin() const;
  Iterator end() const;

 private:
  std::shared_ptr<const ParameterTable> table_;  // shared by all points of an expansion
  std::vector<const Value*> values_;             // as the table's names
};

class Parameters::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::pair<const std::string&, const Value&>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = value_type;

  Iterator(const Parameters& of, std::size_t at) : of_(&of), at_(at) { skip(); }
  reference operator*() const { return {of_->table_->names[at_], *of_->values_[at_]}; }
  Iterator& operator++() {
    ++at_;
    skip();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  void skip() {
    while (at_ < of_->values_.size() && !of_->values_[at_]) ++at_;
  }

  const Parameters* of_;
  std::size_t at_;
};

inline Parameters::Iterator Parameters::begin() const { return {*this, 0}; }
inline Parameters::Iterator Parameters::end() const { return {*this, values_.size()}; }

}  // namespace orch::matrix
