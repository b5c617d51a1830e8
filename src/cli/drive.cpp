#include "cli/drive.hpp"

#include "cli/progress.hpp"
#include "cli/say.hpp"
#include "cli/terminal.hpp"
#include "schedule/recover.hpp"

#include <unistd.h>

#include <random>

extern char** environ;

namespace orch::cli {

namespace {

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos)
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

// Which stages a round made, and which it lost.
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

double random_share() {
  static std::mt19937_64 random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

// What a person varied: what follows from it would only fill the lines.
std::set<std::string> names_varied_by(const matrix::Matrix& matrix) {
  std::set<std::string> names;
  auto add = [&](const matrix::Settings& sets) {
    for (const auto& [name, scalar] : sets) names.insert(name);
  };
  for (const matrix::Axis& axis : matrix.axes)
    for (const matrix::AxisValue& value : axis.values) add(value.sets);
  for (const matrix::Include& include : matrix.include) add(include.sets);
  return names;
}

// What all rounds of a run share.
class Driver {
 public:
  Driver(World& world, const Planning& planning, const Experiment& experiment, Drive& drive)
      : world_(world), planning_(planning), experiment_(experiment), drive_(drive) {}

  // Reconciles first: nothing has been started yet.
  Status recover() {
    const plan::Plan& plan = planning_.current();
    attempt::Workspace workspace = workspace_of(plan);
    const std::size_t left = drive_.unfinished.size();
    ORCH_ASSIGN(adopted_,
                schedule::recover(plan, std::move(drive_.unfinished), tools_of(workspace)));
    ORCH_TRY(sweep(workspace));
    std::size_t kept = 0;
    for (const schedule::Adopted& one : adopted_) kept += one.members.size();
    if (left)
      say(stderr,
          "A run died here: of {} attempts that it left, {} go on, and what the others left is "
          "gone\n",
          left, kept);
    return {};
  }

  // One round: what PLAN says is to run, with real processes. `ends` knows of the rounds before it,
  // and learns of this one.
  Result<schedule::Outcome> round(const plan::Plan& plan) {
    ProgressLines progress(plan, names_varied_by(experiment_.matrix), stderr,
                           ::isatty(STDERR_FILENO), terminal_columns());
    progress.leave_out(ends.made);
    attempt::Workspace workspace = workspace_of(plan);
    ORCH_TRY(schedule::make_way(adopted_, plan, tools_of(workspace)));
    attempt::HttpReadiness readiness(world_.http, world_.clock);
    system::RealPorts ports(fmt::format("/tmp/orchestrate-ports-{}", ::getuid()),
                            experiment_.site.ports);
    schedule::Scheduler scheduler(
        plan,
        {.journal = drive_.journal,
         .executor = drive_.executor,
         .workspace = workspace,
         .readiness = readiness,
         .ports = ports,
         .gpu_memory = gpus_,
         .clock = world_.clock,
         .interrupts = drive_.interrupts,
         .observers = {&progress, &ends},
         .make_token = system::new_token,
         .random = random_share,
         .changed_input =
             [this](const plan::Stage& stage) { return planning_.facts().changed(stage.inputs); }},
        drive_.options, adopted_);
    return scheduler.run();
  }

  // What was taken over, and nobody wanted in any round.
  Status let_go() {
    attempt::Workspace workspace = workspace_of(planning_.current());
    return schedule::let_go(std::exchange(adopted_, {}), tools_of(workspace),
                            "this run found no use for it");
  }

  Ends ends;

 private:
  // Folders of attempts that a run did not come to remove. What has another name is not ours:
  // `verify` tells of it.
  Status sweep(attempt::Workspace& workspace) {
    auto folders = world_.files.names(planning_.layout().store + "/attempts");
    if (!folders) return {};  // there are none yet
    std::erase_if(*folders, [](const std::string& name) { return !system::is_token(name); });
    ORCH_ASSIGN(const auto tokens, drive_.journal.not_needed(*folders));
    for (const std::string& token : tokens) workspace.forget(token);
    return {};
  }

  attempt::Workspace workspace_of(const plan::Plan& plan) {
    attempt::Workspace workspace(world_.files, planning_.layout(), world_.environment,
                                 attempt::provided_by(plan));
    std::map<int, std::string> names;
    for (const system::GpuUse& gpu : gpus_.read())
      if (gpu.by_uuid) names[gpu.index] = gpu.uuid;
    workspace.name_gpus(std::move(names));
    return workspace;
  }
  schedule::RecoverTools tools_of(attempt::Workspace& workspace) {
    return {.journal = drive_.journal,
            .executor = drive_.executor,
            .workspace = workspace,
            .clock = world_.clock,
            .host = experiment_.machine.host};
  }

  World& world_;
  const Planning& planning_;
  const Experiment& experiment_;
  Drive& drive_;
  system::RealGpuMemory gpus_;
  std::vector<schedule::Adopted> adopted_;
};

// PLAN with nothing left to run but the stages called LAST and what they need.
plan::Plan only_up_to(plan::Plan plan, const std::string& last) {
  std::set<plan::StageId> wanted;
  for (auto stage = plan.stages.rbegin(); stage != plan.stages.rend(); ++stage) {
    if (stage->spec.name != last && !wanted.contains(stage->id)) continue;
    for (const auto& [name, id] : stage->needs) wanted.insert(id);
    wanted.insert(stage->id);
  }
  for (plan::Stage& stage : plan.stages)
    if (stage.status == plan::Status::run && !wanted.contains(stage.id))
      stage.status = plan::Status::idle;
  return plan;
}

// PLAN without what was lost already, and what needs it: it has failed once, and is not tried again
// in this run. LOST grows by the stages that are given up with it.
plan::Plan without(plan::Plan plan, std::set<plan::StageId>& lost) {
  for (plan::Stage& stage : plan.stages) {
    const bool needs_lost =
        std::any_of(stage.needs.begin(), stage.needs.end(),
                    [&](const auto& need) { return lost.contains(need.second); });
    if (stage.status != plan::Status::run || (!needs_lost && !lost.contains(stage.id))) continue;
    stage.status = plan::Status::idle;
    lost.insert(stage.id);
  }
  return plan;
}

bool has(const plan::Plan& plan, plan::Status status) {
  return std::any_of(plan.points.begin(), plan.points.end(),
                     [&](const auto& point) { return point.status == status; });
}

// What two rounds came to, the second of which found made what the first one made.
schedule::Outcome together(const schedule::Outcome& first, schedule::Outcome second) {
  second.done += first.done;
  second.reused -= std::min(second.reused, first.done);
  second.failed += first.failed;
  second.skipped += first.skipped;
  for (const auto& [klass, count] : first.failures_by_class)
    second.failures_by_class[klass] += count;
  return second;
}

// The stages that tell facts, where points wait for them; then everything.
Result<schedule::Outcome> rounds(Driver& driver, World& world, Planning& planning,
                                 const Experiment& experiment, const Drive& how) {
  schedule::Outcome first;
  const auto& source = experiment.manifest->fact_source;
  if (source && has(planning.current(), plan::Status::undecided)) {
    const plan::Plan facts_first = only_up_to(planning.current(), source->stage);
    ORCH_ASSIGN(first, driver.round(facts_first));
    if (first.interrupted || first.cancelled || (first.failed && how.options.fail_fast))
      return first;
    Errors errors;
    planning.plan_again(errors);
    print_warnings(planning.new_warnings());
    if (!errors.empty()) {
      print_errors(errors);
      return invalid(
          "with the facts that have arrived the matrix has the errors above; what was made so far "
          "is kept");
    }
    ORCH_TRY(how.journal.amend(planning.current(), world.clock.wall_s()));
  }
  std::set<plan::StageId>& lost = driver.ends.lost;
  const std::size_t lost_before = lost.size();
  const plan::Plan rest = without(planning.current(), lost);
  const std::size_t given_up = lost.size() - lost_before;
  ORCH_ASSIGN(schedule::Outcome second, driver.round(rest));
  second.skipped += given_up;
  return together(first, std::move(second));
}

}  // namespace

World::World() : environment(own_environment()) {}

Result<schedule::Outcome> drive(World& world, Planning& planning, const Experiment& experiment,
                                Drive how) {
  Driver driver(world, planning, experiment, how);
  ORCH_TRY(driver.recover());
  auto outcome = rounds(driver, world, planning, experiment, how);
  // Whatever came of it: nothing that was taken over stays behind without anybody to end it.
  ORCH_TRY(driver.let_go());
  return outcome;
}

}  // namespace orch::cli
