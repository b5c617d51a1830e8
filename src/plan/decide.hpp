// What of a graph has to run, what is there already and what waits for facts: statuses and the
// words for them. From the measurements backwards: whatever nobody waits for stays idle.
#pragma once

#include "plan/plan.hpp"

namespace orch::plan {

// Sets status and why of every stage and point. An unknown name in OPTIONS is an error.
void decide(Plan& plan, const runner::Manifest& manifest, const Done& done, const Options& options,
            Errors& errors);

}  // namespace orch::plan
