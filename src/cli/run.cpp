#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/progress/console.hpp"
#include "cli/experiment_options.hpp"
#include "cli/interrupts.hpp"
#include "cli/plan_text.hpp"
#include "cli/real_world.hpp"
#include "cli/say.hpp"
#include "cli/score/score_run.hpp"
#include "cli/summary.hpp"
#include "experiment/matrix_run.hpp"

#include <CLI/CLI.hpp>

#include <csignal>

namespace orch::cli {

namespace {

using experiment::RunOptions;

int exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::conflict: return 3;
    case ErrorKind::interrupted: return 130;
    case ErrorKind::invalid:
    case ErrorKind::not_found: return 2;
    default: return 1;
  }
}

int fail_run(const Errors& errors) {
  print_errors(errors);
  return exit_code_for(errors.front().kind);
}

int exit_status(const plan::Plan& plan, const schedule::Outcome& outcome) {
  if (outcome.interrupted) return 130;
  const bool is_complete = reasons_of(plan, plan::Status::undecided).empty() &&
                           reasons_of(plan, plan::Status::failed).empty();
  return outcome.failed || outcome.skipped || outcome.cancelled || !is_complete ? 1 : 0;
}

// Checked early, because expanding a large matrix takes time.
Status check_store_is_free(const RunOptions& options) {
  return options.wait ? Status() : store::Store::free_to_write(real_host(), options.store);
}

int run(const RunOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // the run continues when the reader of our output exits
  RealWorld world;
  const double started_s = world->clock.now_s();
  if (const Status free = check_store_is_free(options); !free) return fail_run({free.error()});
  Errors errors;
  const auto loaded = experiment::load_experiment(*world, options.experiment, errors);
  experiment::Planning planning(world->files, loaded, options.store, options.plan);
  Console console(world->files, planning.layout());
  experiment::check_before_run(planning, options, errors);
  print_warnings(planning.new_warnings());
  if (!errors.empty()) return fail_run(errors);

  SignalInterrupts interrupts;
  experiment::MatrixRun run({.world = *world,
                             .reporter = console,
                             .interrupts = interrupts,
                             .planning = planning,
                             .options = options});
  if (!run.open() || !run.plan() || !run.drive()) return fail_run(run.errors());
  const bool is_scored =
      run.outcome().interrupted || score_run(*world, run.store(), loaded.matrix, run.id(),
                                             [&] { return interrupts.count() > 0; });

  print_summary(planning.current(), run.outcome(), world->clock.now_s() - started_s);
  print_results(run.store(), loaded.matrix, run.id());
  say(stderr, "Database: {}\n", run.store().layout().database().string());
  say(stderr, "Report: orchestrate report{}\n",
      options.store == "results" ? "" : " --store " + shell_quote(options.store));
  const int status = exit_status(planning.current(), run.outcome());
  return status == 0 && !is_scored ? 1 : status;
}

void declare(CLI::App& command, RunOptions& options) {
  add_experiment_options(command, options.experiment);
  command.add_option("--store", options.store, "The results folder")->capture_default_str();
  add_plan_options(command, options.plan);
  add_again_options(command, options.experiment, options.plan);
  command
      .add_option("--jobs", options.jobs,
                  "Concurrent tasks (default: the number of processors, at most 4)")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--fail-fast", options.fail_fast,
                   "Start no further stage after the first failure");
  command.add_flag("--wait", options.wait,
                   "When another run uses the store, wait for its end instead of exiting with "
                   "status 3");
  command.add_flag("--update", options.update,
                   "Resolve mutable revisions of models again, such as a branch on a hub");
  add_log_level(command, options.log_level);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "run", "Run everything in the plan that is not done yet; run again to resume");
  auto options = std::make_shared<RunOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    options->command = own_command_line();
    options->folder = own_folder();
    exit_code = run(*options);
  });
}

int run_again(const std::vector<std::string>& words, const std::string& store,
              std::optional<system::LogLevel> log_level) {
  CLI::App command("orchestrate run");
  RunOptions options;
  declare(command, options);
  try {
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return fail_run({invalid(fmt::format(
        "the recorded arguments ({}) are no longer valid: {}; run `orchestrate run` with new ones",
        join(words, " "), error.what()))});
  }
  options.store = store;
  if (log_level) options.log_level = *log_level;
  options.command = {own_command_line().front(), "run"};
  options.command.insert(options.command.end(), words.begin(), words.end());
  options.folder = own_folder();
  return run(options);
}

}  // namespace orch::cli
