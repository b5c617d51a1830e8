// Options that the commands about a matrix share.
#pragma once

#include "app/session/experiment.hpp"
#include "app/session/project.hpp"
#include "plan/graph/plan.hpp"
#include "os/system/diagnostics.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace orch::cli {

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
// Every runner that can be named from NEAR (a matrix or a folder; "" for none) and from here.
// Errors are those of the site file.
std::vector<session::RunnerFile> find_runners(system::Files& files, const RunnerPlaces& places,
                                              const std::string& near, Errors& errors);
// MATRIX, --where, --runners, --machine, --site, --repeats
void add_experiment_options(CLI::App& command, session::ExperimentOptions& options);
// --log-level
CLI::Option* add_log_level(CLI::App& command, system::LogLevel& level);
// --again, --sessions
void add_again_options(CLI::App& command, session::ExperimentOptions& experiment,
                       plan::Options& options);
// --until, --retry-failed, --refresh
void add_plan_options(CLI::App& command, plan::Options& options);

}  // namespace orch::cli
