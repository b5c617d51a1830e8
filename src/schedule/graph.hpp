// The shape of a plan by index: who needs whom. Holds no state of a run.
#pragma once

#include "plan/plan.hpp"

#include <unordered_map>
#include <vector>

namespace orch::schedule {

struct Graph {
  explicit Graph(const plan::Plan& plan);

  std::vector<std::vector<std::size_t>> needs;
  std::vector<std::vector<std::size_t>> dependants;
  std::unordered_map<plan::StageId, std::size_t> index;
};

}  // namespace orch::schedule
