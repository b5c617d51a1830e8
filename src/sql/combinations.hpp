// Remembers one value for each combination of values that was seen lately. Knows nothing of what they mean.
#pragma once

#include "sql/value_pool.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace orch::sql {

// WIDTH values make a combination. Beyond k_most everything is forgotten, so that combinations that never come again cost
// no more than the ones that do.
class Combinations {
 public:
  explicit Combinations(std::size_t width) : width_(width) {}

  std::optional<ValueId> find(std::span<const ValueId> combination) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t entry = slots_[slot_of(combination)];
    if (entry == 0) return std::nullopt;
    return values_[entry - 1];
  }

  // COMBINATION is not remembered yet.
  void remember(std::span<const ValueId> combination, ValueId value) {
    if (values_.size() == k_most) forget();
    if (2 * (values_.size() + 1) > slots_.size()) grow();
    keys_.insert(keys_.end(), combination.begin(), combination.end());
    values_.push_back(value);
    slots_[slot_of(combination)] = static_cast<std::uint32_t>(values_.size());
  }

 private:
  static constexpr std::size_t k_most = 1 << 16;

  // Where COMBINATION is, or would be. At least half of the slots are empty.
  std::size_t slot_of(std::span<const ValueId> combination) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const ValueId id : combination) {
      hash = (hash ^ id) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != 0 && !std::ranges::equal(combination, key(slots_[slot] - 1))) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::span<const ValueId> key(std::size_t entry) const { return std::span(keys_).subspan(entry * width_, width_); }

  void grow() {
    slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < values_.size(); ++i) slots_[slot_of(key(i))] = static_cast<std::uint32_t>(i + 1);
  }

  void forget() {
    keys_.clear();
    values_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
  }

  std::size_t width_;
  std::vector<ValueId> keys_;          // width_ for each entry
  std::vector<ValueId> values_;
  std::vector<std::uint32_t> slots_;   // entry + 1, or 0: empty; a power of two
};

}  // namespace orch::sql
