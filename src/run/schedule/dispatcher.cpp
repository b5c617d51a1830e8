#include "run/schedule/dispatcher.hpp"

#include "run/schedule/outputs/publisher.hpp"

namespace orch::schedule {

using runner::Kind;

std::optional<Index> StartOrder::next(bool tasks, bool services) const {
  std::optional<StageQueue::Ordered::value_type> first;
  for (const auto& [kind, wanted] : {std::pair(Kind::task, tasks), {Kind::service, services}}) {
    if (!wanted) continue;
    for (const auto& [demand, ready] : run_.stages.ready(kind).by_class) {
      if (blocked_.contains({kind, demand})) continue;
      const auto usable = std::ranges::find_if(ready, [&, of = kind](const auto& entry) {
        return !skipped_.contains(entry.second) &&
               (of == Kind::task ? !needless_ || !needless_->is_held_back(entry.second)
                                 : run_.service_use.can_serve(entry.second));
      });
      if (usable != ready.end() && (!first || *usable < *first)) first = *usable;
    }
  }
  return first ? std::optional(first->second) : std::nullopt;
}

void Dispatcher::start_ready() {
  if (run_.placement.shares_host)
    if (const auto free = run_.tools.workspace.free_space())
      run_.host.set_free_disk(room_in(*free));
  const bool one =
      run_.plan.isolation == matrix::Isolation::strict || run_.stages.only_alone_left();
  if (one && !run_.placement.joins_server) {
    one_at_a_time();
  } else {
    packer_.start_ready();
    drop_unneeded_services();
  }
  if (is_stalled()) start_tasks(nullptr);
}

bool Dispatcher::is_stalled() const {
  return run_.processes.empty() && run_.file_work.empty() && run_.timers.empty() &&
         !run_.log.has_effects() && run_.stages.next_due_s() == k_never;
}

bool Dispatcher::has_task() const {
  return StartOrder(run_, &needless_).next(true, false).has_value();
}

void Dispatcher::one_at_a_time() {
  keep_one_server();
  const auto& measures = run_.stages.ready(Kind::measure).all;
  if (!measures.empty() && active(Kind::measure) == 0 && active(Kind::task) == 0 &&
      active(Kind::service) == 1 && run_.file_work.empty())
    measure(measures.begin()->second);
  start_tasks(&needless_);
  drop_unneeded_services();
  free_gpus_for_tasks();
  if (!has_task() && run_.processes.empty()) start_a_server();
}

void Dispatcher::keep_one_server() {
  if (active(Kind::service) < 2) return;
  const ActiveProcess* kept = nullptr;
  for (auto& [token, server] : run_.processes) {
    if (server.kind != Kind::service || server.stopped_for) continue;
    if (!kept) kept = &server;
    else
      stopper_.stop(server,
                    {std::nullopt, "restarted later, because measurements are made alone now"});
  }
}

void Dispatcher::measure(Index stage) {
  for (auto& [token, server] : run_.processes) {
    if (server.kind != Kind::service || server.stage() != service_of(stage)) continue;
    const std::string why = run_.why_restarted(stage);
    if (why.empty()) starter_.start(stage, server.first().key);
    else if (!server.stopped_for) stopper_.stop(server, {std::nullopt, why});
    return;
  }
}

Index Dispatcher::service_of(Index measurement) const {
  for (const Index need : run_.graph.needs[measurement])
    if (run_.kind(need) == Kind::service) return need;
  return measurement;
}

void Dispatcher::start_tasks(const NeedlessOutputs* needless) {
  StartOrder order(run_, needless);
  while (active(Kind::measure) == 0 && active(Kind::task) < run_.options.jobs) {
    const auto task = order.next(true, false);
    if (!task) return;
    if (starter_.start(*task) == Starter::Answer::busy) order.block(*task);
  }
}

void Dispatcher::start_a_server() {
  StartOrder order(run_, &needless_);
  while (const auto service = order.next(false, true)) {
    const Starter::Answer answer = starter_.start(*service);
    if (answer == Starter::Answer::started) return;
    if (answer == Starter::Answer::busy) order.block(*service);
  }
}

void Dispatcher::drop_unneeded_services() {
  const auto& services = run_.stages.ready(Kind::service).all;
  for (auto next = services.begin(); next != services.end();) {
    // Advanced first, because a move removes the stage from the set.
    const Index service = (next++)->second;
    if (run_.service_use.is_wanted_later(service)) continue;
    if (run_.service_use.has_served(service))
      run_.stages.set(service, State::reused, "all its measurements are already on record");
    else run_.stages.set(service, State::skipped, "no measurement needs it any more");
  }
}

void Dispatcher::free_gpus_for_tasks() {
  if (!has_task() || !run_.stages.ready(Kind::measure).all.empty() ||
      active(Kind::task) + active(Kind::measure) > 0)
    return;
  for (auto& [token, process] : run_.processes)
    if (run_.stages.get(process.stage()) == State::running && run_.stage(process.stage()).gpus > 0)
      stopper_.stop(process, {std::nullopt, "restarted later, because tasks need its GPUs first"});
}

}  // namespace orch::schedule
