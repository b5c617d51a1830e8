#include "core/sql/value_pool.hpp"

namespace orch::sql {

std::size_t ValuePool::Hash::operator()(const Cell& cell) const {
  const std::size_t of_value = std::visit(
      [](const auto& value) -> std::size_t {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) return 0;
        else if constexpr (std::is_same_v<T, Blob>) return std::hash<std::string>()(value.bytes);
        else return std::hash<T>()(value);
      },
      cell);
  return of_value * 31 + cell.index();
}

ValuePool::ValuePool() : ids_(0, Hash{this}, Same{this}) { intern(Cell()); }

ValueId ValuePool::intern(const Cell& cell) {
  if (const auto known = ids_.find(cell); known != ids_.end()) return *known;
  const auto id = static_cast<ValueId>(cells_.size());
  cells_.push_back(cell);
  ids_.insert(id);
  return id;
}

}  // namespace orch::sql
