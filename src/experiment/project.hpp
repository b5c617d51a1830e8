// Where a project's runners and scripts are found from here, and the manifest of a runner. Knows no
// matrix.
#pragma once

#include "base/result.hpp"
#include "runner/manifest.hpp"
#include "system/files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::experiment {

// A runner that a project has.
struct RunnerFile {
  std::string name;
  std::string project;  // the folder with runners/ and templates/
  std::string file;     // its runner.yaml, relative to the working directory where that is shorter
};

// Every runner that can be named from here, nearest project first: above NEAR (a file or folder; ""
// for none), above the working directory, above the binary, then the project of the build. The
// first runner of a name counts.
std::vector<RunnerFile> runners_near(system::Files& files, const std::string& near);
// The manifest in FILE with all its parts. Empty when it has errors, which are appended to ERRORS.
std::optional<runner::Manifest> read_manifest(system::Files& files, const std::string& file,
                                              Errors& errors);
// The file RELATIVE of the nearest project that has it: above the working directory, above the
// binary, then the project of the build. "" when no project has it.
std::string project_file(const std::string& relative);
// The project that this binary was built in; it may be gone.
std::string build_project();
// The path of this binary.
std::string own_binary();

}  // namespace orch::experiment
