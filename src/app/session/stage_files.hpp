// Checks that the files that a manifest names exist and can be used as its stages use them. Reads
// only the first bytes of programs.
#pragma once

#include "app/session/project.hpp"
#include "app/session/world.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "spec/runner/manifest.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orch::session {

// The path of FILE, which the manifest of RUNNER names.
std::string path_of(const RunnerFile& runner, const std::string& file);

// Appends an error, at its first mention in MANIFEST, for every file of a stage or resolver that is
// missing, is not a regular file, is a link out of RUNNER's folders, or is a program that cannot be
// started; and for every missing template.
void check_stage_files(system::Files& files, const RunnerFile& runner,
                       const runner::Manifest& manifest, Errors& errors);

// Checks that the scripts that a manifest names can be parsed, and that their imports enter
// digests. Does not execute them.

struct ScriptsRead {
  std::size_t python = 0, shell = 0;
  std::vector<std::string> notes;  // what was not checked, and imports that do not enter digests
};

// Checks Python with /usr/bin/python3, and shell scripts with `sh -n` or `bash -n`. Appends errors
// to ERRORS, with their position in the script. Adds a note for an import of a neighbouring file
// that neither the stage nor a stage that it needs lists under `files`. The files of MANIFEST must
// exist.
ScriptsRead check_scripts(World& world, const RunnerFile& runner, const runner::Manifest& manifest,
                          Errors& errors);

}  // namespace orch::session
