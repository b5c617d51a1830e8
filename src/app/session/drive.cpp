#include "app/session/host/host_inventory.hpp"
#include "app/session/matrix_run.hpp"
#include "core/base/text.hpp"
#include "os/system/http/http.hpp"
#include "os/system/run_to_end.hpp"
#include "run/attempt/container_host.hpp"
#include "run/attempt/stage_environment.hpp"
#include "run/attempt/workspace.hpp"
#include "run/schedule/journal.hpp"
#include "run/schedule/recover.hpp"
#include "run/schedule/traced_journal.hpp"

#include <random>

namespace orch::session {

namespace {

// Collects the stages that finished or were lost in the rounds.
class Ends final : public schedule::Observer {
 public:
  std::set<plan::StageId> made, lost;

  void on_event(const schedule::Event& event) override {
    const auto* moved = std::get_if<schedule::StageMoved>(&event);
    if (!moved) return;
    if (moved->to == schedule::State::done) made.insert(moved->stage);
    if (moved->to == schedule::State::failed || moved->to == schedule::State::skipped)
      lost.insert(moved->stage);
  }
  void on_tick(const schedule::Progress&) override {}
};

constexpr double k_sweep_s = 60;
// The beginning of a container's name; the token of the attempt follows.
constexpr std::string_view k_container_name = "orchestrate-";

// Drives the rounds of a run.
class Driver final : private schedule::Environment {
 public:
  explicit Driver(Drive& drive)
      : drive_(drive),
        experiment_(drive.context.planning.experiment()),
        traced_(drive.trace ? std::make_unique<schedule::TracedJournal>(
                                  drive.journal, drive.context.world.clock, *drive.trace)
                            : nullptr),
        journal_(traced_ ? static_cast<schedule::Journal&>(*traced_) : drive.journal,
                 drive.diagnostics),
        http_(drive.context.world.http, drive.context.world.clock, drive.diagnostics),
        gpus_(drive.execution.open_gpu_memory()),
        shared_root_(usable_shared_root()) {}

  // Adopts or ends the processes that dead runs left. Call before the first round.
  Status recover() {
    const plan::Plan& plan = drive_.context.planning.current();
    attempt::Workspace workspace = workspace_of(plan);
    const std::size_t left = drive_.unfinished.size();
    ORCH_ASSIGN(adopted_,
                schedule::recover(plan, std::move(drive_.unfinished), tools_of(workspace)));
    ORCH_TRY(sweep(workspace));
    if (plan.keep != matrix::Keep::all) ORCH_TRY(sweep_outputs());
    sweep_containers(plan);
    std::size_t adopted = 0;
    for (const schedule::Adopted& one : adopted_) adopted += one.members.size();
    if (left)
      drive_.context.reporter.report(
          Severity::info,
          fmt::format("An earlier run died: {} of its {} unfinished attempts were adopted, and "
                      "the others were ended",
                      adopted, left));
    return {};
  }

  // Runs every stage of PLAN with status `run`. Outputs may be removed only if this is the LAST
  // round of the run.
  Result<schedule::Outcome> round(const plan::Plan& plan, bool last) {
    const auto watcher = drive_.context.reporter.watch(
        {.plan = plan, .matrix = experiment_.matrix, .done = ends.made});
    attempt::Workspace workspace = workspace_of(plan);
    ORCH_TRY(schedule::make_way(adopted_, plan, tools_of(workspace)));
    const auto readiness = drive_.execution.open_readiness(http_);
    const auto ports = drive_.execution.open_ports();
    schedule::Options options = drive_.options;
    options.removes_outputs = last;
    if (last) options.given_up = ends.lost;
    return schedule::run_plan(plan,
                              {.journal = journal_,
                               .executor = *drive_.execution.executor,
                               .workspace = workspace,
                               .readiness = *readiness,
                               .interrupts = drive_.context.interrupts,
                               .environment = *this,
                               .host = {.clock = drive_.context.world.clock,
                                        .workers = drive_.context.world.workers,
                                        .ports = *ports,
                                        .gpu_memory = *gpus_},
                               .observers = {watcher.get(), &ends}},
                              std::move(options), adopted_);
  }

  // Ends adopted processes that no round needed.
  Status let_go() {
    attempt::Workspace workspace = workspace_of(drive_.context.planning.current());
    return schedule::let_go(std::exchange(adopted_, {}), tools_of(workspace),
                            "this run does not need it");
  }

  Ends ends;

 private:
  std::string new_token() override { return system::new_token(); }
  double random() override { return std::uniform_real_distribution<double>(0, 1)(random_); }
  std::string changed_input(const plan::Stage& stage) override {
    return drive_.context.planning.facts().digests().changed(stage.inputs);
  }
  Status check_version(const plan::Stage& stage, const system::LongWork& work) override {
    return drive_.versions.check(version_question(stage.spec, drive_.context.planning.layout()),
                                 stage.spec.version->answer, work);
  }

  // The cache folder for shared environments. "" if none is needed, or, after a report, if it
  // cannot be used.
  std::string usable_shared_root() const {
    const bool any = std::ranges::any_of(experiment_.runners, [](const UsedRunner& runner) {
      const auto& stages = runner.manifest.stages;
      return std::ranges::any_of(stages,
                                 [](const runner::StageKind& stage) { return stage.shared; });
    });
    if (!any) return "";
    const std::string root = attempt::shared_root(drive_.context.world.environment);
    const Status usable = root.empty()
                              ? invalid("neither HOME nor XDG_CACHE_HOME names a folder")
                              : attempt::make_shared_root(drive_.context.world.files, root);
    if (usable) return root;
    drive_.context.reporter.report(
        Severity::note, "environments are made in the store, because " + usable.error().message);
    return "";
  }

  // Removes folders of attempts that a dead run should have removed. Leaves other names, which
  // `verify` reports.
  Status sweep(attempt::Workspace& workspace) {
    auto folders =
        drive_.context.world.files.names(drive_.context.planning.layout().store + "/attempts");
    if (!folders) return {};  // the store has no attempts yet
    std::erase_if(*folders, [](const std::string& name) { return !system::is_token(name); });
    ORCH_ASSIGN(const auto tokens, drive_.journal.not_needed(*folders));
    for (const std::string& token : tokens) workspace.forget(token);
    return {};
  }

  // Completes the removals of outputs that a dead run had begun.
  Status sweep_outputs() {
    ORCH_ASSIGN(const auto paths, drive_.journal.removed_outputs());
    for (const std::string& path : paths)
      if (const std::string folder = drive_.context.planning.layout().store + "/" + path;
          drive_.context.world.files.exists(folder))
        ORCH_TRY(drive_.context.world.files.remove_tree(folder));
    return {};
  }

  // Removes containers that dead runs left and whose attempts were not adopted, for instance after
  // a reboot. If an engine does not answer, assumes that it has none.
  void sweep_containers(const plan::Plan& plan) {
    const attempt::ContainerHost host =
        containers_here(experiment_, drive_.context.world.environment);
    const std::string& store = drive_.context.planning.layout().store;
    std::set<container::Engine> engines;
    for (const plan::Stage& stage : plan.stages)
      if (stage.spec.container && stage.status == plan::Status::run)
        engines.insert(stage.spec.container->engine);
    std::set<std::string> living;
    for (const schedule::Adopted& one : adopted_) living.insert(one.token());
    for (const container::Engine engine : engines) {
      const auto names =
          own_containers(lines_of(attempt::leftover_list(host, engine, store)), living);
      for (const std::string& name : lines_of(attempt::leftover_removal(host, engine, names)))
        drive_.context.reporter.report(
            Severity::note, fmt::format("removed the container {}, which a dead run left", name));
    }
  }

  // The lines that ARGV prints; none if ARGV is empty or cannot be run.
  std::vector<std::string> lines_of(const std::vector<std::string>& argv) {
    if (argv.empty()) return {};
    const auto done = system::run_to_end(
        drive_.context.world.processes, drive_.context.world.clock,
        {.argv = argv, .env = drive_.context.world.environment, .timeout_s = k_sweep_s});
    std::vector<std::string> lines = split(done ? done->output : "", '\n');
    std::erase(lines, "");
    return lines;
  }

  // Those of NAMES that are containers of this store's attempts, except the attempts LIVING. The
  // label is not enough, because any container can have it; the token in a name is random and was
  // recorded before the container started.
  std::vector<std::string> own_containers(std::vector<std::string> names,
                                          const std::set<std::string>& living) {
    std::erase_if(names, [&](const std::string& name) {
      const std::string token = name.substr(std::min(name.size(), k_container_name.size()));
      if (!name.starts_with(k_container_name) || !system::is_token(token)) return true;
      const auto known = drive_.journal.knows(token);
      return living.contains(token) || !known || !*known;
    });
    return names;
  }

  attempt::Workspace workspace_of(const plan::Plan& plan) {
    std::map<int, std::string> gpu_names;
    for (const system::GpuUse& gpu : gpus_->read())
      if (gpu.by_uuid) gpu_names[gpu.index] = gpu.uuid;
    const auto& environment = drive_.context.world.environment;
    attempt::ContainerHost containers = containers_here(experiment_, environment);
    containers.labels["orchestrate.run"] = std::to_string(drive_.journal.run_id());
    return {drive_.context.world.files,
            {.layout = drive_.context.planning.layout(),
             .inherited = environment,
             .provided = attempt::provided_by(plan),
             .plan = &plan,
             .containers = std::move(containers),
             .places = drive_.execution.places,
             .gpu_names = std::move(gpu_names),
             .hides_gpus = experiment_.machine.gpus.has_value(),
             .clock_mhz = plan.gpu_clock_mhz,
             .clock_command = experiment_.site.nvidia_smi,
             .secrets = attempt::secrets_of(environment, secret_names(experiment_)),
             .shared_root = shared_root_,
             .warn = [this](const std::string& text) {
               drive_.context.reporter.report(Severity::warning, text);
             }}};
  }
  schedule::RecoverTools tools_of(attempt::Workspace& workspace) {
    return {.journal = journal_,
            .executor = *drive_.execution.executor,
            .workspace = workspace,
            .clock = drive_.context.world.clock,
            .host = drive_.execution.host};
  }

  Drive& drive_;
  const Experiment& experiment_;
  std::unique_ptr<schedule::TracedJournal> traced_;  // null: no trace is written
  schedule::LoggedJournal journal_;
  system::LoggedHttp http_;
  std::unique_ptr<system::GpuMemory> gpus_;
  std::string shared_root_;  // see attempt::SharedOutputs; "": environments are in the store
  std::vector<schedule::Adopted> adopted_;
  std::mt19937_64 random_{std::random_device{}()};
};

// PLAN in which only the stages named in LAST, and the stages that they need, have status `run`.
plan::Plan only_up_to(plan::Plan plan, const std::set<std::string>& last) {
  std::set<plan::StageId> wanted;
  for (auto stage = plan.stages.rbegin(); stage != plan.stages.rend(); ++stage) {
    if (!last.contains(stage->spec.name) && !wanted.contains(stage->id)) continue;
    for (const auto& [name, id] : stage->needs) wanted.insert(id);
    wanted.insert(stage->id);
  }
  for (plan::Stage& stage : plan.stages)
    if (stage.status == plan::Status::run && !wanted.contains(stage.id))
      stage.status = plan::Status::idle;
  return plan;
}

// PLAN in which the stages in LOST, and the stages that need them, do not run: they have failed in
// this run. Adds all these stages to LOST.
plan::Plan without(plan::Plan plan, std::set<plan::StageId>& lost) {
  for (plan::Stage& stage : plan.stages) {
    const bool needs_lost = std::ranges::any_of(
        stage.needs, [&](const auto& need) { return lost.contains(need.second); });
    if (stage.status != plan::Status::run || (!needs_lost && !lost.contains(stage.id))) continue;
    stage.status = plan::Status::idle;
    lost.insert(stage.id);
  }
  return plan;
}

bool has(const plan::Plan& plan, plan::Status status) {
  return std::ranges::any_of(plan.points,
                             [&](const auto& point) { return point.status == status; });
}

// The outcome of two rounds. The second counts the stages that the first has done as reused.
schedule::Outcome sum(const schedule::Outcome& first, schedule::Outcome second) {
  second.done += first.done;
  second.reused -= std::min(second.reused, first.done);
  second.failed += first.failed;
  second.skipped += first.skipped;
  for (const auto& [failure_class, count] : first.failures_by_class)
    second.failures_by_class[failure_class] += count;
  return second;
}

// Plans again after the stages that report facts have run, and records the new plan.
Status plan_with_facts(const Drive& how) {
  Errors errors;
  how.context.planning.plan_again(errors);
  report_errors(how.context.reporter, how.versions.new_failures());
  report_warnings(how.context.reporter, how.context.planning.new_warnings());
  if (!errors.empty() && how.context.interrupts.count() > 0)
    return Error{ErrorKind::interrupted, "interrupted while inputs were hashed"};
  if (!errors.empty()) {
    report_errors(how.context.reporter, errors);
    return invalid(
        "the facts that have arrived reveal the errors above in the matrix; the outputs made so "
        "far are kept");
  }
  return how.journal.amend(how.context.planning.current(), how.context.world.clock.wall_s());
}

Result<schedule::Outcome> run_rounds(Driver& driver, const Drive& how) {
  schedule::Outcome first;
  const std::set<std::string> sources = how.context.planning.fact_sources();
  if (!sources.empty() && (has(how.context.planning.current(), plan::Status::undecided) ||
                           !how.context.planning.assumed_facts().empty())) {
    const plan::Plan facts_first = only_up_to(how.context.planning.current(), sources);
    ORCH_ASSIGN(first, driver.round(facts_first, false));
    if (first.interrupted || first.cancelled || (first.failed && how.options.fail_fast))
      return first;
    ORCH_TRY(plan_with_facts(how));
  }
  std::set<plan::StageId>& lost = driver.ends.lost;
  const std::size_t lost_before = lost.size();
  const plan::Plan rest = without(how.context.planning.current(), lost);
  const std::size_t given_up = lost.size() - lost_before;
  // Stores the facts before the second round, which may remove models.
  ORCH_TRY(how.context.planning.keep_facts(how.context.world.clock.wall_s()));
  ORCH_ASSIGN(schedule::Outcome second, driver.round(rest, true));
  second.skipped += given_up;
  return sum(first, std::move(second));
}

}  // namespace

Result<schedule::Outcome> drive_rounds(Drive how) {
  Driver driver(how);
  ORCH_TRY(driver.recover());
  auto outcome = run_rounds(driver, how);
  // On a conflict, another run has taken over the store. Launches that it can reach now belong to
  // it.
  if (!outcome && outcome.error().kind == ErrorKind::conflict &&
      !how.execution.executor->placement().reached_as.empty())
    return outcome;
  // Lets go after any outcome, because an adopted process that nothing uses must not stay behind.
  ORCH_TRY(driver.let_go());
  return outcome;
}

}  // namespace orch::session
