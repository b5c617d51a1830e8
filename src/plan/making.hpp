// One stage in the making: what the parts of Instantiator hand to each other.
#pragma once

#include "plan/instantiate.hpp"

namespace orch::plan {

struct Instantiator::Making {
  const Instance& from;
  Stage stage{};

  void miss(const std::string& fact) {
    if (std::find(stage.unknown.begin(), stage.unknown.end(), fact) == stage.unknown.end()) stage.unknown.push_back(fact);
  }
};

// Calls VISIT with every string of SPEC, a StageKind or a Spec, that may carry symbols; not with the values of `render`.
template <class SpecType, class Visit>
void for_each_text(SpecType& spec, Visit&& visit) {
  for (auto& word : spec.argv) visit(word);
  for (auto& [name, value] : spec.env) visit(value);
  for (auto& [name, value] : spec.job) visit(value);
  for (auto& place : spec.place) visit(place.from);
  visit(spec.shm_prefix);
}

}  // namespace orch::plan
