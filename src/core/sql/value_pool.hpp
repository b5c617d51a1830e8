// Stores each distinct cell once under a small id, so that rows of ids are cheap to keep, copy and
// compare.
#pragma once

#include "core/sql/database.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_set>
#include <vector>

namespace orch::sql {

// The id of a cell in one pool; dense, from 0.
using ValueId = std::uint32_t;

inline constexpr ValueId k_null = 0;

class ValuePool {
 public:
  ValuePool();
  ValuePool(const ValuePool&) = delete;
  ValuePool& operator=(const ValuePool&) = delete;

  // Cells of the same type and value have the same id; NULL has k_null.
  ValueId intern(const Cell& cell);
  // The reference is valid for the lifetime of the pool.
  const Cell& cell(ValueId id) const { return cells_[id]; }

 private:
  struct Hash {
    using is_transparent = void;
    const ValuePool* pool;
    std::size_t operator()(const Cell& cell) const;
    std::size_t operator()(ValueId id) const { return (*this)(pool->cell(id)); }
  };
  struct Same {
    using is_transparent = void;
    const ValuePool* pool;
    bool operator()(ValueId a, ValueId b) const { return a == b; }
    bool operator()(const Cell& a, ValueId b) const { return a == pool->cell(b); }
    bool operator()(ValueId a, const Cell& b) const { return pool->cell(a) == b; }
  };

  std::deque<Cell> cells_;
  std::unordered_set<ValueId, Hash, Same> ids_;
};

// A bounded cache from combinations of values to results.

// A combination has WIDTH values, its result RESULTS values. At k_most entries the cache is
// cleared; if its hit rate was low, it also pauses for k_rest combinations, because filling it
// costs time.
class Combinations {
 public:
  Combinations(std::size_t width, std::size_t results) : width_(width), results_(results) {}

  // The results of COMBINATION, valid until the next remember(); empty if unknown.
  std::span<const ValueId> find(std::span<const ValueId> combination) {
    if (rest_ > 0 || slots_.empty()) return {};
    const std::uint32_t entry = slots_[slot_of(combination)];
    if (entry == 0) return {};
    ++hits_;
    return std::span(values_).subspan((entry - 1) * results_, results_);
  }

  // COMBINATION must not be in the cache yet.
  void remember(std::span<const ValueId> combination, std::span<const ValueId> values) {
    if (rest_ > 0) return static_cast<void>(--rest_);
    if (count_ == k_most) {
      if (hits_ < k_few) rest_ = k_rest;
      return forget();
    }
    if (2 * (count_ + 1) > slots_.size()) grow();
    keys_.insert(keys_.end(), combination.begin(), combination.end());
    values_.insert(values_.end(), values.begin(), values.end());
    slots_[slot_of(combination)] = static_cast<std::uint32_t>(++count_);
  }

 private:
  static constexpr std::size_t k_most = 1 << 16;
  static constexpr std::size_t k_few = k_most / 100;
  static constexpr std::size_t k_rest = 16 * k_most;

  // The slot of COMBINATION, or the empty slot for it. At least half of the slots are empty.
  std::size_t slot_of(std::span<const ValueId> combination) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const ValueId id : combination) {
      hash = (hash ^ id) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != 0 && !std::ranges::equal(combination, key(slots_[slot] - 1)))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::span<const ValueId> key(std::size_t entry) const {
    return std::span(keys_).subspan(entry * width_, width_);
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < count_; ++i)
      slots_[slot_of(key(i))] = static_cast<std::uint32_t>(i + 1);
  }

  void forget() {
    keys_.clear();
    values_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
    count_ = 0;
    hits_ = 0;
  }

  std::size_t width_;
  std::size_t results_;
  std::vector<ValueId> keys_;         // width_ for each entry
  std::vector<ValueId> values_;       // results_ for each entry
  std::vector<std::uint32_t> slots_;  // entry + 1, or 0: empty; their number is a power of two
  std::size_t count_ = 0;             // of entries
  std::size_t hits_ = 0;              // since the cache was cleared
  std::size_t rest_ = 0;              // combinations left to ignore
};

}  // namespace orch::sql
