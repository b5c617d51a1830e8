// Stores each distinct cell once under a small id, so that rows of ids are cheap to keep, copy and
// compare.
#pragma once

#include "core/sql/database.hpp"

#include <cstdint>
#include <deque>
#include <unordered_set>

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

}  // namespace orch::sql
