// The part of `orchestrate run` after the first run of a matrix that asks whether its sides differ:
// adds sessions until this is decided, and prints the state of the comparison.
#pragma once

#include "analysis/rounds/question.hpp"
#include "app/cli/commands.hpp"
#include "app/session/experiment.hpp"
#include "app/session/matrix_run.hpp"
#include "app/session/world.hpp"
#include "core/base/result.hpp"

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace orch::store {
class Store;
}

namespace orch::cli {

// Adds --resolve, --of, --size, --most-sessions and --budget.
void add_resolve_options(CLI::App& command, rounds::Asked& asked);

// A question with the points of the matrix on its sides.
struct AskedOfMatrix {
  rounds::Question question;
  rounds::Points points;
};

// The question of the matrix or of --resolve; nullopt if there is none, or after an error. Expands
// the matrix and appends all errors to ERRORS.
std::optional<AskedOfMatrix> ask_of_matrix(session::World& world,
                                           const session::Experiment& experiment,
                                           const session::RunOptions& options,
                                           const rounds::Asked& asked, Errors& errors);

struct RoundEnd {
  Exit status = Exit::done;
  bool goes_on = false;  // false: the round was stopped or could not be made
};
// Runs EXPERIMENT once more with OPTIONS.
using RunOnce = std::function<RoundEnd(const session::Experiment& experiment,
                                       const session::RunOptions& options)>;

// The inputs of add_sessions(). Borrows everything.
struct AddSessions {
  session::World& world;
  const session::Experiment& experiment;
  const session::RunOptions& options;
  const AskedOfMatrix& asked;
  std::optional<double> budget_s;
  double began_s = 0;  // when the budget begins, by the clock of WORLD
  RunOnce run_once;
};

// Adds sessions and prints every look. Returns STATUS, the exit status of the first run, unless a
// round was stopped or there is an error. An undecided difference is not a failure.
Exit add_sessions(const AddSessions& with, Exit status);

// Serves a report during a run, until a signal.

// Serves the output of MAKE for the store in FOLDER, and regenerates it when the database has
// changed. Returns Exit::done after a signal; Exit::refused, with an error on stderr, if nothing
// can be served.
Exit serve_live_report(const std::string& folder,
                       const std::function<Result<std::string>(store::Store&)>& make);

}  // namespace orch::cli
