#include "core/base/text.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/decide/add_sessions.hpp"
#include "app/cli/progress/console.hpp"
#include "app/cli/experiment_options.hpp"
#include "app/cli/interrupts.hpp"
#include "app/cli/planning/plan_text.hpp"
#include "app/cli/progress/look_before.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/score/score_run.hpp"
#include "app/cli/summary.hpp"
#include "app/session/matrix_run.hpp"
#include "app/preflight/preflight.hpp"

#include <CLI/CLI.hpp>

#include <csignal>

namespace orch::cli {

namespace {

using session::RunOptions;

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

struct CommandOptions {
  RunOptions run;
  rounds::Asked asked;
  bool preflight = false, no_preflight = false;
  Results results = Results::printed;
};

class RunCommand {
 public:
  explicit RunCommand(const CommandOptions& options)
      : all_(options), options_(options.run), asked_(options.asked), results_(options.results) {}

  int run() {
    std::signal(SIGPIPE, SIG_IGN);  // the run continues when the reader of our output exits
    const double began_s = world_->clock.now_s();
    if (const Status free = check_store_is_free(options_); !free) return fail_run({free.error()});
    Errors errors;
    const auto loaded = session::load_experiment(*world_, options_.experiment, errors);
    const auto question =
        errors.empty() ? ask_of_matrix(*world_, loaded, options_, asked_, errors) : std::nullopt;
    int status = run_once(loaded, options_, std::move(errors));
    if (question && goes_on(status))
      status =
          add_sessions({.world = *world_,
                        .experiment = loaded,
                        .options = options_,
                        .asked = *question,
                        .budget_s = asked_.budget_s,
                        .began_s = began_s,
                        .run_once =
                            [this](const session::Experiment& again, const RunOptions& options) {
                              const int of_round = run_once(again, options, {});
                              return RoundEnd{of_round, goes_on(of_round)};
                            }},
                       status);
    if (has_ended_ && results_ == Results::printed)
      say(stderr, "Report: orchestrate report{}\n",
          options_.store == "results" ? "" : " --store " + shell_quote(options_.store));
    return status;
  }

 private:
  // The exit status. ERRORS are those of the matrix so far: with any, nothing is run.
  int run_once(const session::Experiment& loaded, const RunOptions& options, Errors errors) {
    has_ended_ = false;
    const double started_s = world_->clock.now_s();
    session::Planning planning(world_->files, loaded, options.store, options.plan);
    Console console(world_->files, planning.layout());
    session::check_before_run(planning, options, errors);
    print_warnings(planning.new_warnings());
    if (!errors.empty()) return fail_run(errors);

    SignalInterrupts interrupts;
    session::MatrixRun run({.world = *world_,
                            .reporter = console,
                            .interrupts = interrupts,
                            .planning = planning,
                            .options = options});
    if (!run.open() || !run.plan()) return fail_run(run.errors());
    if (!is_looked_at(planning.current()) && !passes_preflight(*world_, planning))
      return interrupts.count() > 0 ? 130 : 1;
    if (!run.drive()) return fail_run(run.errors());
    const bool is_scored =
        run.outcome().interrupted || score_run(*world_, run.store(), loaded.matrix, run.id(),
                                               [&] { return interrupts.count() > 0; });

    print_summary(planning.current(), run.outcome(), options.plan.until,
                  world_->clock.now_s() - started_s);
    if (results_ == Results::printed) print_results(run.store(), loaded.matrix, run.id());
    say(stderr, "Database: {}\n", run.store().layout().database().string());
    has_ended_ = true;
    const int status = exit_status(planning.current(), run.outcome());
    return status == 0 && !is_scored ? 1 : status;
  }

  // Whether PLAN may start as it is: the user says so, it needs no GPU, or an earlier round passed.
  bool is_looked_at(const plan::Plan& plan) {
    const bool is_asked = all_.preflight || preflight::needs_gpus(plan);
    return all_.no_preflight || !is_asked || std::exchange(has_looked_, true);
  }

  // Some points may have failed; the run itself came to its end, and nobody stopped it.
  bool goes_on(int status) const { return has_ended_ && (status == 0 || status == 1); }

  const CommandOptions& all_;
  const RunOptions& options_;
  const rounds::Asked& asked_;
  const Results results_;
  RealWorld world_;
  bool has_ended_ = false;   // the last run came to its end
  bool has_looked_ = false;  // before an earlier round
};

void declare(CLI::App& command, CommandOptions& all) {
  RunOptions& options = all.run;
  add_experiment_options(command, options.experiment);
  command.add_option("--store", options.store, "The results folder")->capture_default_str();
  add_plan_options(command, options.plan);
  add_again_options(command, options.experiment, options.plan);
  add_resolve_options(command, all.asked);
  command
      .add_option(
          "--jobs", options.jobs,
          "Concurrent tasks (default: the number of processors, at most 4); with --executor slurm: "
          "tasks and servers (default: `slurm.most_jobs` of the site file)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--executor", options.executor,
                  "Where stages run: local, on this machine; slurm, as jobs of a cluster")
      ->check(CLI::IsMember({"local", "slurm"}).description(""))
      ->each([&options](const std::string& executor) {
        options.experiment.on_cluster = executor == "slurm";
      })
      ->capture_default_str();
  auto* preflight = command.add_flag(
      "--preflight", all.preflight,
      "Before the first stage, look whether every point can run here, as `doctor MATRIX` does, and "
      "start nothing if one cannot (default: where a stage needs a GPU)");
  command.add_flag("--no-preflight", all.no_preflight, "Start without this look")
      ->excludes(preflight);
  command.add_flag("--fail-fast", options.fail_fast,
                   "Start no further stage after the first failure");
  command.add_flag("--wait", options.wait,
                   "When another run uses the store, wait for its end instead of exiting with "
                   "status 3");
  command.add_flag(
      "--update", options.update,
      "Resolve again what may have moved: mutable revisions of models, such as a branch on a "
      "hub, and tags of images");
  command
      .add_option("--trace", options.trace,
                  "Write what runs when (stages, servers, commits) to this file, which "
                  "chrome://tracing and Perfetto show")
      ->type_name("FILE");
  add_log_level(command, options.log_level);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "run", "Run everything in the plan that is not done yet; run again to resume");
  auto options = std::make_shared<CommandOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    options->run.command = own_command_line();
    options->run.folder = own_folder();
    exit_code = RunCommand(*options).run();
  });
}

int run_again(const std::vector<std::string>& words, const std::string& store,
              std::optional<system::LogLevel> log_level, Results results) {
  CLI::App command("orchestrate run");
  CommandOptions all;
  RunOptions& options = all.run;
  declare(command, all);
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
  all.results = results;
  return RunCommand(all).run();
}

}  // namespace orch::cli
