// Writes a whole plan as one bash script, with which users can run the steps of `orchestrate run`
// on an empty store manually. Only write_scripts() writes files.
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

// A script that makes every stage that a runnable point needs, even if a store already has it. It
// first resolves mutable revisions that the plan has not resolved. Rejected, undecided and failed
// points appear in comments.
std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options = {});

// Whether a script of PLAN would leave out all points.
bool leaves_out_all_points(const plan::Plan& plan);

// Maintains a folder of written scripts; keeps files that the user wrote or has changed.

// The list of files written here, in the format of `sha256sum`.
inline constexpr const char* k_written_list = "SHA256SUMS";

// Writes SCRIPTS to FOLDER, which is created if absent, and removes obsolete ones that an earlier
// call wrote. Fails, before anything is written, if a file to be replaced was not written by an
// earlier call or has been changed.
Status write_scripts(system::Files& files, const std::string& folder,
                     const std::vector<ScriptFile>& scripts);

}  // namespace orch::script
