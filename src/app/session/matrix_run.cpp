#include "app/session/matrix_run.hpp"

#include "app/session/host/host_inventory.hpp"
#include "app/session/identities/image_digests.hpp"
#include "app/session/identities/resolve.hpp"
#include "app/session/status.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/secret/redact.hpp"
#include "results/store/layout.hpp"
#include "run/attempt/stage_environment.hpp"
#include "run/schedule/recover.hpp"

#include <cerrno>
#include <fstream>

namespace orch::session {

namespace {

constexpr double k_store_poll_s = 0.2;
constexpr std::size_t k_diagnostic_bytes = 5 << 20;
constexpr std::size_t k_diagnostic_files_kept = 2;

store::Outcome stored_outcome(const schedule::Outcome& outcome) {
  if (outcome.interrupted) return store::Outcome::interrupted;
  return outcome.failed || outcome.skipped || outcome.cancelled ? store::Outcome::failed
                                                                : store::Outcome::done;
}

// The origins that points fetch: with UPDATE those of all points that may run, else those of points
// that wait for an identity.
Origins origins_to_resolve(const Planning& planning, bool update) {
  const plan::Plan& plan = planning.current();
  std::set<plan::StageId> unknown;
  for (const plan::Stage& stage : plan.stages)
    if (!stage.unknown.empty()) unknown.insert(stage.id);
  Origins origins;
  for (const plan::PlannedPoint& point : plan.points) {
    const bool waits = std::ranges::any_of(
        point.stages, [&](const plan::StageId& stage) { return unknown.contains(stage); });
    if (point.status != plan::Status::reject && (update || waits))
      origins.merge(planning.origins_of(point.point));
  }
  return origins;
}

store::Host store_host(const Context& context) {
  const StoreSite& site = context.experiment().site.store;
  store::Host host = context.world.host();
  host.is_shared = site.is_shared;
  host.silent_s = site.silent_s;
  host.says = [&reporter = context.reporter](const std::string& text) {
    reporter.report(Severity::info, text);
  };
  return host;
}

Result<store::Store> wait_for_store(const Context& context) {
  const std::string& folder = context.options.store;
  const store::Host host = store_host(context);
  for (std::string reported;;) {
    auto store = store::Store::open(host, folder, store::Mode::write);
    if (store || !context.options.wait || store.error().kind != ErrorKind::conflict) return store;
    if (context.interrupts.count() > 0)
      return Error{ErrorKind::interrupted, "interrupted while waiting for the store"};
    const auto writer = store::Store::writer(host, folder);
    if (const std::string holder = writer ? writer->text() : reported; holder != reported) {
      reported = holder;
      context.reporter.report(Severity::info, "waiting for " + reported);
    }
    context.world.clock.sleep_s(k_store_poll_s);
  }
}

std::vector<std::string> secrets_of(const Context& context) {
  return attempt::secrets_of(context.world.environment, secret_names(context.experiment()));
}

// Opens the diagnostics of the store. Call once the store is locked, because only one process may
// write the file.
std::unique_ptr<system::Diagnostics> open_diagnostics(const Context& context,
                                                      const store::Store& store) {
  auto diagnostics =
      system::open_diagnostics({.path = store.layout().diagnostics().string(),
                                .level = context.options.log_level,
                                .most_bytes = k_diagnostic_bytes,
                                .kept = k_diagnostic_files_kept,
                                .redact = secret::line_redactor(secrets_of(context))});
  diagnostics->log(system::LogLevel::info, "orchestrate {} in {}: {}", k_version,
                   context.options.folder, shell_quote(context.options.command));
  return diagnostics;
}

Error logged(system::Diagnostics& diagnostics, const Error& error) {
  diagnostics.log(system::LogLevel::error, "{}", error.text());
  return error;
}

// Makes the execution of OPEN, and holds the attempts that earlier runs left without an end.
Status hold_unfinished(const Context& context, OpenStore& open) {
  ORCH_ASSIGN(open.unfinished, open.store.unfinished());
  const attempt::Layout& layout = context.planning.layout();
  ORCH_ASSIGN(open.execution, make_execution({.world = context.world,
                                              .reporter = context.reporter,
                                              .experiment = context.experiment(),
                                              .layout = layout,
                                              .log_level = context.options.log_level,
                                              .secrets = secrets_of(context)}));
  Execution& execution = open.execution;
  attempt::Workspace workspace(context.world.files,
                               {.layout = layout, .inherited = context.world.environment});
  schedule::hold(open.unfinished, *execution.executor, workspace, execution.host);
  schedule::make_room(open.unfinished, *execution.executor, workspace, execution.host);
  return {};
}

// Makes the plan of a run, with the queries that only a run may make.
class PlanMaker {
 public:
  PlanMaker(const Context& context, store::Store& store, Errors& errors)
      : context_(context),
        planning_(context.planning),
        store_(store),
        errors_(errors),
        versions_(std::make_shared<ToolVersions>(context, store)),
        images_(std::make_shared<ImageDigests>(context, store)) {}

  // Makes the plan, and reports failures and warnings. Points whose model cannot be resolved wait;
  // the others are planned.
  std::shared_ptr<ToolVersions> run() {
    make_plan();
    report_errors(context_.reporter, versions_->new_failures());
    report_errors(context_.reporter, images_->new_failures());
    report_warnings(context_.reporter, planning_.new_warnings());
    return versions_;
  }

 private:
  // Connects the planning with the store and with the queries, which later planning in this run
  // also makes.
  void connect() {
    planning_.use(store_);
    planning_.facts().ask_by(
        {.version = [versions = versions_](
                        const VersionQuestion& question) { return versions->ask(question); },
         .image = [images = images_](
                      container::Engine engine,
                      const std::string& reference) { return images->ask(engine, reference); }});
    planning_.facts().digests().hash_by(
        {.workers = context_.world.workers,
         .go_on =
             [context = context_](const system::LongWork& work) {
               context.reporter.hashing(work.done_bytes(), work.expected_bytes());
               return context.interrupts.count() == 0;
             },
         .over = [&reporter = context_.reporter] { reporter.hashed(); }});
  }

  void make_plan() {
    connect();
    plan_once();
    if (!errors_.empty()) return;
    const bool asked = ask_running_servers();
    // An interrupt leaves identities unknown, without which nothing can be decided.
    if (is_interrupted() &&
        std::ranges::any_of(planning_.current().stages,
                            [](const plan::Stage& stage) { return !stage.unknown.empty(); }))
      return errors_.push_back(interrupted());
    const auto origins = origins_to_resolve(planning_, context_.options.update);
    if (origins.empty()) return asked ? plan_once() : void();
    const Resolved resolved = resolve_origins(context_, store_, origins);
    if (is_interrupted()) return errors_.push_back(interrupted());
    report_errors(context_.reporter, resolved.failures);
    if (resolved.any || asked) plan_once();
  }

  // Plans once. If an interrupt ends the hashing of inputs, the plan lacks their digests.
  void plan_once() {
    planning_.plan(errors_);
    refuse_contained(planning_.current(), context_.experiment(), errors_);
    if (!errors_.empty() && is_interrupted()) errors_ = {interrupted()};
  }

  // Servers that are already running are queried for their identity in each run.
  bool ask_running_servers() {
    const auto services = services_to_ask(planning_.current());
    if (services.empty()) return false;
    const AskedServers asked = ask_servers(context_, store_, services);
    for (const std::string& question : asked.silent) planning_.facts().mistrust_server(question);
    report_errors(context_.reporter, asked.failures);
    return true;
  }

  bool is_interrupted() const { return context_.interrupts.count() > 0; }
  static Error interrupted() {
    return Error{ErrorKind::interrupted, "interrupted before anything was started"};
  }

  const Context& context_;
  Planning& planning_;
  store::Store& store_;
  Errors& errors_;
  std::shared_ptr<ToolVersions> versions_;
  std::shared_ptr<ImageDigests> images_;
};

std::map<std::string, std::string> machine_facts(const Context& context, const OpenStore& open) {
  std::map<std::string, std::string> facts = context.experiment().machine.facts();
  facts["host"] = open.execution.host;
  return facts;
}

std::map<std::string, std::string> manifest_digests(const Experiment& experiment) {
  std::map<std::string, std::string> out;
  for (const UsedRunner& one : experiment.runners) out[one.manifest.name] = one.manifest.digest;
  return out;
}

Result<std::unique_ptr<store::RunJournal>> begin_run(const Context& context, OpenStore& open) {
  const Experiment& experiment = context.experiment();
  const plan::Plan& plan = context.planning.current();
  const auto& goodput = experiment.matrix.measure.goodput;
  auto journal = open.store.begin_run(plan, {.matrix_file = context.options.experiment.matrix_file,
                                             .matrix_text = experiment.matrix_text,
                                             .command = context.options.command,
                                             .folder = context.options.folder,
                                             .version = k_version,
                                             .machine = machine_facts(context, open),
                                             .started_at = context.world.clock.wall_s(),
                                             .goodput = goodput ? goodput->sql : "",
                                             .runners = manifest_digests(experiment)});
  if (!journal) return open.store.corruption_error(journal.error());
  open.diagnostics->log(system::LogLevel::info, "run {} begins; points: {}, stages: {}",
                        (*journal)->run_id(), plan.points.size(), plan.stages.size());
  for (const std::string& notice : open.store.notices())
    context.reporter.report(Severity::note, notice);
  if (const std::string note = experiment.gpus.note(); !note.empty())
    context.reporter.report(Severity::note, note);
  return journal;
}

schedule::Options schedule_options(const Context& context, OpenStore& open) {
  const Experiment& experiment = context.experiment();
  const std::size_t jobs = context.options.jobs;
  schedule::Options options;
  options.expected_s = report::mean_stage_seconds(open.store.database()).value_or({});
  options.fail_fast = context.options.fail_fast;
  options.inventory = host_inventory(experiment);
  options.jobs = jobs ? jobs : usual_jobs(options.inventory);
  options.chosen_gpus = join(experiment.gpus.wanted.ids, ", ");
  if (open.execution.executor->placement().shares_host) return options;
  // On a cluster, only the site's tokens are counted here.
  options.inventory = {.cores = {}, .gpus = {}, .tokens = options.inventory.tokens};
  options.jobs = jobs ? jobs : static_cast<std::size_t>(experiment.site.slurm.most_jobs);
  return options;
}

Result<FinishedRun> drive_to_end(const Context& context, PlannedRun& run) {
  OpenStore& open = run.open;
  const std::string& path = context.options.trace;
  std::ofstream trace;
  if (!path.empty()) {
    ORCH_TRY(store::check_output(path));
    trace.open(path);
    if (!trace) return io_error("write", path, errno);
  }
  ORCH_ASSIGN(const std::unique_ptr<store::RunJournal> journal, begin_run(context, open));
  const auto outcome = drive_rounds({.context = context,
                                     .journal = *journal,
                                     .execution = open.execution,
                                     .diagnostics = *open.diagnostics,
                                     .versions = *run.versions,
                                     .trace = path.empty() ? nullptr : &trace,
                                     .unfinished = std::exchange(open.unfinished, {}),
                                     .options = schedule_options(context, open)});
  const Status finished = journal->finish(
      outcome ? stored_outcome(*outcome) : store::Outcome::error, context.world.clock.wall_s());
  if (!outcome) return outcome.error();
  open.execution.executor->leave();
  open.diagnostics->log(system::LogLevel::info,
                        "run {} ends: {} done, {} reused, {} failed, {} skipped, {} cancelled{}",
                        journal->run_id(), outcome->done, outcome->reused, outcome->failed,
                        outcome->skipped, outcome->cancelled,
                        outcome->interrupted ? ", interrupted" : "");
  ORCH_TRY(finished);
  return FinishedRun{journal->run_id(), *outcome};
}

}  // namespace

void check_before_run(Planning& planning, const RunOptions& options, Errors& errors) {
  const Experiment& experiment = planning.experiment();
  if (experiment.options.placement.shares_host && !options.looks_only) {
    refuse_other_machine(experiment.stated, experiment.machine, errors);
    refuse_absent_gpus(experiment.gpus, errors);
  }
  if (const std::string why = system::why_no_listening(experiment.site.bind); !why.empty())
    errors.push_back(
        invalid(fmt::format("servers cannot listen on 'bind' {}: {}", experiment.site.bind, why),
                experiment.site.bind_where));
  planning.expand(errors);
  sort_by_place(errors);
  if (errors.empty() && options.store.empty())
    errors.push_back(invalid("--store is empty; name a folder"));
}

Result<OpenStore> open_store(const Context& context) {
  ORCH_ASSIGN(store::Store store, wait_for_store(context));
  auto diagnostics = open_diagnostics(context, store);
  OpenStore open{std::move(store), std::move(diagnostics), {}, {}};
  if (context.options.looks_only) return open;
  if (const Status held = hold_unfinished(context, open); !held)
    return logged(*open.diagnostics, held.error());
  return open;
}

std::optional<PlannedRun> plan_run(const Context& context, OpenStore& open, Errors& errors) {
  auto versions = PlanMaker(context, open.store, errors).run();
  if (!errors.empty()) return std::nullopt;
  return PlannedRun{open, std::move(versions)};
}

Result<FinishedRun> drive(const Context& context, PlannedRun& run) {
  auto finished = drive_to_end(context, run);
  if (!finished) return logged(*run.open.diagnostics, finished.error());
  return finished;
}

}  // namespace orch::session
