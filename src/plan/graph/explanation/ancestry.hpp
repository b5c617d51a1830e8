// An index over the earlier stages of one name, which finds the nearest to a new one fast among
// thousands. Knows no store.
#pragma once

#include "plan/graph/plan.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace orch::plan {

class Ancestry {
 public:
  // ANCESTORS, all of the same stage of the manifest, newest last, must outlive this.
  explicit Ancestry(std::span<const Ancestor> ancestors);

  // The most likely predecessor of STAGE: the one with the fewest changes, then one that was made,
  // then the newest. Null when there is none.
  const Ancestor* nearest(const Stage& stage) const;

 private:
  std::vector<const Ancestor*> ranks_;  // of two equally near ones, the first counts
  std::vector<std::int32_t> missing_;   // by ancestor: minus the number of its components
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
      owners_;  // which of ranks_ have a component, or one with a name
};

}  // namespace orch::plan
