// Finds the runners and scripts of the project near a matrix or the working directory, and reads
// the manifest of a runner.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "spec/runner/manifest.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::session {

// A runner that can be found from here.
struct RunnerFile {
  std::string name;
  std::string file;     // its runner.yaml, relative to the working directory
  std::string folder;   // the folder of that file, absolute
  std::string common;   // has the manifests' common/FILE; "": the folder beside `folder`
  std::string project;  // the folder with templates/, whose files manifests name
};

// Where to look for runners; "" if not given.
struct RunnerSearch {
  std::string chosen;     // a folder of runners that the command line names
  std::string near = {};  // a matrix, or the folder for a new matrix
  std::string site;       // the folder of runners that the site file names
};

// Every runner that can be found from here. Of several runners with the same name, the first
// counts, in this order: the folder of runners that SEARCH chooses; runners/ beside or above NEAR,
// then beside or above the working directory; the site's folder; the installed runners
// (share/orchestrate beside the binary's folder); runners/ above the binary; the project of the
// build. The common files and the templates are those of the runner's own project, or else the
// first ones in the same order.
std::vector<RunnerFile> runners_near(system::Files& files, const RunnerSearch& search);
// The manifest of RUNNER with all its parts. nullopt if it has errors, which are appended to
// ERRORS.
std::optional<runner::Manifest> read_manifest(system::Files& files, const RunnerFile& runner,
                                              Errors& errors);
// The file RELATIVE of the first project that has it, in the order of runners_near(). "" if none
// has it.
std::string project_file(const std::string& relative);
// The folder of the project in which this binary was built; it may not exist any longer.
std::string build_project();
// The path of this binary.
std::string own_binary();

// The presets of runners: matrices in presets/ of a runner's folder, which `base:
// preset:RUNNER/NAME` of a matrix names.

struct Preset {
  std::string name;
  std::string file;  // in the form that messages show
  std::string help;  // the first sentence of the comment that the file begins with
};

// Sorted by name.
std::vector<Preset> presets_of(system::Files& files, const RunnerFile& runner);
// The file of PRESET ("RUNNER/NAME") among RUNNERS. The error lists the existing presets.
Result<std::string> find_preset(system::Files& files, const std::vector<RunnerFile>& runners,
                                const std::string& preset);

}  // namespace orch::session
