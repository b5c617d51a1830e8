// A new runner with a matrix that uses it, written from templates/new_runner.
#pragma once

#include "core/base/result.hpp"
#include "app/session/project.hpp"
#include "os/system/files.hpp"

#include <string>
#include <vector>

namespace orch::session {

struct NewRunner {
  std::string name;
  std::string folder = ".";  // gets runners/NAME/ and NAME.yaml
};

struct NewRunnerPaths {
  std::string runner;  // the folder
  std::string matrix;  // the file
};

// KNOWN: the runners that can be named already, whose names are refused. Nothing is overwritten:
// the folder of the runner appears whole, or not at all.
Result<NewRunnerPaths> write_new_runner(system::Files& files, const NewRunner& wanted,
                                        const std::vector<RunnerFile>& known);

}  // namespace orch::session
