// The parameters of one point that have a value, by name. Cheap to copy and small, because a matrix may have a million
// points: values are shared.
#pragma once

#include "matrix/parameter.hpp"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace orch::matrix {

// Iterates in the order of the names as pairs of name and value.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<const std::string, Value>> values) : values_(values) {}

  void set(const std::string& name, Value value) { values_.insert_or_assign(name, std::move(value)); }

  // nullptr: no value. Valid until the next set().
  const Value* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  // NAME has a value.
  const Value& at(std::string_view name) const { return *find(name); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace orch::matrix
