// Writes a whole plan as one bash script for users: the steps of `orchestrate run` with an empty
// store, by hand. Produces only text: touches no file and starts no process.
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
// not yet known to the plan are resolved first. Rejected and undecided points appear in comments.
std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options = {});

// Whether a script of PLAN would cover no point.
bool leaves_out_all_points(const plan::Plan& plan);

// Maintains a folder of written scripts: files that others wrote or have changed since are kept.

// The list of files written here, in the format of `sha256sum`.
inline constexpr const char* k_written_list = "SHA256SUMS";

// Writes SCRIPTS to FOLDER, which is created if absent, and removes obsolete ones that an earlier
// call wrote. Error, before anything is written: a file in the way was not written by an earlier
// call or has been changed.
Status write_scripts(system::Files& files, const std::string& folder,
                     const std::vector<ScriptFile>& scripts);

}  // namespace orch::script
