// Writes a whole plan as one bash script for users: the steps of `orchestrate run` with an empty
// store, by hand. Produces text only: touches no file and starts no process.
#pragma once

#include "run/attempt/layout.hpp"
#include "plan/graph/plan.hpp"
#include "run/script/script_options.hpp"

#include <string>

namespace orch::script {

// Makes every stage that a runnable point needs, even if a store already has it. Mutable revisions
// that the plan does not know yet are resolved first. Rejected and undecided points appear in
// comments.
std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options = {});

// Whether a script of PLAN would be for no point.
bool leaves_out_all_points(const plan::Plan& plan);

}  // namespace orch::script
