// Whether the scripts that a manifest names can be parsed, and whether their imports enter digests.
// Executes none of them.
#pragma once

#include "core/base/result.hpp"
#include "app/session/project.hpp"
#include "app/session/world.hpp"
#include "spec/runner/manifest.hpp"

#include <string>
#include <vector>

namespace orch::session {

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
