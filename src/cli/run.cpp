#include "cli/run.hpp"

#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/drive.hpp"
#include "cli/interrupts.hpp"
#include "cli/plan_text.hpp"
#include "cli/planning.hpp"
#include "cli/real_host.hpp"
#include "cli/resolve.hpp"
#include "cli/say.hpp"
#include "cli/summary.hpp"
#include "cli/version.hpp"
#include "execute/guarded.hpp"
#include "report/status.hpp"
#include "schedule/recover.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <chrono>
#include <thread>

namespace orch::cli {

namespace {

struct RunOptions {
  ExperimentOptions experiment;
  std::string store = "results";
  plan::Options plan;
  std::size_t jobs = 0;
  bool fail_fast = false;
  bool update = false;
  bool wait = false;
  std::vector<std::string> command;
};

int exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::conflict: return 3;
    case ErrorKind::interrupted: return 130;
    case ErrorKind::invalid:
    case ErrorKind::not_found: return 2;
    default: return 1;
  }
}

int fail(const Errors& errors) {
  print_errors(errors);
  return exit_code_for(errors.front().kind);
}

int fail(const Error& error) { return fail(Errors{error}); }

schedule::Options schedule_options(const RunOptions& options, const system::Machine& machine,
                                   store::Store& store) {
  schedule::Options out;
  out.expected_s = report::mean_stage_seconds(store.database()).value_or({});
  out.jobs = options.jobs ? options.jobs : static_cast<std::size_t>(std::clamp(machine.cpus, 1, 4));
  out.fail_fast = options.fail_fast;
  return out;
}

store::Outcome stored_outcome(const schedule::Outcome& outcome) {
  if (outcome.interrupted) return store::Outcome::interrupted;
  return outcome.failed || outcome.skipped || outcome.cancelled ? store::Outcome::failed
                                                                : store::Outcome::done;
}

int exit_status(const plan::Plan& plan, const schedule::Outcome& outcome) {
  if (outcome.interrupted) return 130;
  const bool all = reasons_of(plan, plan::Status::undecided).empty() &&
                   reasons_of(plan, plan::Status::failed).empty();
  return outcome.failed || outcome.skipped || outcome.cancelled || !all ? 1 : 0;
}

// Everything that can be known before the store is touched. False: told, and nothing may be done.
bool check(const Experiment& experiment, Planning& planning, const std::string& store,
           Errors& errors) {
  refuse_other_machine(experiment.stated, experiment.machine, errors);
  planning.expand(errors);
  sort_by_place(errors);
  print_warnings(planning.new_warnings());
  if (errors.empty() && store.empty()) errors.push_back(invalid("--store is empty; name a folder"));
  return errors.empty();
}

// Of the points that may run: all with a moving name when UPDATE, else those that wait for its
// meaning.
std::set<std::string> models_to_resolve(const plan::Plan& plan, bool update) {
  std::set<plan::StageId> unknown;
  for (const plan::Stage& stage : plan.stages)
    if (!stage.unknown.empty()) unknown.insert(stage.id);
  std::set<std::string> models;
  for (const plan::PlannedPoint& point : plan.points) {
    const bool waits =
        std::any_of(point.stages.begin(), point.stages.end(),
                    [&](const plan::StageId& stage) { return unknown.contains(stage); });
    if (point.status != plan::Status::reject && (update || waits)) models.insert(point.point.model);
  }
  return models;
}

// Plans against STORE, after asking what moving names of models mean. Points whose model cannot be
// resolved wait; the rest goes on.
void plan(Planning& planning, const Experiment& experiment, World& world, store::Store& store,
          schedule::Interrupts& interrupts, bool update, Errors& errors) {
  planning.use(store);
  planning.plan(errors);
  const auto models = models_to_resolve(planning.current(), update);
  if (!errors.empty() || models.empty()) return;
  const Resolved resolved = resolve_models(experiment, models, planning.layout(), store,
                                           {.files = world.files,
                                            .clock = world.clock,
                                            .processes = world.processes,
                                            .interrupts = interrupts,
                                            .environment = world.environment},
                                           update);
  if (interrupts.count() > 0)
    return errors.push_back(
        {ErrorKind::interrupted, "interrupted before anything was started", {}});
  print_errors(resolved.failures);
  if (resolved.any) planning.plan(errors);
}

// With --wait until whoever has the store is done with it.
Result<store::Store> open_store(const RunOptions& options, schedule::Interrupts& interrupts) {
  for (std::string said;;) {
    auto store = store::Store::open(real_host(), options.store, store::Mode::write);
    if (store || !options.wait || store.error().kind != ErrorKind::conflict) return store;
    if (interrupts.count() > 0)
      return Error{ErrorKind::interrupted, "interrupted while waiting for the store", {}};
    const auto writer = store::Store::writer(real_host().files, options.store);
    if (const std::string holder = writer ? writer->text() : said; holder != said)
      say(stderr, "waiting for {}\n", said = holder);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

int run(const RunOptions& options) {
  // Whoever reads what we print may leave; the run goes on.
  std::signal(SIGPIPE, SIG_IGN);
  World world;
  const double started_s = world.clock.now_s();
  // At once: a large matrix takes its time to expand.
  if (const Status free =
          options.wait ? Status() : store::Store::free_to_write(real_host(), options.store);
      !free)
    return fail(free.error());
  Errors errors;
  const Experiment experiment = load_experiment(world.files, options.experiment, errors);
  Planning planning(world.files, experiment, options.store, options.plan);
  if (!check(experiment, planning, options.store, errors)) return fail(errors);

  SignalInterrupts interrupts;
  auto store = open_store(options, interrupts);
  if (!store) return fail(store.error());
  auto unfinished = store->unfinished();
  if (!unfinished) return fail(unfinished.error());
  const std::string guardians = planning.layout().store + "/guardians";
  if (const Status made = world.files.make_folder(guardians); !made) return fail(made.error());
  execute::GuardedExecutor executor({world.processes, world.files, world.clock},
                                    {.program = planning.layout().orchestrate,
                                     .folder = guardians,
                                     .grace_s = experiment.site.grace_s,
                                     .containment = experiment.site.containment});
  schedule::hold(*unfinished, executor, {world.files, planning.layout(), world.environment, {}},
                 experiment.machine.host);
  plan(planning, experiment, world, *store, interrupts, options.update, errors);
  print_warnings(planning.new_warnings());
  if (!errors.empty()) return fail(errors);
  auto journal = store->begin_run(
      planning.current(),
      {.matrix_file = options.experiment.matrix_file,
       .matrix_text = experiment.matrix_text,
       .command = options.command,
       .folder = own_folder(),
       .version = k_version,
       .machine = experiment.machine.facts(),
       .started_at = world.clock.wall_s(),
       .goodput = experiment.matrix.measure.goodput ? experiment.matrix.measure.goodput->sql : ""});
  if (!journal) return fail(store->corruption_error(journal.error()));
  for (const std::string& notice : store->notices()) say(stderr, "note: {}\n", notice);

  const auto outcome = drive(world, planning, experiment,
                             {.journal = **journal,
                              .interrupts = interrupts,
                              .executor = executor,
                              .unfinished = std::move(*unfinished),
                              .options = schedule_options(options, experiment.machine, *store)});
  const Status finished = (*journal)->finish(
      outcome ? stored_outcome(*outcome) : store::Outcome::error, world.clock.wall_s());
  if (!outcome) return fail(outcome.error());
  if (!finished) return fail(finished.error());
  print_summary(planning.current(), *outcome, world.clock.now_s() - started_s);
  print_results(*store, experiment.matrix, (*journal)->run_id());
  say(stderr, "Database: {}\n", store->layout().database().string());
  return exit_status(planning.current(), *outcome);
}

void declare(CLI::App& command, RunOptions& options) {
  add_experiment_options(command, options.experiment);
  command.add_option("--store", options.store, "The results folder")->capture_default_str();
  add_plan_options(command, options.plan);
  command
      .add_option("--jobs", options.jobs, "Tasks at a time (default: the processors, at most 4)")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--fail-fast", options.fail_fast, "Start nothing more after the first failure");
  command.add_flag(
      "--wait", options.wait,
      "When another run has the store, wait for its end instead of leaving with status 3");
  command.add_flag("--update", options.update,
                   "Ask again what moving names of models (a branch on a hub) mean now");
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("run", "Do what the plan says; running it again resumes it");
  auto options = std::make_shared<RunOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    options->command = own_command_line();
    exit_code = run(*options);
  });
}

int run_again(const std::vector<std::string>& words, const std::string& store) {
  CLI::App command("orchestrate run");
  RunOptions options;
  declare(command, options);
  try {
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return fail(
        invalid(fmt::format("the arguments on record ({}) are no longer understood: {}; give "
                            "`orchestrate run` new ones",
                            join(words, " "), error.what())));
  }
  options.store = store;
  options.command = {own_command_line().front(), "run"};
  options.command.insert(options.command.end(), words.begin(), words.end());
  return run(options);
}

}  // namespace orch::cli
