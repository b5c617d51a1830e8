// Explains why a stage changed: compares the components of its digest with those of the nearest
// earlier stage. The list that is hashed is the list that is compared, so the explanation cannot
// disagree with the digest.
#pragma once

#include "plan/graph/plan.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace orch::plan {

// An index over the earlier stages of one name; finds the nearest to a new stage fast among
// thousands.

class Ancestry {
 public:
  // ANCESTORS must all belong to the same stage of the manifest, newest last, and outlive this.
  explicit Ancestry(std::span<const Ancestor> ancestors);

  // The most likely predecessor of STAGE: the one with the fewest changes, then one that was made,
  // then the newest. Null if there is none.
  const Ancestor* nearest(const Stage& stage) const;

 private:
  std::vector<const Ancestor*> ranks_;  // among equally near ones, the first wins
  std::vector<std::int32_t> missing_;   // by ancestor: minus the number of its components
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
      owners_;  // hash of a component, or of its name -> indices in ranks_
};

// A changed component. `before` is nullopt if it was added, `now` if it was removed.
struct Change {
  std::string component;
  std::optional<std::string> before;
  std::optional<std::string> now;
};

std::vector<Change> compare(const Components& before, const Components& now);

// Stage name in the manifest -> its earlier stages, newest last.
using Ancestors = std::map<std::string, std::vector<Ancestor>>;

// `plan --explain`: for every stage to run, what changed, old -> new, and how long it takes
// according to its manifest. GROUPED: stages of a name with the same reasons are one entry.
std::string explain_text(const Plan& plan, const Ancestors& ancestors, bool grouped = false);

}  // namespace orch::plan
