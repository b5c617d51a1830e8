// Keeps a folder of written scripts: what somebody else wrote, or has changed since, stays.
#pragma once

#include "core/base/result.hpp"
#include "run/script/slurm_script.hpp"
#include "os/system/files.hpp"

#include <string>
#include <vector>

namespace orch::script {

// The list of what this wrote, as `sha256sum` writes one.
inline constexpr const char* k_written_list = "SHA256SUMS";

// Writes SCRIPTS into FOLDER, which is created when it is absent, and removes those that an earlier
// call wrote and that are no more. Error, before anything is written: a file is in the way that no
// earlier call wrote as it is.
Status write_scripts(system::Files& files, const std::string& folder,
                     const std::vector<ScriptFile>& scripts);

}  // namespace orch::script
