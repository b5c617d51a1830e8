#include "schedule/driver.hpp"
#include "schedule/status.hpp"
#include "system/kill_point.hpp"

namespace orch::schedule {

Scheduler::Impl::Impl(const plan::Plan& plan, Tools tools, Options options,
                      std::vector<Adopted>& adopted)
    : plan_(plan),
      tools_(std::move(tools)),
      options_(std::move(options)),
      graph_(plan),
      expected_(options_.expected_s),
      queue_(plan, graph_,
             [this](Index i, State from, State to, const std::string& why) {
               note(StageMoved{stage(i).id, from, to, why, wall()});
             }),
      gpus_(tools_.gpu_memory),
      adopted_(adopted) {}

Result<Outcome> Scheduler::Impl::run() {
  queue_.begin();
  adopt(adopted_);
  while (true) {
    // Until nothing moves any more: what one step makes possible, the next one does at once.
    bool moving = true;
    while (moving) {
      obey_interrupts();
      run_what_is_due();
      watch_services();
      start_what_may();
      moving = !effects_.empty();
      const bool over = active_.empty() && later_.empty() && !queue_.anything_left();
      if (const Status written = flush(over || now() >= commit_at_s_); !written) {
        for (const auto& [token, active] : active_) tools_.executor.kill(token);
        return written.error();
      }
    }
    if (active_.empty() && later_.empty() && !queue_.anything_left()) break;
    if (now() - last_tick_s_ >= k_tick_s) tick();
    // However long we are stopped ourselves: what has ended is heard of before anybody's time is
    // up.
    const double heard_s = now();
    for (const execute::Ended& ended : tools_.executor.poll(patience())) on_ended(ended);
    enforce_deadlines(heard_s);
  }
  tick();
  return outcome();
}

void Scheduler::Impl::note(const Event& event) {
  tools_.journal.append(event);
  if (!std::exchange(dirty_, true)) commit_at_s_ = now() + k_commit_s;
  for (Observer* observer : tools_.observers) observer->on_event(event);
}

// A commit costs as much as a small stage. What has no effect yet to wait for it (that something
// was spawned, that a server is ready) goes with the next that has one, or soon by itself.
Status Scheduler::Impl::flush(bool everything) {
  while (!effects_.empty() || (everything && dirty_)) {
    if (std::exchange(dirty_, false)) ORCH_TRY(tools_.journal.commit());
    commit_at_s_ = k_never;
    for (const auto& effect : std::exchange(effects_, {})) effect();
    queue_.settle();
  }
  return {};
}

void Scheduler::Impl::run_what_is_due() {
  queue_.release(now());
  while (!later_.empty() && later_.begin()->first <= now()) {
    const auto effect = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    effect();
  }
  queue_.settle();
}

void Scheduler::Impl::obey_interrupts() {
  const int asked = tools_.interrupts.count();
  if (asked >= 1)
    queue_.drain("interrupted; what runs may end, a second Ctrl-C ends it, a third kills it");
  if (asked >= 2 && obeyed_ < 2)
    for (auto& [token, active] : active_) end(active, {"interrupted", "ended on request"});
  if (asked >= 3 && obeyed_ < 3)
    for (auto& [token, active] : active_) active.kill_at_s = 0;
  obeyed_ = std::max(obeyed_, asked);
  if (options_.fail_fast && queue_.count(State::failed))
    queue_.drain("another stage failed and --fail-fast was given");
}

void Scheduler::Impl::end(Active& active, Failure why) {
  if (active.ended_by_us) return;
  active.ended_by_us = std::move(why);
  const Index first = active.first();
  const bool service = kind(first) == Kind::service;
  active.deadline_s = k_never;
  active.kill_at_s = now() + (service ? stage(first).spec.stop_s : k_grace_s);
  if (service && queue_.get(first) != State::stopping)
    queue_.set(first, State::stopping, active.ended_by_us->message);
  after_commit([this, token = active.token] {
    system::kill_point("stop-recorded");
    tools_.executor.terminate(token);
    system::kill_point("term-sent");
  });
}

void Scheduler::Impl::enforce_deadlines(double heard_s) {
  for (auto& [token, active] : active_) {
    if (!active.launched) continue;
    if (heard_s >= active.deadline_s)
      end(active, {"timeout", fmt::format("did not end within {:.0f} s",
                                          stage(active.first()).spec.timeout_s)});
    if (heard_s < active.kill_at_s) continue;
    tools_.executor.kill(token);
    system::kill_point("kill-sent");
    active.kill_at_s = now() + 1;  // until nothing is left
  }
}

double Scheduler::Impl::patience() {
  double until_s = std::min({now() + k_tick_s, queue_.next_due_s(), commit_at_s_});
  if (!later_.empty()) until_s = std::min(until_s, later_.begin()->first);
  for (const auto& [token, active] : active_) {
    if (queue_.get(active.first()) == State::starting) return k_watch_s;
    until_s = std::min({until_s, active.deadline_s, active.kill_at_s});
  }
  return std::max(0.0, until_s - now());
}

void Scheduler::Impl::tick() {
  last_tick_s_ = now();
  if (tools_.observers.empty()) return;
  const Progress progress = progress_of(plan_, queue_, active_, expected_, now());
  for (Observer* observer : tools_.observers) observer->on_tick(progress);
}

Outcome Scheduler::Impl::outcome() const {
  const std::size_t cancelled = queue_.count(State::cancelled);
  return {.interrupted = obeyed_ > 0 && cancelled > 0,
          .done = queue_.count(State::done),
          .reused = queue_.count(State::reused),
          .failed = queue_.count(State::failed),
          .skipped = queue_.count(State::skipped),
          .cancelled = cancelled,
          .failures_by_class = by_class_};
}

Scheduler::Scheduler(const plan::Plan& plan, Tools tools, Options options,
                     std::vector<Adopted>& adopted)
    : impl_(std::make_unique<Impl>(plan, std::move(tools), std::move(options), adopted)) {}
Scheduler::~Scheduler() = default;
Result<Outcome> Scheduler::run() { return impl_->run(); }

}  // namespace orch::schedule
