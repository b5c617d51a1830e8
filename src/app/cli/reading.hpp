// Shared by commands that only read a store: its option, opening it, output and errors.
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

// --store DIR
void add_store_option(CLI::App& command, std::string& folder);

// The check of OPTION, which takes SQL. An empty value is a mistake, such as an unset variable of a
// script, and does not mean "all" or "no condition".
std::function<std::string(const std::string&)> not_empty(const std::string& option);

// The check of a number from LEAST to MOST. Unlike CLI::Range, it rejects "nan".
std::function<std::string(const std::string&)> number_in(double least, double most);

// Opens the store in FOLDER for reading and runs WORK on it. Returns done, or refused with the
// error on stderr.
Exit read_store(const std::string& folder, const std::function<Status(store::Store&)>& work);

// Opens the store in FOLDER, which must exist, for reading or for WRITING.
Result<store::Store> open_existing(const std::string& folder, bool writing);

// Prints ERROR and returns EXIT.
Exit fail_command(const Error& error, Exit exit = Exit::refused);
// The same, with in_use for a conflict, IO if the system refused a file, and otherwise refused.
Exit fail_on_store(const Error& error, Exit io = Exit::refused);

// Writes TEXT to stdout, for a terminal without its control characters. Returns false, with a
// message on stderr, unless all of it was written.
bool print_out(const std::string& text);

// Writes TEXT to the file that a user named. Replaces a file, or the target of a link, atomically;
// writes to a device or a pipe. Error: the file belongs to a store.
Status write_output(const std::string& path, const std::string& text);

// Options that the commands about a matrix share.

// --runners: where to look first
void add_runners_option(CLI::App& command, std::string& folder);
// --site
void add_site_option(CLI::App& command, std::string& file);
// The places of runners that a command line names.
struct RunnerPlaces {
  std::string folder;  // --runners
  std::string site;    // --site
};
void add_runner_places(CLI::App& command, RunnerPlaces& places);
// Every runner that can be named from NEAR (a matrix or a folder; "" for none) and the working
// directory. Errors are those of the site file.
std::vector<session::RunnerFile> find_runners(system::Files& files, const RunnerPlaces& places,
                                              const std::string& near, Errors& errors);
// MATRIX, --where, --runners, --machine, --site, --repeats
void add_experiment_options(CLI::App& command, session::ExperimentOptions& options);
// --executor, for WHAT
void add_executor_option(CLI::App& command, execute::Placement& placement, const std::string& what);
// --log-level
CLI::Option* add_log_level(CLI::App& command, system::LogLevel& level);
// --again, --sessions
void add_again_options(CLI::App& command, session::ExperimentOptions& experiment,
                       plan::Options& options);
// --until, --retry-failed, --refresh
void add_plan_options(CLI::App& command, plan::Options& options);

// The summary of a finished run: counts and causes on stderr, the main metrics on stdout.

// Prints why a run ended early; returns the exit status.
Exit fail_run(const Errors& errors);

// UNTIL: the last requested stage; "": all.
void print_summary(const plan::Plan& plan, const schedule::Outcome& outcome,
                   const std::string& until, double seconds);

// Prints the points of this run, best throughput first.
void print_results(store::Store& store, const matrix::Matrix& matrix, std::int64_t run_id);

}  // namespace orch::cli
