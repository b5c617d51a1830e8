#include "spec/matrix/points/id_column.hpp"

#include <algorithm>

namespace orch::matrix {

namespace {

// The index, among a column's forms, of the narrowest one that holds ID.
std::size_t form_of(std::uint32_t id) { return id <= 0xff ? 1 : id <= 0xffff ? 2 : 3; }

}  // namespace

template <class Id> void IdColumn::widen() {
  std::vector<Id> wider;
  wider.reserve(size_ + 1);
  for (std::size_t row = 0; row < size_; ++row) wider.push_back(static_cast<Id>((*this)[row]));
  rows_ = std::move(wider);
}

void IdColumn::push(std::uint32_t id) {
  if (size_ == 0) only_ = id;
  if (rows_.index() > 0 || id != only_) {
    const std::size_t form = std::max(form_of(id), form_of(only_));
    if (form > rows_.index()) {
      if (form == 1) widen<std::uint8_t>();
      else if (form == 2) widen<std::uint16_t>();
      else widen<std::uint32_t>();
    }
    std::visit(
        [id](auto& rows) {
          using Rows = std::decay_t<decltype(rows)>;
          if constexpr (!std::is_same_v<Rows, std::monostate>)
            rows.push_back(static_cast<typename Rows::value_type>(id));
        },
        rows_);
  }
  ++size_;
}

}  // namespace orch::matrix
