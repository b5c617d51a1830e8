#include "run/schedule/run_state.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orch::schedule {

namespace {

constexpr double k_commit_s = 0.05;  // the longest time that an event stays uncommitted

// The expected time of STAGE; 0 if it has no process, negative while unknown.
double expected_s(const RunState& run, const plan::Stage& stage) {
  if (stage.spec.argv.empty()) return 0;
  const plan::Estimate& estimate = stage.estimate;
  const double estimated_s = estimate.seconds.value_or(-1);
  const double known_s =
      estimate.measured ? estimated_s : run.expected.corrected(stage.spec.name, estimated_s);
  // An open loop lasts at least as long as its schedule.
  return known_s >= 0 ? std::max(known_s, estimate.least_seconds) : known_s;
}

// Estimates the remaining time. Assumes that tasks run concurrently, with the tasks of a batch in
// one process, and that as many measurements run concurrently as do now.
class Left {
 public:
  explicit Left(const RunState& run) : run_(run) {}

  void add(const plan::Stage& stage) {
    const double seconds = expected_s(run_, stage);
    is_known_ = is_known_ && seconds >= 0;
    if (stage.spec.kind != runner::Kind::task) {
      in_turn_s_ += seconds;
    } else if (stage.spec.batch) {
      batches_s_[stage.spec.name] = std::max(batches_s_[stage.spec.name], seconds);
    } else {
      tasks_s_ += seconds;
      longest_task_s_ = std::max(longest_task_s_, seconds);
      ++tasks_;
    }
  }

  // Subtracts the work of a process of STAGE that has been running for FOR_S.
  void subtract(const plan::Stage& stage, double for_s) {
    const double done_s = std::min(for_s, std::max(0.0, expected_s(run_, stage)));
    (stage.spec.kind == runner::Kind::task ? tasks_s_ : in_turn_s_) -= done_s;
    if (stage.spec.kind == runner::Kind::measure) ++measuring_;
  }

  // Negative while unknown.
  double seconds() const {
    if (!is_known_) return -1;
    double tasks_s = tasks_s_;
    for (const auto& [name, seconds] : batches_s_) tasks_s += seconds;
    const double side_by_side = static_cast<double>(std::clamp<std::size_t>(
        run_.options.jobs, 1, std::max<std::size_t>(1, tasks_ + batches_s_.size())));
    const double left_s = std::max(tasks_s / side_by_side, std::min(longest_task_s_, tasks_s)) +
                          in_turn_s_ / std::max(1.0, measuring_);
    return left_s > 0 ? left_s : -1;
  }

 private:
  const RunState& run_;
  bool is_known_ = true;
  double tasks_s_ = 0, longest_task_s_ = 0, in_turn_s_ = 0, measuring_ = 0;
  std::size_t tasks_ = 0;
  std::map<std::string, double> batches_s_;  // by stage
};

}  // namespace

ActiveProcess& ActiveProcesses::add(ActiveProcess process) {
  std::string token = process.token;
  return by_token_.emplace(std::move(token), std::move(process)).first->second;
}

ActiveProcess ActiveProcesses::take(const std::string& token) {
  auto node = by_token_.extract(token);
  return std::move(node.mapped());
}

ActiveProcess* ActiveProcesses::find(const std::string& token) {
  const auto found = by_token_.find(token);
  return found == by_token_.end() ? nullptr : &found->second;
}

std::size_t ActiveProcesses::count(runner::Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      by_token_, [&](const auto& entry) { return entry.second.kind == kind; }));
}

void CommitLog::note(const Event& event) {
  journal_.append(event);
  if (!std::exchange(uncommitted_, true)) commit_due_s_ = clock_.now_s() + k_commit_s;
  for (Observer* observer : observers_) observer->on_event(event);
}

Status CommitLog::commit() {
  if (std::exchange(uncommitted_, false)) ORCH_TRY(journal_.commit());
  commit_due_s_ = k_never;
  for (const Effect& effect : std::exchange(effects_, {})) effect();
  return {};
}

void Expectations::learn(const std::string& stage, double seconds, double estimate) {
  Mean& mean = seen_[stage];
  mean.sum += seconds;
  ++mean.count;
  if (estimate <= 0) return;
  mean.of_estimated += seconds;
  mean.estimates += estimate;
}

double Expectations::corrected(const std::string& stage, double estimate) const {
  const auto seen = seen_.find(stage);
  if (seen != seen_.end()) {
    const Mean& mean = seen->second;
    if (estimate >= 0 && mean.estimates > 0) return estimate * mean.of_estimated / mean.estimates;
    if (estimate < 0) return mean.sum / mean.count;
  }
  if (estimate >= 0) return estimate;
  const auto known = known_.find(stage);
  return known == known_.end() ? -1 : known->second;
}

double Expectations::of(const std::string& stage) const {
  if (const auto seen = seen_.find(stage); seen != seen_.end())
    return seen->second.sum / seen->second.count;
  if (const auto known = known_.find(stage); known != known_.end()) return known->second;
  Mean all;
  for (const auto& [name, mean] : seen_) {
    all.sum += mean.sum;
    all.count += mean.count;
  }
  return all.count ? all.sum / all.count : -1;
}

RunState::RunState(const plan::Plan& of, Tools with, Options how)
    : plan(of),
      tools(std::move(with)),
      options(std::move(how)),
      placement(tools.executor.placement()),
      graph(plan),
      demands(plan),
      expected(options.expected_s),
      log(tools.journal, tools.host.clock, tools.observers),
      timers(tools.host.clock),
      stages(plan, graph, demands,
             [this](Index i, State from, State to, const std::string& why) {
               log.note(StageMoved{stage(i).id, from, to, why, wall()});
               if (is_final(to)) ended.insert(i);
             }),
      service_use(stages, graph),
      host(tools.host.gpu_memory, options.inventory, plan.isolation == matrix::Isolation::gpu,
           options.chosen_gpus),
      file_work(tools.host.workers, tools.executor) {}

ActiveProcess* RunState::server_of(const AttemptKey& session) {
  for (auto& [token, process] : processes)
    if (process.kind == runner::Kind::service && process.first().key == session) return &process;
  return nullptr;
}

std::string RunState::why_restarted(Index measurement) const {
  if (stages[measurement].measured_here == 0) return "";
  if (stages[measurement].server_is_stuck) return "restarted, because it answers nothing";
  return stage(measurement).forgets_prompts ? ""
                                            : "restarted, because it may have cached the prompts";
}

bool RunState::is_measured(const ActiveProcess& server) const {
  return std::ranges::any_of(processes, [&](const auto& entry) {
    return entry.second.kind == runner::Kind::measure && entry.second.session == server.first().key;
  });
}

std::size_t RunState::servers_of(Index service) const {
  return static_cast<std::size_t>(std::ranges::count_if(processes, [&](const auto& entry) {
    return entry.second.kind == runner::Kind::service && entry.second.stage() == service;
  }));
}

double RunState::measuring_s(Index service) const {
  double seconds = 0;
  for (const Index measurement : graph.dependants[service]) {
    const State state = stages.get(measurement);
    if (!stages.in_run(measurement) || is_final(state)) continue;
    const double each_s = expected_s(measurement);
    if (each_s < 0) return -1;
    seconds += state == State::running ? each_s / 2 : each_s;
  }
  return seconds;
}

double RunState::expected_s(Index i) const {
  const plan::Estimate& estimate = stage(i).estimate;
  const double known_s = estimate.seconds ? *estimate.seconds : expected.of(stage(i).spec.name);
  // An open loop lasts at least as long as its schedule.
  return estimate.least_seconds > 0 ? std::max(estimate.least_seconds, known_s) : known_s;
}

void RunState::meet(ActiveProcess& process) {
  if (!placement.shares_host) return;  // what runs beside it on a cluster is unknown
  const auto is_server = [](const ActiveProcess& one, const ActiveProcess& measurement) {
    return one.kind == runner::Kind::service && one.first().key == measurement.session;
  };
  for (auto& [token, other] : processes) {
    if (&other == &process || !other.launched) continue;
    if (other.kind == runner::Kind::measure && !is_server(process, other))
      other.neighbours.insert(stage(process.stage()).id);
    if (process.kind == runner::Kind::measure && !is_server(other, process))
      process.neighbours.insert(stage(other.stage()).id);
  }
}

Progress progress_of(const RunState& run) {
  Progress progress{.failed = run.stages.count(State::failed)};
  Left left(run);
  for (Index i = 0; i < run.plan.stages.size(); ++i) {
    if (!run.stages.in_run(i)) continue;
    ++progress.total;
    const State state = run.stages.get(i);
    if (state == State::skipped || state == State::cancelled) ++progress.left_out;
    else if (is_final(state)) ++progress.finished;
    else if (run.stage(i).spec.kind != runner::Kind::service || state != State::running)
      left.add(run.stage(i));
  }
  const double now_s = run.now();
  for (const auto& [token, process] : run.processes) {
    const double for_s = now_s - process.started_s;
    const system::LongWork* work = run.file_work.find(token);
    for (const ActiveProcess::Member& member : process.members)
      progress.running.push_back({.stage = run.stage(member.stage).id,
                                  .state = run.stages.get(member.stage),
                                  .for_s = for_s,
                                  .done_bytes = work ? work->done_bytes() : 0,
                                  .expected_bytes = work ? work->expected_bytes() : 0,
                                  .where = run.tools.executor.whereabouts(token)});
    if (!process.up && !process.further) left.subtract(run.stage(process.stage()), for_s);
  }
  progress.left_s = left.seconds();
  return progress;
}

}  // namespace orch::schedule
