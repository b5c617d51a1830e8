#include "schedule/driver.hpp"
#include "system/kill_point.hpp"

namespace orch::schedule {

Active* Scheduler::Impl::service_of(Index measurement) {
  for (auto& [token, active] : active_)
    for (const Index need : graph_.needs[measurement])
      if (active.first() == need) return &active;
  return nullptr;
}

void Scheduler::Impl::watch_services() {
  for (auto& [token, active] : active_) {
    const Index i = active.first();
    if (kind(i) != Kind::service) continue;
    if (queue_.get(i) == State::starting && !queue_.still_wanted(i))
      end(active, queue_.has_served(i) ? Failure{"", "all its measurements are over"}
                                       : Failure{"interrupted", "nobody waits for it any more"});
    if (queue_.get(i) == State::starting) watch_start(active, i);
    if (queue_.get(i) == State::running && !queue_.still_wanted(i))
      end(active, {"", "all its measurements are over"});
  }
  queue_.settle();
}

void Scheduler::Impl::watch_start(Active& active, Index i) {
  const execute::HealthReport report = tools_.readiness.report(active.token);
  if (report.health == execute::Health::pending) return;
  tools_.readiness.forget(active.token);
  if (report.health == execute::Health::failed) {
    // One that was up already has not failed to start: it did not live through the death of its
    // run.
    return end(active, {active.was_ready ? "lost" : std::string(report.failure), report.why});
  }
  system::kill_point("server-ready");
  if (!active.was_ready) {
    note(ServiceReady{active.members.front().key, now() - active.started_s, wall()});
    expected_.learn(stage(i).spec.name, now() - active.started_s);
  }
  queue_.set(i, State::running, active.adopted ? "ready, taken over" : "ready");
}

// The server is gone. Why, where it should not be.
void Scheduler::Impl::service_ended(Active& active, const execute::Ended& ended) {
  const Index i = active.first();
  tools_.readiness.forget(active.token);
  if (!active.ended_by_us) {
    const bool was_starting = queue_.get(i) == State::starting;
    Failure failure = cause_of(active, ended);
    // What says no more than that it ended says less than when.
    if (failure.klass == "exit_status" || failure.klass == "crashed")
      failure.klass = was_starting ? "died_starting" : "server_crash";
    failure.message += was_starting ? " while starting" : " while serving";
    active.ended_by_us = failure;
  }
  if (active.ended_by_us->klass.empty()) return;
  const AttemptKey& session = active.members.front().key;
  server_failures_[session] = *active.ended_by_us;
  for (auto& [token, other] : active_)
    if (other.session == session) end(other, *active.ended_by_us);
}

const Failure* Scheduler::Impl::server_failure(const AttemptKey& session) const {
  const auto failure = server_failures_.find(session);
  return failure == server_failures_.end() ? nullptr : &failure->second;
}

}  // namespace orch::schedule
