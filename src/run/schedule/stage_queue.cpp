#include "run/schedule/stage_queue.hpp"

#include "plan/graph/stage_index.hpp"

#include <algorithm>
#include <limits>

namespace orch::schedule {

using resources::Request;
using runner::Kind;

namespace {

// BYTES rounded up, so that stages that write about the same amount share a class.
std::uint64_t rounded(std::uint64_t bytes) {
  const std::uint64_t unit = bytes >= 1ULL << 30 ? 1ULL << 30 : 1ULL << 20;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Graph::Graph(const plan::Plan& plan) : needs(plan.stages.size()), dependants(plan.stages.size()) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    index[plan.stages[i].id] = i;
    for (const auto& [name, id] : plan.stages[i].needs) {
      const std::size_t needed = index.at(id);  // a plan lists needs first
      needs[i].push_back(needed);
      dependants[needed].push_back(i);
    }
  }
}

std::vector<Index> Graph::with_needs(std::vector<Index> stages) const {
  return plan::with_needs(
      std::move(stages), [this](Index stage) -> const std::vector<Index>& { return needs[stage]; });
}

Request request_of(const plan::Stage& stage, matrix::Isolation isolation) {
  Request request;
  request.gpus = static_cast<int>(stage.gpus);
  if (stage.share) {
    // With `cpus`, the memory is only what a cluster's job requests; on a single host no stage
    // waits for it.
    if (stage.share->cpus == 0) request.memory_gib = stage.share->memory_gib;
    request.tokens = stage.share->tokens;
  }
  const Kind kind = stage.spec.kind;
  // Only for tasks: a server would hold the disk space for its whole lifetime.
  if (kind == Kind::task) request.disk_bytes = rounded(stage.estimate.needed_bytes);
  const bool has_server = kind == Kind::measure && !stage.needs.empty() && !stage.running;
  if (stage.share && stage.share->cores) {
    request.which = Request::Cores::counted;
    request.cores = *stage.share->cores;
  } else if (isolation == matrix::Isolation::gpu && !has_server && !stage.spec.server) {
    request.which = request.gpus > 0     ? Request::Cores::by_gpus
                    : kind == Kind::task ? Request::Cores::shared
                                         : Request::Cores::all;
  }
  request.with_client = kind == Kind::service;
  return request;
}

Demands::Demands(const plan::Plan& plan) {
  std::map<Request, Class> known;
  classes_.reserve(plan.stages.size());
  for (const plan::Stage& stage : plan.stages) {
    const Request request = request_of(stage, plan.isolation);
    const auto [at, is_new] = known.try_emplace(request, static_cast<Class>(requests_.size()));
    if (is_new) requests_.push_back(request);
    classes_.push_back(at->second);
  }
}

Request Demands::of(const std::vector<Index>& batch) const {
  Request request = of(batch.front());
  for (std::size_t i = 1; i < batch.size(); ++i) request.disk_bytes += of(batch[i]).disk_bytes;
  return request;
}

StageQueue::StageQueue(const plan::Plan& plan, const Graph& graph, const Demands& demands,
                       Moved moved)
    : plan_(plan),
      graph_(graph),
      demands_(demands),
      on_move_(std::move(moved)),
      states_(plan.stages.size(),
              [this](Index stage, State from, State to, const std::string& why) {
                this->moved(stage, from, to, why);
              }),
      runs_(plan.stages.size()) {}

void StageQueue::begin() {
  for (Index i = 0; i < plan_.stages.size(); ++i) shared_left_ += in_run(i) && is_shared(i);
  for (Index i = 0; i < plan_.stages.size(); ++i) runs_[i].missing = graph_.needs[i].size();
  for (Index i = 0; i < plan_.stages.size(); ++i) {
    if (plan_.stages[i].status == plan::Status::reuse) set(i, State::reused, plan_.stages[i].why);
    else if (in_run(i) && runs_[i].missing == 0) set(i, State::ready);
  }
  settle();
}

void StageQueue::moved(Index i, State from, State to, const std::string& why) {
  on_move_(i, from, to, why);
  StageRun& run = runs_[i];
  Ready& ready = ready_[static_cast<std::size_t>(kind(i))];
  run.in_state = {};
  const std::pair<std::int64_t, Index> entry{plan_.stages[i].repeat, i};
  if (ready.all.erase(entry)) {
    const auto set = ready.by_class.find(demands_.class_of(i));
    set->second.erase(entry);
    if (set->second.empty()) ready.by_class.erase(set);
  }
  waiting_.erase(i);
  if (to == State::ready) {
    run.in_state = StageRun::Ready{};
    ready.all.insert(entry);
    ready.by_class[demands_.class_of(i)].insert(entry);
  }
  if (is_final(to) && !is_final(from) && in_run(i) && is_shared(i)) --shared_left_;
  const bool usable = to == State::reused || (to == State::done && kind(i) == Kind::task) ||
                      (to == State::running && kind(i) == Kind::service);
  if (usable && !std::exchange(run.usable, true)) newly_usable_.push_back(i);
}

bool StageQueue::anything_left() const {
  return !waiting_.empty() ||
         std::ranges::any_of(ready_, [](const Ready& one) { return !one.all.empty(); });
}

void StageQueue::settle() {
  while (!newly_usable_.empty()) {
    const Index i = newly_usable_.back();
    newly_usable_.pop_back();
    for (const Index dependant : graph_.dependants[i]) {
      const bool complete = --runs_[dependant].missing == 0;
      if (!complete || !in_run(dependant) || get(dependant) != State::planned) continue;
      set(dependant, draining_ ? State::cancelled : State::ready);
    }
  }
}

void StageQueue::postpone(Index stage, double due_s, const std::string& why) {
  set(stage, State::waiting, why);
  runs_[stage].in_state = StageRun::Waiting{due_s};
  waiting_.insert(stage);
}

void StageQueue::release(double now_s) {
  std::vector<Index> due;
  for (const Index stage : waiting_)
    if (std::get<StageRun::Waiting>(runs_[stage].in_state).due_s <= now_s) due.push_back(stage);
  for (const Index stage : due)
    set(stage, runs_[stage].missing == 0 ? State::ready : State::planned);
}

double StageQueue::next_due_s() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Index stage : waiting_)
    next = std::min(next, std::get<StageRun::Waiting>(runs_[stage].in_state).due_s);
  return next;
}

void StageQueue::lose(Index service) {
  if (!std::exchange(runs_[service].usable, false)) return;
  settle();
  for (const Index dependant : graph_.dependants[service]) {
    ++runs_[dependant].missing;
    if (get(dependant) == State::ready) set(dependant, State::planned, "its server is restarted");
  }
}

bool StageQueue::is_open(Index stage) const {
  const State state = get(stage);
  return in_run(stage) &&
         (state == State::planned || state == State::ready || state == State::waiting);
}

void StageQueue::drain(const std::string& why) {
  if (std::exchange(draining_, true)) return;
  for (Index i = 0; i < plan_.stages.size(); ++i)
    if (is_open(i)) set(i, State::cancelled, why);
}

void StageQueue::cancel(Index stage, const std::string& why) {
  set(stage, State::cancelled, why);
  for (const Index dependant : graph_.dependants[stage])
    if (is_open(dependant)) cancel(dependant, why);
}

void StageQueue::skip_dependants(Index stage, const std::string& why) {
  for (const Index dependant : graph_.dependants[stage]) {
    if (!is_open(dependant)) continue;
    set(dependant, State::skipped, why);
    skip_dependants(dependant, why);
  }
}

bool ServiceUse::is_left(Index stage) const {
  return stages_.in_run(stage) && !is_final(stages_.get(stage));
}

bool ServiceUse::is_wanted_later(Index service) const {
  return std::ranges::any_of(graph_.dependants[service], [&](Index i) { return is_left(i); });
}

bool ServiceUse::is_wanted(Index service) const {
  return std::ranges::any_of(graph_.dependants[service],
                             [&](Index i) { return is_left(i) && is_in_turn(i); });
}

bool ServiceUse::can_serve(Index service) const {
  return std::ranges::any_of(graph_.dependants[service], [&](Index i) {
    return stages_.is_open(i) && stages_[i].missing <= 1 && is_in_turn(i);
  });
}

bool ServiceUse::has_served(Index service) const {
  return std::ranges::all_of(graph_.dependants[service], [&](Index i) {
    return !stages_.in_run(i) || stages_.get(i) == State::done;
  });
}

}  // namespace orch::schedule
