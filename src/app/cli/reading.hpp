// Shared by commands that read a store: the option --store, opening the store, output and errors.
#pragma once

#include "app/cli/commands.hpp"
#include "app/session/experiment.hpp"
#include "app/session/project.hpp"
#include "core/base/result.hpp"
#include "os/system/diagnostics.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/store.hpp"
#include "run/schedule/scheduler.hpp"
#include "spec/matrix/matrix.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace orch::store {
class Store;
}

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace orch::cli {

// Adds --store DIR.
void add_store_option(CLI::App& command, std::string& folder);

// A check that rejects an empty value of OPTION, which takes SQL: an empty value is a mistake, such
// as an unset variable in a script, and does not mean "all" or "no condition".
std::function<std::string(const std::string&)> not_empty(const std::string& option);

// A check that accepts numbers from LEAST to MOST. Unlike CLI::Range, it rejects "nan".
std::function<std::string(const std::string&)> number_in(double least, double most);

// Opens the store in FOLDER for reading and runs WORK on it. Returns Exit::done, or Exit::refused
// with the error on stderr.
Exit read_store(const std::string& folder, const std::function<Status(store::Store&)>& work);

// Opens the store in FOLDER, which must exist, for reading or for WRITING.
Result<store::Store> open_existing(const std::string& folder, bool writing);

// Prints ERROR and returns EXIT.
Exit fail_command(const Error& error, Exit exit = Exit::refused);
// Prints ERROR. Returns Exit::in_use for a conflict, IO for an I/O error, and otherwise
// Exit::refused.
Exit fail_on_store(const Error& error, Exit io = Exit::refused);

// Writes TEXT to stdout; on a terminal, without control characters. Returns false, with a message
// on stderr, if not all of it was written.
bool print_out(const std::string& text);

// Writes TEXT to the file that a user named. Replaces a file, or the target of a link, atomically;
// writes into a device or a pipe. Error: the file belongs to a store.
Status write_output(const std::string& path, const std::string& text);

// Options that the commands about a matrix share.

// Adds --runners, the folder that is searched first.
void add_runners_option(CLI::App& command, std::string& folder);
// Adds --site.
void add_site_option(CLI::App& command, std::string& file);
// The options that say where to look for runners.
struct RunnerPlaces {
  std::string folder;  // --runners
  std::string site;    // --site
};
void add_runner_places(CLI::App& command, RunnerPlaces& places);
// Every runner that can be found from NEAR (a matrix or a folder; "": none) and the working
// directory. Appends the errors of the site file to ERRORS.
std::vector<session::RunnerFile> find_runners(system::Files& files, const RunnerPlaces& places,
                                              const std::string& near, Errors& errors);
// Adds MATRIX, --where, --runners, --machine, --site, --gpus and --repeats.
void add_experiment_options(CLI::App& command, session::ExperimentOptions& options);
// Adds --executor; WHAT is for its help.
void add_executor_option(CLI::App& command, execute::Placement& placement, const std::string& what);
// Adds --log-level.
CLI::Option* add_log_level(CLI::App& command, system::LogLevel& level);
// Adds --again and --sessions.
void add_again_options(CLI::App& command, session::ExperimentOptions& experiment,
                       plan::Options& options);
// Adds --until, --retry-failed and --refresh.
void add_plan_options(CLI::App& command, plan::Options& options);

// The summary of a finished run: counts and causes on stderr, the main metrics on stdout.

// Prints why a run ended early; returns the exit status.
Exit fail_run(const Errors& errors);

// Prints counts and causes. UNTIL is the last requested stage; "": all stages.
void print_summary(const plan::Plan& plan, const schedule::Outcome& outcome,
                   const std::string& until, double seconds);

// Prints the points of the run RUN_ID, the best throughput first.
void print_results(store::Store& store, const matrix::Matrix& matrix, std::int64_t run_id);

}  // namespace orch::cli
