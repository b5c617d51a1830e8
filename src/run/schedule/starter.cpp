#include "run/schedule/starter.hpp"

#include "core/base/text.hpp"

namespace orch::schedule {

namespace {

// What REQUEST asks for, as far as a host may have too little of it.
std::string asked_for(const resources::Request& request) {
  std::vector<std::string> words;
  if (request.gpus > 0) words.push_back(fmt::format("{} GPUs", request.gpus));
  if (request.which == resources::Request::Cores::counted)
    words.push_back(fmt::format("{} cores", request.cores));
  if (request.memory_gib > 0)
    words.push_back(fmt::format("{:g} GiB of memory", request.memory_gib));
  for (const auto& [name, count] : request.tokens)
    words.push_back(fmt::format("{} of the token {}", count, name));
  return join(words, ", ");
}

std::string what_there_is(const resources::Inventory& inventory) {
  std::string text =
      fmt::format("{} GPUs, {} cores", inventory.gpus.size(), inventory.cores.size());
  if (inventory.memory_gib > 0) text += fmt::format(", {:.1f} GiB of memory", inventory.memory_gib);
  for (const auto& [name, count] : inventory.tokens)
    text += fmt::format(", {} of the token {}", count, name);
  return text;
}

}  // namespace

Starter::Answer Starter::start(Index stage, const AttemptKey& session) {
  const std::string holder = fmt::format("{}#{}", run_.stage(stage).id, ++holders_);
  const std::vector<Index> batch = batch_of(stage);
  const Answer answer = acquire(batch, holder, session);
  if (answer != Answer::started) return answer;
  launcher_.start(batch, {.holder = holder, .session = session});
  run_.stages.settle();
  return answer;
}

resources::Request Starter::request_of(Index stage) const {
  return run_.demands.of(batch_of(stage));
}

bool Starter::start_further(Index service) {
  const std::string holder = fmt::format("{}#{}", run_.stage(service).id, ++holders_);
  if (!run_.host.ask(holder, run_.demands.of(service)).granted) return false;
  launcher_.start({service}, {.holder = holder, .session = {}, .further = true});
  return true;
}

Starter::Answer Starter::acquire(const std::vector<Index>& batch, const std::string& holder,
                                 const AttemptKey& session) {
  const Index stage = batch.front();
  const resources::Request request = run_.demands.of(batch);
  if (request.asks_nothing()) return Answer::started;
  const HostShare::Answer answer = run_.host.ask(holder, request);
  if (!answer.granted && !answer.dirty.empty()) return wait_for_clean_gpus(stage, answer);
  run_.stages.ready_data(stage).dirty_gpus_since_s.reset();
  if (answer.granted) return Answer::started;
  const ActiveProcess* server = run_.server_of(session);  // ends only after it
  return run_.processes.empty() || !run_.host.can_ever_grant(request, server ? server->holder : "")
             ? refuse_for_ever(stage)
             : Answer::busy;
}

Starter::Answer Starter::wait_for_clean_gpus(Index stage, const HostShare::Answer& answer) {
  auto& since_s = run_.stages.ready_data(stage).dirty_gpus_since_s;
  if (!since_s) since_s = run_.now();
  if (run_.now() - *since_s < run_.options.dirty_gpu_s) return Answer::busy;
  run_.stages.set(stage, State::intent);
  retries_.failed(stage, {answer.missing ? "gpu_missing" : "dirty_gpu", answer.dirty});
  return Answer::gone;
}

Starter::Answer Starter::refuse_for_ever(Index stage) {
  run_.stages.set(stage, State::intent);
  retries_.give_up(
      stage, {"host_too_small",
              fmt::format("it asks for {}{}, and this host has {}; change `resources` of the "
                          "stage or the parameters that they read, or `tokens` of the site file",
                          asked_for(run_.demands.of(stage)),
                          run_.kind(stage) == runner::Kind::measure ? " beside its server" : "",
                          what_there_is(run_.host.ledger().inventory()))});
  return Answer::gone;
}

namespace {

using Contained = std::shared_ptr<const container::Settings>;

bool are_alike(const Contained& a, const Contained& b) { return a && b ? *a == *b : a == b; }

}  // namespace

std::vector<Index> Starter::batch_of(Index first) const {
  std::vector<Index> batch = {first};
  const plan::Spec& spec = run_.stage(first).spec;
  if (!spec.batch) return batch;
  for (const auto& [repeat, stage] : run_.stages.ready(runner::Kind::task)) {
    const plan::Spec& other = run_.stage(stage).spec;
    if (stage != first && other.name == spec.name && other.runner == spec.runner &&
        other.argv == spec.argv && are_alike(other.container, spec.container))
      batch.push_back(stage);
  }
  return batch;
}

}  // namespace orch::schedule
