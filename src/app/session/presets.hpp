// The presets of runners: matrices in presets/ of a runner's folder, which `base:
// preset:RUNNER/NAME` of a matrix names.
#pragma once

#include "core/base/result.hpp"
#include "app/session/project.hpp"
#include "os/system/files.hpp"

#include <string>
#include <vector>

namespace orch::session {

struct Preset {
  std::string name;
  std::string file;  // as messages show it
  std::string help;  // the first sentence of the comment that the file begins with
};

// By name.
std::vector<Preset> presets_of(system::Files& files, const RunnerFile& runner);
// The file of PRESET ("RUNNER/NAME"), among RUNNERS. The error names what there is.
Result<std::string> find_preset(system::Files& files, const std::vector<RunnerFile>& runners,
                                const std::string& preset);

}  // namespace orch::session
