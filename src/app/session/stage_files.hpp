// Whether the files that a manifest names are there, and usable as its stages use them. Reads no
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

// Appends an error, where MANIFEST names it first, for every file of a stage or resolver that is
// missing, is no regular file, is a link out of the folders of RUNNER, or is a program that cannot
// be started; and for every template that is missing.
void check_stage_files(system::Files& files, const RunnerFile& runner,
                       const runner::Manifest& manifest, Errors& errors);

// Whether the scripts that a manifest names can be parsed, and whether their imports enter digests.
// Executes none of them.

struct ScriptsRead {
  std::size_t python = 0, shell = 0;
  std::vector<std::string> notes;  // what was not checked, and imports outside digests
};

// Python by /usr/bin/python3, shell scripts by `sh -n` or `bash -n`. Appends mistakes to ERRORS, at
// their place in the script. Notes an import of a neighbour that is under `files` neither of the
// stage nor of one that it needs. The files of MANIFEST are there.
ScriptsRead check_scripts(World& world, const RunnerFile& runner, const runner::Manifest& manifest,
                          Errors& errors);

}  // namespace orch::session
