// Why a stage is not what it was: the components of its digest beside those of the nearest stage
// before it. The same list that is hashed is compared, so "is it stale" and "why is it stale"
// cannot disagree.
#pragma once

#include "plan/plan.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::plan {

// A component that is not what it was; empty: it was not there, or is not any more.
struct Change {
  std::string component;
  std::optional<std::string> before;
  std::optional<std::string> now;
};

std::vector<Change> compare(const Components& before, const Components& now);

// By the stage's name in the manifest; newest last.
using Ancestors = std::map<std::string, std::vector<Ancestor>>;

// `plan --explain`: for every stage that is to run, what changed, old -> new.
std::string explain_text(const Plan& plan, const Ancestors& ancestors);

}  // namespace orch::plan
