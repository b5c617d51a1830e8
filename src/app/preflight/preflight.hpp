// Every point of one plan against one place: what it lacks, with what fixes it. Starts only short
// programs and containers with a time limit, and leaves nothing behind.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"
#include "app/session/world.hpp"

#include <vector>

namespace orch::preflight {

// What is looked at. Borrows everything.
struct Looking {
  session::World& world;
  const session::Experiment& experiment;
  const attempt::Layout& layout;
  const plan::Plan& plan;
};

// A section for each kind of need that the plan has.
std::vector<doctor::Section> look(const Looking& at);

// The findings that keep points from running.
std::vector<doctor::Finding> lacks_of(const std::vector<doctor::Section>& sections);

// Whether a stage of PLAN that a run would start holds a GPU.
bool needs_gpus(const plan::Plan& plan);

}  // namespace orch::preflight
