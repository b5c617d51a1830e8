#include "cli/drive.hpp"

#include "cli/interrupts.hpp"
#include "cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <random>

extern char** environ;

namespace orch::cli {

namespace {

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

// Names of attempts: unique also among runs that share a host, and nothing but letters and digits.
std::function<std::string()> token_maker() {
  auto random = std::make_shared<std::mt19937_64>(std::random_device{}());
  return [random] { return fmt::format("o{:016x}", (*random)()); };
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

Result<schedule::Outcome> drive_plan(World& world, const plan::Plan& plan, const Planning& planning, const system::PortRange& range, store::RunJournal& journal,
                                     const schedule::Options& options) {
  SignalInterrupts interrupts;
  ProgressLines progress(plan, stderr, ::isatty(STDERR_FILENO), terminal_columns());
  execute::LocalExecutor executor(world.processes);
  execute::Workspace workspace(world.files, planning.layout(), world.environment, execute::provided_by(plan));
  execute::HttpReadiness readiness(world.http);
  system::RealPorts ports(fmt::format("/tmp/orchestrate-ports-{}", ::getuid()), range);
  schedule::Scheduler scheduler(plan,
                                {.journal = journal, .executor = executor, .workspace = workspace, .readiness = readiness, .ports = ports, .clock = world.clock,
                                 .interrupts = interrupts, .observers = {&progress}, .make_token = token_maker()},
                                options);
  return scheduler.run();
}

// PLAN with nothing left to run but the stages called LAST and what they need.
plan::Plan only_up_to(plan::Plan plan, const std::string& last) {
  std::set<plan::StageId> wanted;
  for (auto stage = plan.stages.rbegin(); stage != plan.stages.rend(); ++stage) {
    if (stage->spec.name != last && !wanted.contains(stage->id)) continue;
    for (const auto& [name, id] : stage->needs) wanted.insert(id);
    wanted.insert(stage->id);
  }
  for (plan::Stage& stage : plan.stages)
    if (stage.status == plan::Status::run && !wanted.contains(stage.id)) stage.status = plan::Status::idle;
  return plan;
}

bool has(const plan::Plan& plan, plan::Status status) {
  return std::any_of(plan.points.begin(), plan.points.end(), [&](const auto& point) { return point.status == status; });
}

}  // namespace

World::World() : environment(own_environment()) {}

Result<schedule::Outcome> drive(World& world, Planning& planning, const Experiment& experiment, store::RunJournal& journal, const schedule::Options& options) {
  schedule::Outcome first;
  const auto& source = experiment.manifest->fact_source;
  if (source && has(planning.current(), plan::Status::undecided)) {
    const plan::Plan facts_first = only_up_to(planning.current(), source->stage);
    ORCH_ASSIGN(first, drive_plan(world, facts_first, planning, experiment.site.ports, journal, options));
    if (first.interrupted || first.cancelled || (first.failed && options.fail_fast)) return first;
    Errors errors;
    planning.plan_again(errors);
    if (!errors.empty()) return errors.front();
    ORCH_TRY(journal.amend(planning.current(), world.clock.wall_s()));
  }
  ORCH_ASSIGN(schedule::Outcome outcome, drive_plan(world, planning.current(), planning, experiment.site.ports, journal, options));
  // What the first round made is found made by the second; what failed in it has failed again.
  outcome.done += first.done;
  outcome.reused -= std::min(outcome.reused, first.done);
  return outcome;
}

}  // namespace orch::cli
