// Explains why a stage changed: compares the components of its digest with those of the nearest
// earlier stage. The list that is hashed is the list that is compared, so the explanation cannot
// disagree with the digest.
#pragma once

#include "plan/graph/plan.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::plan {

// A component that changed. Empty `before`: it was added; empty `now`: it was removed.
struct Change {
  std::string component;
  std::optional<std::string> before;
  std::optional<std::string> now;
};

std::vector<Change> compare(const Components& before, const Components& now);

// The stage's name in the manifest -> its earlier stages, newest last.
using Ancestors = std::map<std::string, std::vector<Ancestor>>;

// `plan --explain`: for every stage that is to run, what changed, old -> new, and how long it takes
// by its manifest. GROUPED: stages of a name with the same reasons are one entry.
std::string explain_text(const Plan& plan, const Ancestors& ancestors, bool grouped = false);

}  // namespace orch::plan
