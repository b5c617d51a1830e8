// Whether the files that a manifest names are there, and usable as its stages use them. Reads no
// content but the first bytes of programs.
#pragma once

#include "core/base/result.hpp"
#include "app/session/project.hpp"
#include "spec/runner/manifest.hpp"
#include "os/system/files.hpp"

#include <string>

namespace orch::session {

// The path of FILE, as the manifest of RUNNER names it.
std::string path_of(const RunnerFile& runner, const std::string& file);

// Appends an error, where MANIFEST names it first, for every file of a stage or resolver that is
// missing, is no regular file, is a link out of the folders of RUNNER, or is a program that cannot
// be started; and for every template that is missing.
void check_stage_files(system::Files& files, const RunnerFile& runner,
                       const runner::Manifest& manifest, Errors& errors);

}  // namespace orch::session
