// Reads and checks a matrix file together with the runners that it names, the site and the machine.
// Every command about a matrix begins here. Makes neither points nor a plan.
#pragma once

#include "app/session/host/host_facts.hpp"
#include "app/session/project.hpp"
#include "app/session/site.hpp"
#include "app/session/world.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/layout.hpp"
#include "run/execute/executor.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/matrix/runners.hpp"
#include "spec/runner/manifest.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orch::session {

// What a command line selects for an experiment.
struct ExperimentOptions {
  std::string matrix_file;
  std::string where = {};              // SQL over a point; "" keeps every point
  std::string again = {};              // SQL over a point: measured again; "" for none
  std::string runners;                 // a folder of runners that comes first; "" for none
  std::string machine_file = {};       // "" if no file states the machine
  std::string site_file;               // "" for the user's own site file
  std::int64_t repeats = 0;            // 0: repeats.measure of the matrix
  execute::Placement placement = {};   // the placement of stages, by --executor
  std::vector<std::string> gpus = {};  // ids of GPUs; empty: those of the site file
  std::string near = {};               // runners/ is searched for at or above it; "": the matrix
};

// A runner used by points of a matrix.
struct UsedRunner {
  RunnerFile file;
  runner::Manifest manifest;
};

struct Experiment {
  ExperimentOptions options;
  std::string matrix_text;          // with the texts of its bases
  matrix::Matrix matrix;            // paths are absolute
  std::vector<UsedRunner> runners;  // the default runner first; empty if one cannot be read
  // The parts of the matrix, each with its runner, an index into `runners`.
  std::vector<matrix::Share> shares;
  Site site;
  std::vector<std::string> warnings;  // about the site and the machine
  system::Machine machine;            // detected
  matrix::StatedMachine stated;       // by --machine, else by the matrix, else by the site
  GpuChoice gpus;                     // that stages may use
  std::string search_path;            // PATH of this process
  HostFacts host;                     // as stated, else as detected; only with the chosen GPUs

  // Whether a machine other than this one is stated.
  bool is_of_other_machine() const { return session::is_other_machine(stated, machine); }
};

// Appends every error in the files to ERRORS. The result has everything that could be read, so that
// the caller can find more errors.
Experiment load_experiment(World& world, const ExperimentOptions& options, Errors& errors);

// Makes the paths of models, datasets, `provide:` and the scorer's program absolute: each is
// relative to the file that names it.
void make_paths_absolute(matrix::Matrix& matrix);

// The names of the variables that EXPERIMENT's runners and running servers declare as secrets.
std::vector<std::string> secret_names(const Experiment& experiment);

// A model or a dataset that points fetch by revision.
struct Origin {
  std::string source;  // in the form that downloaders and resolvers use
  std::string revision;
  Location where;
};
using Origins = std::map<std::string, Origin>;  // "model 'qwen'", "dataset 'orca'" -> origin

// A resolver of mutable revisions, and the name of the runner whose files it uses.
struct RunnerResolver {
  const runner::Resolver* resolver = nullptr;  // null: no runner has a suitable resolver
  std::string runner{};
};
// The first of EXPERIMENT's runners that can resolve revisions of SOURCE.
RunnerResolver resolver_of(const Experiment& experiment, const std::string& source);

// The layout of a store at STORE_FOLDER for EXPERIMENT.
attempt::Layout layout_of(const Experiment& experiment, const std::string& store_folder);

// The file of --times: how long stages take on a machine that has not run them yet, so that a plan
// can estimate its duration. Not part of digests, and not stored.

// FILE is a map from the names of stages to seconds, or to a list of maps: `seconds`, and values of
// parameters of the points (plan::StageTime). Appends all errors to ERRORS, also for stages and
// parameters that no runner of EXPERIMENT has.
std::vector<plan::StageTime> read_stage_times(system::Files& files, const std::string& file,
                                              const Experiment& experiment, Errors& errors);

// Checks that the datasets of a plan have as many prompts as its measurements send. Counts rows,
// not tokens.

// Reads each local dataset that stages of PLAN sample. Appends one error for each dataset that
// cannot be read, or is too small for a point that is not rejected.
void refuse_small_datasets(system::Files& files, const matrix::Matrix& matrix,
                           const plan::Plan& plan, Errors& errors);

}  // namespace orch::session
