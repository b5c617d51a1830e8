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

// An index of the earlier stages of one name. Finds the one nearest to a new stage fast, even among
// thousands.
class Ancestry {
 public:
  // ANCESTORS must all belong to the same stage of the manifest, newest last, and outlive this.
  explicit Ancestry(std::span<const Ancestor> ancestors);

  // The most likely predecessor of STAGE: the ancestor with the fewest changes; of several, one
  // that was made, then the newest. Null if there are no ancestors.
  const Ancestor* nearest(const Stage& stage) const;

 private:
  std::vector<const Ancestor*> ranks_;  // of equally near ones, the first wins
  std::vector<std::int32_t> missing_;   // by rank: minus the number of components
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

// `plan --explain`: for every stage that is to run, undecided or failed, what changed, old -> new,
// and, unless GROUPED, how long its manifest expects it to take. GROUPED: stages with the same
// name, status and reasons are one entry.
std::string explain_text(const Plan& plan, const Ancestors& ancestors, bool grouped = false);

}  // namespace orch::plan
