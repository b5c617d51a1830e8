// The shape of a plan by index: which stage needs which. Holds no state of a run.
#pragma once

#include "plan/graph/plan.hpp"

#include <unordered_map>
#include <vector>

namespace orch::schedule {

using Index = std::size_t;  // of a stage in the plan

struct Graph {
  explicit Graph(const plan::Plan& plan);

  // STAGES and everything that they need, each once.
  std::vector<Index> with_needs(std::vector<Index> stages) const;

  std::vector<std::vector<Index>> needs;
  std::vector<std::vector<Index>> dependants;
  std::unordered_map<plan::StageId, Index> index;
};

}  // namespace orch::schedule
