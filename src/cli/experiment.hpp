// A matrix file together with the runner it names, read and checked: where every command begins.
#pragma once

#include "base/result.hpp"
#include "execute/layout.hpp"
#include "matrix/expand.hpp"
#include "matrix/matrix.hpp"
#include "runner/manifest.hpp"
#include "system/files.hpp"

#include <string>

namespace orch::cli {

struct Experiment {
  std::string matrix_text;
  matrix::Matrix matrix;
  runner::Manifest manifest;
  matrix::Expansion expansion;
  std::string project;  // the folder with runners/ and templates/
};

// Every error of matrix and manifest at once, appended to ERRORS; usable only if none was added. `local:` sources are
// made absolute, relative to the matrix.
Experiment load_experiment(system::Files& files, const std::string& matrix_file, Errors& errors);

// The layout of a store at STORE_FOLDER for EXPERIMENT.
execute::Layout layout_of(const Experiment& experiment, const std::string& store_folder);

// Prints every error, one a line, to stderr.
void print_errors(const Errors& errors);

}  // namespace orch::cli
