// Whether the files that a manifest names exist and can be used as its stages use them. Reads no
// content but the first bytes of programs.
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

// The path of FILE, as the manifest of RUNNER names it.
std::string path_of(const RunnerFile& runner, const std::string& file);

// Appends an error, at its first mention in MANIFEST, for every file of a stage or resolver that is
// missing, is not a regular file, is a link out of RUNNER's folders, or is a program that cannot be
// started; and for every missing template.
void check_stage_files(system::Files& files, const RunnerFile& runner,
                       const runner::Manifest& manifest, Errors& errors);

// Whether the scripts that a manifest names can be parsed, and whether their imports enter digests.
// Executes none of them.

struct ScriptsRead {
  std::size_t python = 0, shell = 0;
  std::vector<std::string> notes;  // what was not checked, and imports outside digests
};

// Python by /usr/bin/python3, shell scripts by `sh -n` or `bash -n`. Appends errors to ERRORS, at
// their place in the script. Notes an import of a neighbouring file that is under `files` of
// neither the stage nor one that it needs. The files of MANIFEST must exist.
ScriptsRead check_scripts(World& world, const RunnerFile& runner, const runner::Manifest& manifest,
                          Errors& errors);

}  // namespace orch::session
