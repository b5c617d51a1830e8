// The stages that one stage of a manifest has been, so that the nearest to a new one is found fast
// among thousands.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace orch::plan {

class Ancestry {
 public:
  // ANCESTORS, all of the same stage of the manifest, newest last, must outlive this.
  explicit Ancestry(std::span<const Ancestor> ancestors);

  // The one that STAGE most likely was: the fewest changes, then made before never made, then the
  // newest. Null when there is none.
  const Ancestor* nearest(const Stage& stage) const;

 private:
  std::vector<const Ancestor*> ranks_;  // of two equally near, the first is it
  std::vector<std::int32_t> missing_;   // of each: minus the number of its components
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
      owners_;  // which of ranks_ have a component, or one with a name
};

}  // namespace orch::plan
