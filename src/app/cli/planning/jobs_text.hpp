// What the jobs of a plan request of a cluster, as text for people.
#pragma once

#include "run/attempt/stage_place.hpp"
#include "plan/graph/plan.hpp"

#include <string>

namespace orch::cli {

// A line per stage of the manifest that becomes jobs: how many, and the GPUs, CPUs, memory and time
// of each. Below it, the jobs whose stages are expected to take longer than their time limit. ""
// for a PLAN without jobs.
std::string jobs_text(const plan::Plan& plan, const attempt::PlaceOptions& options);

}  // namespace orch::cli
