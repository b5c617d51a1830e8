// Options that the commands about a matrix share.
#pragma once

#include "experiment/experiment.hpp"
#include "plan/plan.hpp"

namespace CLI {
class App;
}

namespace orch::cli {

// MATRIX, --where, --machine, --site, --repeats
void add_experiment_options(CLI::App& command, experiment::ExperimentOptions& options);
// --until, --retry-failed, --refresh
void add_plan_options(CLI::App& command, plan::Options& options);

}  // namespace orch::cli
