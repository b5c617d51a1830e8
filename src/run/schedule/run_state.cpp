#include "run/schedule/run_state.hpp"

namespace orch::schedule {

RunState::RunState(const plan::Plan& of, Tools with, Options how)
    : plan(of),
      tools(std::move(with)),
      options(std::move(how)),
      graph(plan),
      demands(plan),
      expected(options.expected_s),
      log(tools.journal, tools.clock, tools.observers),
      timers(tools.clock),
      stages(plan, graph, demands,
             [this](Index i, State from, State to, const std::string& why) {
               log.note(StageMoved{stage(i).id, from, to, why, wall()});
               if (is_final(to)) ended.insert(i);
             }),
      host(tools.gpu_memory, options.inventory, plan.isolation == matrix::Isolation::gpu,
           options.chosen_gpus),
      file_work(tools.workers, tools.executor) {}

ActiveProcess* RunState::server_of(const AttemptKey& session) {
  for (auto& [token, process] : processes)
    if (process.kind == runner::Kind::service && process.first().key == session) return &process;
  return nullptr;
}

std::string RunState::why_elsewhere(Index measurement) const {
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
  if (options.elsewhere) return;  // on which nodes they are, and beside whom, is up to the cluster
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

}  // namespace orch::schedule
