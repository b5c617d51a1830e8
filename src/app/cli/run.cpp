#include "analysis/report/describe.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/decide/add_sessions.hpp"
#include "app/cli/planning/plan_text.hpp"
#include "app/cli/progress/progress.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/score/scorers.hpp"
#include "app/preflight/preflight.hpp"
#include "app/session/matrix_run.hpp"
#include "core/base/text.hpp"
#include "results/store/store.hpp"

#include <csignal>

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

using session::RunOptions;

Exit exit_status(const plan::Plan& plan, const schedule::Outcome& outcome) {
  if (outcome.interrupted) return Exit::interrupted;
  const bool is_complete = reasons_of(plan, plan::Status::undecided).empty() &&
                           reasons_of(plan, plan::Status::failed).empty();
  return outcome.failed || outcome.skipped || outcome.cancelled || !is_complete ? Exit::failed
                                                                                : Exit::done;
}

// Checks this early, because expanding a large matrix takes time.
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

  Exit run() {
    std::signal(SIGPIPE, SIG_IGN);  // the run continues if the reader of our output exits
    const double began_s = world_->clock.now_s();
    if (const Status free = check_store_is_free(options_); !free) return fail_run({free.error()});
    Errors errors;
    const auto loaded = session::load_experiment(*world_, options_.experiment, errors);
    const auto question =
        errors.empty() ? ask_of_matrix(*world_, loaded, options_, asked_, errors) : std::nullopt;
    Exit status = run_once(loaded, options_, std::move(errors));
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
                              const Exit of_round = run_once(again, options, {});
                              return RoundEnd{of_round, goes_on(of_round)};
                            }},
                       status);
    if (has_ended_ && results_ == Results::printed)
      say(stderr, "Report: orchestrate report{}\n",
          options_.store == "results" ? "" : " --store " + shell_quote(options_.store));
    return status;
  }

 private:
  // ERRORS are the errors in the matrix so far; if there are any, does not run.
  Exit run_once(const session::Experiment& loaded, const RunOptions& options, Errors errors) {
    has_ended_ = false;
    const double started_s = world_->clock.now_s();
    session::Planning planning(world_->files, loaded, options.store, options.plan);
    Console console(world_->files, planning.layout());
    session::check_before_run(planning, options, errors);
    print_warnings(planning.new_warnings());
    if (!errors.empty()) return fail_run(errors);

    SignalInterrupts interrupts;
    const session::Context context{.world = *world_,
                                   .reporter = console,
                                   .interrupts = interrupts,
                                   .planning = planning,
                                   .options = options};
    auto open = session::open_store(context);
    if (!open) return fail_run({open.error()});
    auto planned = session::plan_run(context, *open, errors);
    if (!planned) return fail_run(errors);
    if (!is_looked_at(planning.current()) && !passes_preflight(*world_, planning))
      return interrupts.count() > 0 ? Exit::interrupted : Exit::failed;
    const auto run = session::drive(context, *planned);
    if (!run) return fail_run({run.error()});
    store::Store& store = open->store;
    const bool is_scored =
        run->outcome.interrupted ||
        score_run(*world_, store, loaded.matrix, run->id, [&] { return interrupts.count() > 0; });

    print_summary(planning.current(), run->outcome, options.plan.until,
                  world_->clock.now_s() - started_s);
    if (results_ == Results::printed) print_results(store, loaded.matrix, run->id);
    say(stderr, "Database: {}\n", store.layout().database().string());
    has_ended_ = true;
    const Exit status = exit_status(planning.current(), run->outcome);
    return status == Exit::done && !is_scored ? Exit::failed : status;
  }

  // Whether PLAN may start without preflight: because of an option, because it needs no GPUs, or
  // because preflight has checked an earlier round.
  bool is_looked_at(const plan::Plan& plan) {
    const bool is_asked = all_.preflight || preflight::needs_gpus(plan);
    return all_.no_preflight || !is_asked || std::exchange(has_looked_, true);
  }

  // Whether the run finished without being stopped, although some points may have failed.
  bool goes_on(Exit status) const {
    return has_ended_ && (status == Exit::done || status == Exit::failed);
  }

  const CommandOptions& all_;
  const RunOptions& options_;
  const rounds::Asked& asked_;
  const Results results_;
  RealWorld world_;
  bool has_ended_ = false;   // the last run finished
  bool has_looked_ = false;  // an earlier round was checked
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
  add_executor_option(command, options.experiment.placement,
                      "Where stages run: local, on this machine; slurm, as jobs of a cluster");
  auto* preflight = command.add_flag(
      "--preflight", all.preflight,
      "Before the first stage, check that every point can run here, as `doctor MATRIX` does, and "
      "start nothing if one cannot (default: where a stage needs a GPU)");
  command.add_flag("--no-preflight", all.no_preflight, "Start without this check")
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

struct ResumeOptions {
  std::optional<std::int64_t> run;
  std::string store = "results";
  std::optional<system::LogLevel> log_level;  // nullopt: the level of the resumed run
};

// Why the run cannot be resumed; "" if it can.
std::string why_not(const report::RunCommand& command_of_run) {
  std::error_code code;
  if (command_of_run.words.size() < 2 || command_of_run.words[1] != "run")
    return fmt::format("run {} came from `orchestrate {}`, which cannot be resumed",
                       command_of_run.run,
                       command_of_run.words.size() < 2 ? "" : command_of_run.words[1]);
  if (command_of_run.folder.empty())
    return fmt::format(
        "the folder where run {} was started is not recorded; go there and use `orchestrate run "
        "{}`",
        command_of_run.run, command_of_run.matrix_file);
  if (!std::filesystem::is_directory(command_of_run.folder, code))
    return fmt::format(
        "{}, where run {} was started, does not exist; use `orchestrate run MATRIX --store DIR`",
        command_of_run.folder, command_of_run.run);
  const std::filesystem::path matrix =
      std::filesystem::path(command_of_run.folder) / command_of_run.matrix_file;
  if (!std::filesystem::exists(matrix, code))
    return fmt::format(
        "the matrix of run {}, {}, does not exist; restore it, or use `orchestrate run MATRIX "
        "--store DIR` with another",
        command_of_run.run, matrix.string());
  return "";
}

Exit resume(const ResumeOptions& options) {
  const std::string store = std::filesystem::absolute(options.store).lexically_normal().string();
  std::optional<report::RunCommand> command_of_run;
  const Exit status = read_store(store, [&](store::Store& opened) -> Status {
    ORCH_ASSIGN(command_of_run, report::read_run_command(opened.database(), options.run));
    return {};
  });
  if (status != Exit::done) return status;
  if (!command_of_run) {
    say(stderr, "nothing to resume in {}: every run there has ended\n", store);
    return Exit::done;
  }
  if (const std::string why = why_not(*command_of_run); !why.empty())
    return fail_command(invalid(why));
  std::error_code code;
  std::filesystem::current_path(command_of_run->folder, code);
  if (code) return fail_command(io_error("go to", command_of_run->folder, code.value()));
  say(stderr, "resuming run {} in {}: orchestrate {}\n", command_of_run->run,
      command_of_run->folder,
      fmt::join(command_of_run->words.begin() + 1, command_of_run->words.end(), " "));
  return run_again({command_of_run->words.begin() + 2, command_of_run->words.end()}, store,
                   options.log_level);
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
    exit_code = status_of(RunCommand(*options).run());
  });
}

Exit run_again(const std::vector<std::string>& words, const std::string& store,
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

void add_resume(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "resume",
      "Finish a run that died or was interrupted, with the same command in the same folder");
  auto options = std::make_shared<ResumeOptions>();
  command->add_option("RUN", options->run,
                      "The number of a run (default: the newest that has not ended)");
  add_store_option(*command, options->store);
  const auto level = std::make_shared<system::LogLevel>(system::LogLevel::info);
  add_log_level(*command, *level)->default_str("as the run had it");
  command->callback([command, options, level, &exit_code] {
    if (command->count("--log-level") > 0) options->log_level = *level;
    exit_code = status_of(resume(*options));
  });
}

}  // namespace orch::cli
