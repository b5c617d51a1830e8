#include "schedule/dispatcher.hpp"

namespace orch::schedule {

void Dispatcher::start_ready() {
  const auto& tasks = run_.stages.ready(Kind::task);
  const auto& services = run_.stages.ready(Kind::service);
  const auto& measures = run_.stages.ready(Kind::measure);
  if (!measures.empty() && active(Kind::measure) == 0 && active(Kind::task) == 0 &&
      active(Kind::service) == 1 && run_.file_work.empty())
    measure(measures.begin()->second);
  while (!tasks.empty() && active(Kind::measure) == 0 && active(Kind::task) < run_.options.jobs) {
    const auto task = first_with_gpus(tasks);
    if (!task) break;
    launcher_.start(batch_of(*task));
    run_.stages.settle();
  }
  drop_unneeded_services();
  free_gpus_for_tasks();
  if (!tasks.empty() || !run_.processes.empty() || services.empty()) return;
  if (const auto service = first_with_gpus(services)) launcher_.start({*service});
}

void Dispatcher::measure(Index stage) {
  ActiveProcess* server = run_.server_of(stage);
  if (!server || run_.stages[stage].blocks_used < plan::k_prompt_blocks)
    return launcher_.start({stage});
  if (!server->stopped_for)
    stopper_.stop(*server, {"", "restarted, because it has seen all prompts"});
}

void Dispatcher::drop_unneeded_services() {
  const auto& services = run_.stages.ready(Kind::service);
  while (!services.empty() && !run_.stages.still_wanted(services.begin()->second)) {
    const Index service = services.begin()->second;
    if (run_.stages.has_served(service))
      run_.stages.set(service, State::reused, "all its measurements are already on record");
    else run_.stages.set(service, State::skipped, "no measurement needs it any more");
  }
}

void Dispatcher::free_gpus_for_tasks() {
  if (run_.stages.ready(Kind::task).empty() || !run_.stages.ready(Kind::measure).empty() ||
      active(Kind::task) + active(Kind::measure) > 0)
    return;
  for (auto& [token, process] : run_.processes)
    if (run_.stages.get(process.stage()) == State::running && run_.stage(process.stage()).gpus > 0)
      stopper_.stop(process, {"", "restarted later, because tasks need its GPUs first"});
}

std::optional<Index> Dispatcher::first_with_gpus(const StageQueue::Ready& ready) {
  double too_many = k_never;  // where this many cannot be had, more cannot either
  for (const auto& entry : ready) {
    const Index stage = entry.second;  // acquire_gpus() may remove the entry
    const double gpus = run_.stage(stage).gpus;
    const bool useless = run_.kind(stage) == Kind::service && !run_.stages.can_serve(stage);
    if (gpus >= too_many || useless) continue;
    if (acquire_gpus(stage)) return stage;
    if (run_.stages.get(stage) != State::ready) return std::nullopt;  // READY has changed
    too_many = gpus;
  }
  return std::nullopt;
}

bool Dispatcher::acquire_gpus(Index stage) {
  const plan::Stage& planned = run_.stage(stage);
  if (planned.gpus <= 0) return true;
  auto& dirty_since_s = run_.stages.ready_data(stage).dirty_gpus_since_s;
  const GpuSlots::Answer answer = run_.gpus.ask(planned.id, static_cast<std::size_t>(planned.gpus));
  if (answer.granted || answer.dirty.empty()) {
    dirty_since_s.reset();
    return answer.granted;
  }
  if (!dirty_since_s) dirty_since_s = run_.now();
  if (run_.now() - *dirty_since_s < run_.options.dirty_gpu_s) return false;
  run_.stages.set(stage, State::intent);
  retries_.failed(stage, {answer.missing ? "gpu_missing" : "dirty_gpu", answer.dirty});
  return false;
}

std::vector<Index> Dispatcher::batch_of(Index first) const {
  std::vector<Index> batch = {first};
  const plan::Spec& spec = run_.stage(first).spec;
  if (!spec.batch) return batch;
  for (const auto& [repeat, stage] : run_.stages.ready(Kind::task)) {
    const plan::Spec& other = run_.stage(stage).spec;
    if (stage != first && other.name == spec.name && other.runner == spec.runner &&
        other.argv == spec.argv)
      batch.push_back(stage);
  }
  return batch;
}

}  // namespace orch::schedule
