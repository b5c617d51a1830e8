// A plan from the text of a matrix and of a runner, with every error as text.
#pragma once

#include "fakes/plans.hpp"
#include "plan/graph/toy.hpp"
#include "spec/matrix/matrix.hpp"

#include <stdexcept>

namespace orch::plan {

struct Planned {
  Plan plan;
  std::string errors;  // one a line

  std::vector<const Stage*> stages(const std::string& name) const {
    std::vector<const Stage*> out;
    for (const Stage& stage : plan.stages)
      if (stage.spec.name == name) out.push_back(&stage);
    return out;
  }
  const Spec& spec(const std::string& name) const {
    const auto found = stages(name);
    if (found.empty()) throw std::out_of_range(name);
    return found.front()->spec;
  }
};

// YAML: m.yaml, from its third line on.
inline Planned planned_text(const std::string& yaml, const char* runner) {
  Errors errors;
  const matrix::Matrix matrix =
      matrix::parse_matrix("name: m\nrunner: toy\n" + yaml, "m.yaml", errors);
  const runner::Manifest manifest = fakes::manifest_of(runner);
  const auto expansion = matrix::expand(matrix, manifest.vocabulary(), {}, errors);
  const ChosenPoints chosen = {.points = expansion.points.all(), .excluded = expansion.excluded};
  toy::FakeFacts facts = toy::good_facts();
  Planned out;
  if (errors.empty())
    out.plan = make_plan(
        {.matrix = matrix, .chosen = chosen, .manifest = manifest, .facts = facts, .done = {}},
        errors);
  for (const Error& error : errors) out.errors += error.text() + "\n";
  return out;
}

}  // namespace orch::plan
