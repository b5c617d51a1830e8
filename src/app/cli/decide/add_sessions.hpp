// What `orchestrate run` does after a matrix that asks whether sides of it differ: sessions are
// added until that is decided. Prints where the comparison stands.
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

// --resolve, --of, --size, --most-sessions, --budget
void add_resolve_options(CLI::App& command, rounds::Asked& asked);

// A question whose sides have been found among the points of the matrix.
struct AskedOfMatrix {
  rounds::Question question;
  rounds::Points points;
};

// Empty without a question. Expands the matrix, and appends what is wrong to ERRORS.
std::optional<AskedOfMatrix> ask_of_matrix(session::World& world,
                                           const session::Experiment& experiment,
                                           const session::RunOptions& options,
                                           const rounds::Asked& asked, Errors& errors);

struct RoundEnd {
  Exit status = Exit::done;
  bool goes_on = false;  // false: it was stopped, or could not be made
};
// Runs EXPERIMENT once more with OPTIONS.
using RunOnce = std::function<RoundEnd(const session::Experiment& experiment,
                                       const session::RunOptions& options)>;

// What the rounds work with. Borrows everything.
struct AddSessions {
  session::World& world;
  const session::Experiment& experiment;
  const session::RunOptions& options;
  const AskedOfMatrix& asked;
  std::optional<double> budget_s;
  double began_s = 0;  // of the clock, when the budget begins
  RunOnce run_once;
};

// Adds sessions and prints every look. The exit status is STATUS, that of the first run, unless a
// round was stopped or could not be made. A difference that is not decided is no failure.
Exit add_sessions(const AddSessions& with, Exit status);

// A report that is served while a run goes on, until a signal. Does not know what it shows.

// Serves what MAKE gives for the store in FOLDER, made anew when the database has changed. Done
// after a signal; refused, with an error on stderr, where nothing can be served.
Exit serve_live_report(const std::string& folder,
                       const std::function<Result<std::string>(store::Store&)>& make);

}  // namespace orch::cli
