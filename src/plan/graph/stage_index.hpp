// Stages of a plan by their ids. Valid until the plan's list of stages changes.
#pragma once

#include "core/base/text.hpp"
#include "plan/graph/plan.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orch::plan {

class StageIndex {
 public:
  explicit StageIndex(const Plan& plan) {
    by_id_.reserve(plan.stages.size());
    for (std::size_t i = 0; i < plan.stages.size(); ++i) by_id_.emplace(plan.stages[i].id, i);
  }

  std::size_t at(const StageId& id) const { return by_id_.at(id); }

  std::vector<std::size_t> needs(const Stage& stage) const {
    std::vector<std::size_t> needs;
    for (const auto& [name, id] : stage.needs) needs.push_back(at(id));
    return needs;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> by_id_;
};

// STAGES and all their needs, each once. NEEDS_OF(stage): the direct needs of a stage.
template <class NeedsOf>
std::vector<std::size_t> with_needs(std::vector<std::size_t> stages, const NeedsOf& needs_of) {
  for (std::size_t at = 0; at < stages.size(); ++at)
    for (const std::size_t need : needs_of(stages[at]))
      if (!contains(stages, need)) stages.push_back(need);
  return stages;
}

}  // namespace orch::plan
