// A column of small numbers with one row per point, only as wide as its largest number needs, and a
// column of arbitrary values, each stored once and referred to by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <variant>
#include <vector>

namespace orch::matrix {

// Uses no memory for rows while they are all equal; otherwise one, two or four bytes each.
class IdColumn {
 public:
  void push(std::uint32_t id);
  std::uint32_t operator[](std::size_t row) const {
    if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&rows_)) return (*bytes)[row];
    if (const auto* words = std::get_if<std::vector<std::uint16_t>>(&rows_)) return (*words)[row];
    if (const auto* wide = std::get_if<std::vector<std::uint32_t>>(&rows_)) return (*wide)[row];
    return only_;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  template <class Id> void widen();

  std::size_t size_ = 0;
  std::uint32_t only_ = 0;  // the number of every row; used while rows_ is empty
  std::variant<std::monostate, std::vector<std::uint8_t>, std::vector<std::uint16_t>,
               std::vector<std::uint32_t>>
      rows_;
};

// T has the operators == and <.
template <class T> class InternedColumn {
 public:
  InternedColumn() = default;
  InternedColumn(InternedColumn&&) noexcept = default;
  InternedColumn& operator=(InternedColumn&&) noexcept = default;

  void push(const T& value) {
    if (ids_.empty() || !(*values_[last_] == value)) last_ = id_of(value);
    ids_.push(last_);
  }
  const T& operator[](std::size_t row) const { return *values_[ids_[row]]; }

 private:
  std::uint32_t id_of(const T& value) {
    const auto [known, fresh] =
        known_.try_emplace(value, static_cast<std::uint32_t>(values_.size()));
    if (fresh) values_.push_back(&known->first);
    return known->second;
  }

  std::map<T, std::uint32_t> known_;
  std::vector<const T*> values_;  // the keys of known_
  IdColumn ids_;
  std::uint32_t last_ = 0;
};

}  // namespace orch::matrix
