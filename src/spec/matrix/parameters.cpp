#include "spec/matrix/parameters.hpp"

namespace orch::matrix {

Parameters::Parameters(std::initializer_list<std::pair<const std::string, Value>> values) {
  for (const auto& [name, value] : values) set(name, value);
}

void Parameters::set(const std::string& name, Value value) {
  std::map<std::string, Value> all;
  for (const auto& [own_name, own_value] : *this) all.emplace(own_name, own_value);
  all.insert_or_assign(name, std::move(value));
  auto table = std::make_shared<ParameterTable>();
  values_.clear();
  for (auto& [own_name, own_value] : all) {
    table->names.push_back(own_name);
    values_.push_back(&table->values.emplace_back(std::move(own_value)));
  }
  table_ = std::move(table);
}

const Value* Parameters::find(std::string_view name) const {
  if (!table_) return nullptr;
  const auto& names = table_->names;
  const auto found = std::lower_bound(names.begin(), names.end(), name);
  return found == names.end() || *found != name
             ? nullptr
             : values_[static_cast<std::size_t>(found - names.begin())];
}

std::size_t Parameters::size() const {
  return values_.size() - static_cast<std::size_t>(std::ranges::count(values_, nullptr));
}

}  // namespace orch::matrix
