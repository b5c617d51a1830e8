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

// Which stages a round made, and which it lost.
class Ends final : public schedule::Observer {
 public:
  std::set<plan::StageId> made, lost;

  void on_event(const schedule::Event& event) override {
    const auto* moved = std::get_if<schedule::StageMoved>(&event);
    if (!moved) return;
    if (moved->to == schedule::State::done) made.insert(moved->stage);
    if (moved->to == schedule::State::failed || moved->to == schedule::State::skipped) lost.insert(moved->stage);
  }
  void on_tick(const schedule::Progress&) override {}
};

// One round: what PLAN says is to run, with real processes. ENDS knows of the rounds before it, and learns of this one.
Result<schedule::Outcome> drive_plan(World& world, const plan::Plan& plan, const Planning& planning, const system::PortRange& range, store::RunJournal& journal,
                                     const schedule::Options& options, Ends& ends) {
  SignalInterrupts interrupts;
  ProgressLines progress(plan, stderr, ::isatty(STDERR_FILENO), terminal_columns());
  progress.leave_out(ends.made);
  execute::LocalExecutor executor(world.processes);
  execute::Workspace workspace(world.files, planning.layout(), world.environment, execute::provided_by(plan));
  execute::HttpReadiness readiness(world.http);
  system::RealPorts ports(fmt::format("/tmp/orchestrate-ports-{}", ::getuid()), range);
  schedule::Scheduler scheduler(plan,
                                {.journal = journal, .executor = executor, .workspace = workspace, .readiness = readiness, .ports = ports, .clock = world.clock,
                                 .interrupts = interrupts, .observers = {&progress, &ends}, .make_token = token_maker()},
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

// PLAN without what was lost already, and what needs it: it has failed once, and is not tried again in this run. LOST grows
// by the stages that are given up with it.
plan::Plan without(plan::Plan plan, std::set<plan::StageId>& lost) {
  for (plan::Stage& stage : plan.stages) {
    const bool needs_lost = std::any_of(stage.needs.begin(), stage.needs.end(), [&](const auto& need) { return lost.contains(need.second); });
    if (stage.status != plan::Status::run || (!needs_lost && !lost.contains(stage.id))) continue;
    stage.status = plan::Status::idle;
    lost.insert(stage.id);
  }
  return plan;
}

bool has(const plan::Plan& plan, plan::Status status) {
  return std::any_of(plan.points.begin(), plan.points.end(), [&](const auto& point) { return point.status == status; });
}

// What two rounds came to, the second of which found made what the first one made.
schedule::Outcome together(const schedule::Outcome& first, schedule::Outcome second) {
  second.done += first.done;
  second.reused -= std::min(second.reused, first.done);
  second.failed += first.failed;
  second.skipped += first.skipped;
  for (const auto& [klass, count] : first.failures_by_class) second.failures_by_class[klass] += count;
  return second;
}

}  // namespace

World::World() : environment(own_environment()) {}

Result<schedule::Outcome> drive(World& world, Planning& planning, const Experiment& experiment, store::RunJournal& journal, const schedule::Options& options) {
  schedule::Outcome first;
  Ends ends;
  const auto& source = experiment.manifest->fact_source;
  if (source && has(planning.current(), plan::Status::undecided)) {
    const plan::Plan facts_first = only_up_to(planning.current(), source->stage);
    ORCH_ASSIGN(first, drive_plan(world, facts_first, planning, experiment.site.ports, journal, options, ends));
    if (first.interrupted || first.cancelled || (first.failed && options.fail_fast)) return first;
    Errors errors;
    planning.plan_again(errors);
    if (!errors.empty()) {
      print_errors(errors);
      return invalid("with the facts that have arrived the matrix has the errors above; what was made so far is kept");
    }
    ORCH_TRY(journal.amend(planning.current(), world.clock.wall_s()));
  }
  const std::size_t lost_before = ends.lost.size();
  const plan::Plan rest = without(planning.current(), ends.lost);
  const std::size_t given_up = ends.lost.size() - lost_before;
  ORCH_ASSIGN(schedule::Outcome second, drive_plan(world, rest, planning, experiment.site.ports, journal, options, ends));
  second.skipped += given_up;
  return together(first, std::move(second));
}

}  // namespace orch::cli
