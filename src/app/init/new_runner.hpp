// A new runner with a matrix that uses it, written from templates/new_runner.
#pragma once

#include "app/session/project.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "spec/runner/manifest.hpp"

#include <string>
#include <vector>

namespace orch::session {

struct NewRunner {
  std::string name;
  std::string folder = ".";  // where runners/NAME/ and NAME.yaml are created
};

struct NewRunnerPaths {
  std::string runner;  // the runner's folder
  std::string matrix;  // the matrix file
};

// KNOWN are the existing runners, whose names are rejected. Nothing is overwritten; the runner's
// folder appears complete or not at all.
Result<NewRunnerPaths> write_new_runner(system::Files& files, const NewRunner& wanted,
                                        const std::vector<RunnerFile>& known);

// The smallest point of a runner: its defaults under its smallest load.

// The text of a matrix with this one point. The error names a parameter that only a user can
// choose, such as a model.
Result<std::string> toy_matrix(const runner::Manifest& manifest);

}  // namespace orch::session
