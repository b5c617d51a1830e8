#include "schedule/stage_queue.hpp"

#include <algorithm>
#include <limits>

namespace orch::schedule {

using runner::Kind;

StageQueue::StageQueue(const plan::Plan& plan, const Graph& graph, Moved moved)
    : plan_(plan),
      graph_(graph),
      told_(std::move(moved)),
      states_(plan.stages.size(),
              [this](Index stage, State from, State to, const std::string& why) {
                this->moved(stage, from, to, why);
              }),
      missing_(plan.stages.size()),
      usable_(plan.stages.size()) {}

void StageQueue::begin() {
  for (Index i = 0; i < plan_.stages.size(); ++i) missing_[i] = graph_.needs[i].size();
  for (Index i = 0; i < plan_.stages.size(); ++i) {
    if (plan_.stages[i].status == plan::Status::reuse) set(i, State::reused, plan_.stages[i].why);
    else if (in_run(i) && missing_[i] == 0) set(i, State::ready);
  }
  settle();
}

void StageQueue::moved(Index i, State from, State to, const std::string& why) {
  told_(i, from, to, why);
  Ready& ready = ready_[static_cast<std::size_t>(kind(i))];
  ready.erase({plan_.stages[i].repeat, i});
  put_off_.erase(i);
  if (to == State::ready) ready.insert({plan_.stages[i].repeat, i});
  const bool usable = to == State::reused || (to == State::done && kind(i) == Kind::task) ||
                      (to == State::running && kind(i) == Kind::service);
  if (usable && !std::exchange(usable_[i], true)) satisfied_.push_back(i);
}

bool StageQueue::anything_left() const {
  return !put_off_.empty() || std::any_of(std::begin(ready_), std::end(ready_),
                                          [](const Ready& one) { return !one.empty(); });
}

bool StageQueue::still_wanted(Index service) const {
  const auto& dependants = graph_.dependants[service];
  return std::any_of(dependants.begin(), dependants.end(),
                     [&](Index i) { return in_run(i) && !is_final(get(i)); });
}

bool StageQueue::can_serve(Index service) const {
  const auto& dependants = graph_.dependants[service];
  return std::any_of(dependants.begin(), dependants.end(),
                     [&](Index i) { return in_run(i) && !is_final(get(i)) && missing_[i] <= 1; });
}

bool StageQueue::has_served(Index service) const {
  const auto& dependants = graph_.dependants[service];
  return std::all_of(dependants.begin(), dependants.end(),
                     [&](Index i) { return !in_run(i) || get(i) == State::done; });
}

void StageQueue::settle() {
  while (!satisfied_.empty()) {
    const Index i = satisfied_.back();
    satisfied_.pop_back();
    for (const Index waiting : graph_.dependants[i]) {
      if (--missing_[waiting] > 0 || !in_run(waiting) || get(waiting) != State::planned) continue;
      set(waiting, draining_ ? State::cancelled : State::ready);
    }
  }
}

void StageQueue::put_off(Index stage, double due_s, const std::string& why) {
  set(stage, State::waiting, why);
  put_off_[stage] = due_s;
}

void StageQueue::release(double now_s) {
  std::vector<Index> due;
  for (const auto& [stage, due_s] : put_off_)
    if (due_s <= now_s) due.push_back(stage);
  for (const Index stage : due) set(stage, missing_[stage] == 0 ? State::ready : State::planned);
}

double StageQueue::next_due_s() const {
  double next = std::numeric_limits<double>::infinity();
  for (const auto& [stage, due_s] : put_off_) next = std::min(next, due_s);
  return next;
}

void StageQueue::lose(Index service) {
  if (!std::exchange(usable_[service], false)) return;
  settle();
  for (const Index dependant : graph_.dependants[service]) {
    ++missing_[dependant];
    if (get(dependant) == State::ready)
      set(dependant, State::planned, "its server is started again");
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

}  // namespace orch::schedule
