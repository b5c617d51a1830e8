#include "app/session/host/host_inventory.hpp"
#include "app/session/matrix_run.hpp"

#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "run/attempt/stage_environment.hpp"
#include "run/slurm/slurm_executor.hpp"
#include "app/session/identities/resolve.hpp"
#include "app/session/status.hpp"
#include "results/store/layout.hpp"
#include "run/schedule/recover.hpp"
#include "core/secret/redact.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace orch::session {

namespace {

constexpr double k_store_poll_s = 0.2;
constexpr double k_gather_s = 0.05;
constexpr std::size_t k_diagnostic_bytes = 5 << 20;
constexpr std::size_t k_diagnostic_files_kept = 2;

store::Outcome stored_outcome(const schedule::Outcome& outcome) {
  if (outcome.interrupted) return store::Outcome::interrupted;
  return outcome.failed || outcome.skipped || outcome.cancelled ? store::Outcome::failed
                                                                : store::Outcome::done;
}

// What points that may run fetch: with UPDATE of all of them, else of those that wait for an
// identity.
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

}  // namespace

void check_before_run(Planning& planning, const RunOptions& options, Errors& errors) {
  const Experiment& experiment = planning.experiment();
  if (options.executor == "local" && !options.looks_only) {
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

// Records the error of STATUS, if it has one.
bool MatrixRun::check(const Status& status) {
  if (!status) {
    errors_.push_back(status.error());
    diagnostics_->log(system::LogLevel::error, "{}", status.error().text());
  }
  return errors_.empty();
}

store::Host MatrixRun::store_host() const {
  const StoreSite& site = experiment().site.store;
  store::Host host = tools_.world.host();
  host.is_shared = site.is_shared;
  host.silent_s = site.silent_s;
  host.says = [this](const std::string& text) { tools_.reporter.report(Severity::info, text); };
  return host;
}

Result<store::Store> MatrixRun::open_store() const {
  const std::string& folder = tools_.options.store;
  const store::Host host = store_host();
  for (std::string reported;;) {
    auto store = store::Store::open(host, folder, store::Mode::write);
    if (store || !tools_.options.wait || store.error().kind != ErrorKind::conflict) return store;
    if (tools_.interrupts.count() > 0)
      return Error{ErrorKind::interrupted, "interrupted while waiting for the store", {}};
    const auto writer = store::Store::writer(host, folder);
    if (const std::string holder = writer ? writer->text() : reported; holder != reported)
      tools_.reporter.report(Severity::info, "waiting for " + (reported = holder));
    tools_.world.clock.sleep_s(k_store_poll_s);
  }
}

std::vector<std::string> MatrixRun::secrets() const {
  return attempt::secrets_of(tools_.world.environment, secret_names(experiment()));
}

// To be called once the store is locked: one process writes the file.
void MatrixRun::open_diagnostics() {
  diagnostics_ = system::open_diagnostics({.path = store_->layout().diagnostics().string(),
                                           .level = tools_.options.log_level,
                                           .most_bytes = k_diagnostic_bytes,
                                           .kept = k_diagnostic_files_kept,
                                           .redact = secret::line_redactor(secrets())});
  diagnostics_->log(system::LogLevel::info, "orchestrate {} in {}: {}", k_version,
                    tools_.options.folder, shell_quote(tools_.options.command));
}

bool MatrixRun::open() {
  auto store = open_store();
  if (!store) return check(store.error());
  store_ = std::move(*store);
  open_diagnostics();
  if (tools_.options.looks_only) return true;
  auto unfinished = store_->unfinished();
  if (!unfinished) return check(unfinished.error());
  unfinished_ = std::move(*unfinished);
  const attempt::Layout& layout = tools_.planning.layout();
  const std::string guardians = layout.store + "/guardians";
  if (!check(tools_.world.files.make_folder(guardians))) return false;
  executor_ = is_on_cluster()
                  ? make_slurm_executor()
                  : tools_.world.make_executor({.program = layout.orchestrate,
                                                .folder = guardians,
                                                .grace_s = experiment().site.grace_s,
                                                .containment = experiment().site.containment,
                                                .log_level = tools_.options.log_level,
                                                .secrets = secrets()});
  attempt::Workspace workspace(tools_.world.files,
                               {.layout = layout, .inherited = tools_.world.environment});
  schedule::hold(unfinished_, *executor_, workspace, host());
  schedule::make_room(unfinished_, *executor_, workspace, host());
  return true;
}

std::unique_ptr<execute::Executor> MatrixRun::make_slurm_executor() {
  const attempt::Layout& layout = tools_.planning.layout();
  const SlurmSite& site = experiment().site.slurm;
  const auto tell = [this](const std::string& text) {
    tools_.reporter.report(Severity::warning, text);
  };
  auto slurm =
      std::make_unique<slurm::RealSlurm>(tools_.world.processes, tools_.world.clock,
                                         slurm::slurm_environment(tools_.world.environment));
  return std::make_unique<slurm::SlurmExecutor>(
      tools_.world.files, tools_.world.clock, std::move(slurm),
      slurm::SlurmOptions{.store = std::filesystem::absolute(layout.store).string(),
                          .submit = {.program = layout.orchestrate,
                                     .words = site.words,
                                     .extra = site.lines,
                                     .most_in_array = static_cast<std::size_t>(site.most_in_array),
                                     .ports = experiment().site.ports,
                                     .gather_s = k_gather_s,
                                     .tell = tell},
                          .gres = site.gres,
                          .log_level = tools_.options.log_level,
                          .tell = tell,
                          .accounted = [this](const std::vector<std::string>& ids) {
                            return slurm::accounted_jobs(
                                tools_.world.processes, tools_.world.clock,
                                slurm::slurm_environment(tools_.world.environment), ids);
                          }});
}

// Attempts of a cluster are taken over from every node of it.
std::string MatrixRun::host() const {
  return is_on_cluster() ? "slurm" : experiment().machine.host;
}

std::map<std::string, std::string> MatrixRun::machine_facts() const {
  std::map<std::string, std::string> facts = experiment().machine.facts();
  facts["host"] = host();
  return facts;
}

// Of programs and images: whatever is planned later in this run asks, too.
void MatrixRun::ask_versions() {
  versions_.emplace(ToolVersions::With{.world = tools_.world,
                                       .reporter = tools_.reporter,
                                       .interrupts = tools_.interrupts,
                                       .store = *store_,
                                       .secret_names = secret_names(experiment()),
                                       .folder = tools_.planning.layout().store});
  tools_.planning.ask_versions_by(
      [this](const VersionQuestion& question) { return versions_->ask(question); });
  images_.emplace(
      ImageDigests::With{.world = tools_.world,
                         .reporter = tools_.reporter,
                         .interrupts = tools_.interrupts,
                         .store = *store_,
                         .host = containers_here(experiment(), tools_.world.environment),
                         .update = tools_.options.update,
                         .pull = tools_.options.pull});
  tools_.planning.ask_images_by([this](container::Engine engine, const std::string& reference) {
    return images_->ask(engine, reference);
  });
}

// An interrupt ends the hashing of inputs, which the plan then lacks.
void MatrixRun::make_plan_once() {
  tools_.planning.plan(errors_);
  refuse_contained(tools_.planning.current(), experiment(), errors_);
  if (!errors_.empty() && tools_.interrupts.count() > 0)
    errors_ = {{ErrorKind::interrupted, "interrupted before anything was started", {}}};
}

// Points whose model cannot be resolved wait; the rest is planned.
void MatrixRun::make_plan() {
  Planning& planning = tools_.planning;
  planning.use(*store_);
  ask_versions();
  planning.hash_by({.workers = tools_.world.workers,
                    .go_on =
                        [this](const system::LongWork& work) {
                          tools_.reporter.hashing(work.done_bytes(), work.expected_bytes());
                          return tools_.interrupts.count() == 0;
                        },
                    .over = [this] { tools_.reporter.hashed(); }});
  make_plan_once();
  if (!errors_.empty()) return;
  const bool asked = ask_servers();
  const Error interrupted{ErrorKind::interrupted, "interrupted before anything was started", {}};
  const auto& stages = planning.current().stages;
  // Without the answers that an interrupt has ended, nothing can be decided.
  if (tools_.interrupts.count() > 0 &&
      std::ranges::any_of(stages, [](const plan::Stage& stage) { return !stage.unknown.empty(); }))
    return errors_.push_back(interrupted);
  const auto origins = origins_to_resolve(planning, tools_.options.update);
  if (origins.empty()) return asked && errors_.empty() ? make_plan_once() : void();
  const Resolved resolved = resolve_origins({.world = tools_.world,
                                             .reporter = tools_.reporter,
                                             .interrupts = tools_.interrupts,
                                             .experiment = experiment(),
                                             .layout = planning.layout(),
                                             .store = *store_},
                                            origins, tools_.options.update);
  if (tools_.interrupts.count() > 0) return errors_.push_back(interrupted);
  report_errors(tools_.reporter, resolved.failures);
  if (resolved.any || asked) make_plan_once();
}

// Servers that run already say anew in each run what they are.
bool MatrixRun::ask_servers() {
  Planning& planning = tools_.planning;
  const auto services = services_to_ask(planning.current());
  if (services.empty()) return false;
  const AskedServers asked = session::ask_servers({.world = tools_.world,
                                                   .reporter = tools_.reporter,
                                                   .interrupts = tools_.interrupts,
                                                   .experiment = experiment(),
                                                   .layout = planning.layout(),
                                                   .store = *store_},
                                                  services, planning.current());
  for (const std::string& question : asked.silent) planning.mistrust_server(question);
  report_errors(tools_.reporter, asked.failures);
  return true;
}

bool MatrixRun::plan() {
  make_plan();
  report_errors(tools_.reporter, versions_->new_failures());
  report_errors(tools_.reporter, images_->new_failures());
  report_warnings(tools_.reporter, tools_.planning.new_warnings());
  return errors_.empty();
}

namespace {

std::map<std::string, std::string> manifest_digests(const Experiment& experiment) {
  std::map<std::string, std::string> out;
  for (const UsedRunner& one : experiment.runners) out[one.manifest.name] = one.manifest.digest;
  return out;
}

}  // namespace

Status MatrixRun::begin() {
  const auto& goodput = experiment().matrix.measure.goodput;
  auto journal = store_->begin_run(tools_.planning.current(),
                                   {.matrix_file = tools_.options.experiment.matrix_file,
                                    .matrix_text = experiment().matrix_text,
                                    .command = tools_.options.command,
                                    .folder = tools_.options.folder,
                                    .version = k_version,
                                    .machine = machine_facts(),
                                    .started_at = tools_.world.clock.wall_s(),
                                    .goodput = goodput ? goodput->sql : "",
                                    .runners = manifest_digests(experiment())});
  if (!journal) return store_->corruption_error(journal.error());
  journal_ = std::move(*journal);
  diagnostics_->log(system::LogLevel::info, "run {} begins; points: {}, stages: {}",
                    journal_->run_id(), tools_.planning.current().points.size(),
                    tools_.planning.current().stages.size());
  for (const std::string& notice : store_->notices())
    tools_.reporter.report(Severity::note, notice);
  if (const std::string note = experiment().gpus.note(); !note.empty())
    tools_.reporter.report(Severity::note, note);
  return {};
}

schedule::Options MatrixRun::schedule_options() {
  schedule::Options options;
  options.expected_s = report::mean_stage_seconds(store_->database()).value_or({});
  options.fail_fast = tools_.options.fail_fast;
  options.inventory = host_inventory(experiment());
  options.jobs = tools_.options.jobs ? tools_.options.jobs : usual_jobs(options.inventory);
  options.chosen_gpus = join(experiment().gpus.wanted.ids, ", ");
  if (!is_on_cluster()) return options;
  // The cluster shares its nodes out; what is counted here are the site's tokens.
  options.elsewhere = true;
  options.inventory = {.cores = {}, .gpus = {}, .tokens = options.inventory.tokens};
  options.jobs = tools_.options.jobs ? tools_.options.jobs
                                     : static_cast<std::size_t>(experiment().site.slurm.most_jobs);
  return options;
}

bool MatrixRun::drive() {
  const std::string& path = tools_.options.trace;
  std::ofstream trace;
  if (!path.empty()) {
    if (!check(store::check_output(path))) return false;
    trace.open(path);
    if (!trace) return check(io_error("write", path, errno));
  }
  if (!check(begin())) return false;
  const auto outcome = session::drive({.world = tools_.world,
                                       .reporter = tools_.reporter,
                                       .planning = tools_.planning,
                                       .journal = *journal_,
                                       .interrupts = tools_.interrupts,
                                       .executor = *executor_,
                                       .diagnostics = *diagnostics_,
                                       .versions = *versions_,
                                       .trace = path.empty() ? nullptr : &trace,
                                       .on_cluster = is_on_cluster(),
                                       .unfinished = std::exchange(unfinished_, {}),
                                       .options = schedule_options()});
  const Status finished = journal_->finish(
      outcome ? stored_outcome(*outcome) : store::Outcome::error, tools_.world.clock.wall_s());
  if (!outcome) return check(outcome.error());
  executor_->leave();
  outcome_ = *outcome;
  diagnostics_->log(system::LogLevel::info,
                    "run {} ends: {} done, {} reused, {} failed, {} skipped, {} cancelled{}",
                    journal_->run_id(), outcome_.done, outcome_.reused, outcome_.failed,
                    outcome_.skipped, outcome_.cancelled,
                    outcome_.interrupted ? ", interrupted" : "");
  return check(finished);
}

}  // namespace orch::session
