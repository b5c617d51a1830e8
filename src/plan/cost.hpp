// The cost of a plan, and of a loop over its points, from the estimates of its stages. Pure
// arithmetic.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orch::plan {

// Sums over stages; those without an estimate are counted, not guessed.
struct Cost {
  std::size_t stages = 0;
  std::size_t without_seconds = 0;  // stages whose time is unknown
  std::size_t without_bytes = 0;
  double seconds = 0;       // one after the other; a service counts its start
  std::uint64_t bytes = 0;  // of outputs that will be written
  double gpu_hours = 0;     // a service holds its GPUs until its last measurement ends
};

Cost cost_of_run(const Plan& plan);   // stages with status run
Cost cost_of_loop(const Plan& plan);  // every stage again for every point, as a bash loop does it

// Per stage of the manifest, in its order.
struct StageCount {
  std::string stage;
  std::size_t all = 0, run = 0, reuse = 0, idle = 0, reject = 0, undecided = 0, failed = 0;
  std::size_t in_a_loop = 0;  // attempts if nothing was shared
  Cost run_cost;
};
std::vector<StageCount> count_stages(const Plan& plan);

}  // namespace orch::plan
