// A matrix file together with the runner it names, the site and the machine: read and checked.
// Where every command about a matrix begins. Makes no points and no plan.
#pragma once

#include "base/result.hpp"
#include "cli/site.hpp"
#include "attempt/layout.hpp"
#include "matrix/expand.hpp"
#include "matrix/matrix.hpp"
#include "runner/manifest.hpp"
#include "system/files.hpp"
#include "system/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orch::cli {

// What the command line says about an experiment, for every command that takes a matrix.
struct ExperimentOptions {
  std::string matrix_file;
  std::string where;  // SQL
  std::string machine_file;
  std::string site_file;
  std::int64_t repeats = 0;  // 0: as the matrix says
};

// MATRIX, --where, --machine, --site, --repeats
void add_experiment_options(CLI::App& command, ExperimentOptions& options);

struct Experiment {
  ExperimentOptions options;
  std::string matrix_text;                   // and the texts of its bases
  matrix::Matrix matrix;                     // paths are absolute
  std::optional<runner::Manifest> manifest;  // empty: it cannot be read, or has errors
  std::string project;                       // the folder with runners/ and templates/
  Site site;
  system::Machine machine;       // detected
  matrix::StatedMachine stated;  // by --machine, else the matrix, else the site
  Host host;                     // as stated, else detected
};

// Every error of the texts at once, appended to ERRORS; what could be read is there all the same.
Experiment load_experiment(system::Files& files, const ExperimentOptions& options, Errors& errors);

// The layout of a store at STORE_FOLDER for EXPERIMENT.
attempt::Layout layout_of(const Experiment& experiment, const std::string& store_folder);

// A runner that a project has.
struct RunnerFile {
  std::string name;
  std::string project;  // the folder with runners/ and templates/
  std::string file;     // its runner.yaml, as short as it can be said from here
};

// Every runner that can be named from here, nearest project first: above NEAR (a file or folder; ""
// for none), above the working directory, above the binary, where it was built. A name counts once.
std::vector<RunnerFile> runners_near(system::Files& files, const std::string& near);
// Its manifest with all parts; empty when anything is wrong with it, appended to ERRORS.
std::optional<runner::Manifest> read_manifest(system::Files& files, const std::string& file,
                                              Errors& errors);
// The file RELATIVE of the nearest project that has it: above the working directory, above the
// binary, then where it was built; "" where none has.
std::string project_file(const std::string& relative);
// The project that this binary was built in; it may be gone.
std::string build_project();

// Prints every error, one a line, to stderr.
void print_errors(const Errors& errors);
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace orch::cli
