#include "run/schedule/graph.hpp"

#include "plan/graph/stage_index.hpp"

namespace orch::schedule {

Graph::Graph(const plan::Plan& plan) : needs(plan.stages.size()), dependants(plan.stages.size()) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    index[plan.stages[i].id] = i;
    for (const auto& [name, id] : plan.stages[i].needs) {
      const std::size_t needed = index.at(id);  // a plan lists what is needed first
      needs[i].push_back(needed);
      dependants[needed].push_back(i);
    }
  }
}

std::vector<Index> Graph::with_needs(std::vector<Index> stages) const {
  return plan::with_needs(
      std::move(stages), [this](Index stage) -> const std::vector<Index>& { return needs[stage]; });
}

}  // namespace orch::schedule
