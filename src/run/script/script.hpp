// Writes a whole plan as one bash script for users: the steps of `orchestrate run` with an empty
// store, by hand. Produces text only: touches no file and starts no process.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/layout.hpp"
#include "run/script/slurm_script.hpp"
#include "run/script/wanted_stages.hpp"

#include <string>
#include <vector>

namespace orch::script {

// Makes every stage that a runnable point needs, even if a store already has it. Mutable revisions
// that the plan does not know yet are resolved first. Rejected and undecided points appear in
// comments.
std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options = {});

// Whether a script of PLAN would be for no point.
bool leaves_out_all_points(const plan::Plan& plan);

// Keeps a folder of written scripts: what somebody else wrote, or has changed since, stays.

// The list of what this wrote, as `sha256sum` writes one.
inline constexpr const char* k_written_list = "SHA256SUMS";

// Writes SCRIPTS into FOLDER, which is created when it is absent, and removes those that an earlier
// call wrote and that are no more. Error, before anything is written: a file is in the way that no
// earlier call wrote as it is.
Status write_scripts(system::Files& files, const std::string& folder,
                     const std::vector<ScriptFile>& scripts);

}  // namespace orch::script
