#include "schedule/driver.hpp"
#include "system/kill_point.hpp"

namespace orch::schedule {

// No process of the tree is left.
void Scheduler::Impl::on_ended(const execute::Ended& ended) {
  const auto found = active_.find(ended.token);
  if (found == active_.end()) {
    // Taken over, and of use in a later round only.
    for (Adopted& one : adopted_)
      if (one.token() == ended.token)
        one.found = {.fate = execute::Recovered::Fate::ended,
                     .handle = {},
                     .ended = ended,
                     .for_s = 0,
                     .why = {}};
    return;
  }
  system::kill_point("end-seen");
  Active& active = found->second;
  const std::string token = ended.token;
  // A client sees that its server is gone before we do.
  const bool measure = kind(active.first()) == Kind::measure;
  const bool whole = ended.code == 0 || (measure && ended.code == execute::k_not_valid_status);
  if (!whole && measure && !active.ended_by_us && !server_failure(active.session) &&
      thought_twice_.insert(token).second)
    return later(k_second_thought_s, [this, ended] { on_ended(ended); });
  active.launched = false;  // nothing is left to watch or to signal
  active.deadline_s = active.kill_at_s = k_never;
  if (kind(active.first()) == Kind::service) service_ended(active, ended);
  // A measurement that was over before its server was: its record says what it is worth.
  if (whole && server_failure(active.session)) active.ended_by_us.reset();
  if (active.ended_by_us)
    return conclude(token, ended,
                    active.ended_by_us->klass.empty() ? std::nullopt : active.ended_by_us);
  if (!whole) return conclude(token, ended, cause_of(active, ended));
  for (const Active::Member& member : active.members) queue_.set(member.stage, State::produced);
  publish(token, ended);
}

Failure Scheduler::Impl::cause_of(const Active& active, const execute::Ended& ended) {
  const execute::Verdict verdict = execute::classify(
      ended,
      tools_.workspace.log_tail(active.members.front().prepared.launch.log, k_classified_lines));
  return {std::string(verdict.failure->name), verdict.message, verdict.retry_after_s};
}

void Scheduler::Impl::publish(std::string token, execute::Ended ended) {
  Active active = std::move(active_.at(token));
  active_.erase(token);
  for (const Active::Member& member : active.members)
    finish(active, member, ended, publish_member(member));
}

// Empty when the outputs are where others read them.
std::optional<Failure> Scheduler::Impl::publish_member(const Active::Member& member) {
  if (!tools_.journal.is_current(member.key, member.prepared.attempt.token))
    return Failure{
        "lost",
        "a newer attempt of this stage is on record, so what this one made is not published"};
  const auto files = tools_.workspace.check(member.prepared);
  if (!files) return Failure{"output_missing", files.error().message};
  if (const Status published = tools_.workspace.publish(member.prepared, *files); !published)
    return Failure{"cannot_publish", published.error().text()};
  system::kill_point("published");
  ArtifactPublished event{.attempt = member.key,
                          .path = execute::Layout::artifact(member.prepared.artifact),
                          .in_place = stage(member.stage).spec.in_place,
                          .not_cacheable = why_not_cacheable(member.stage),
                          .files = {},
                          .at = wall()};
  for (const execute::PublishedFile& file : *files)
    event.files.push_back({file.path, file.bytes, file.sha256});
  note(event);
  return std::nullopt;
}

// Its digest names inputs that were others when it was made, or something it needs is such a thing.
std::string Scheduler::Impl::why_not_cacheable(Index i) {
  std::string why = tools_.changed_input(stage(i));
  for (const Index need : graph_.needs[i]) {
    if (!why.empty()) break;
    if (kind(need) == Kind::service) why = why_not_cacheable(need);
    else if (const auto tainted = tainted_.find(need); tainted != tainted_.end())
      why = tainted->second;
  }
  if (!why.empty()) tainted_[i] = why;
  return why;
}

void Scheduler::Impl::conclude(std::string token, execute::Ended ended,
                               std::optional<Failure> failure) {
  Active active = std::move(active_.at(token));
  active_.erase(token);
  for (const Active::Member& member : active.members) finish(active, member, ended, failure);
}

void Scheduler::Impl::finish(const Active& active, const Active::Member& member,
                             const execute::Ended& ended, std::optional<Failure> failure) {
  const Index i = member.stage;
  if (failure) failures_of(i);
  const double share = 1.0 / static_cast<double>(active.members.size());
  const double wall_s = (ended.wall_s > 0 ? ended.wall_s : now() - active.started_s) * share;
  // What its server died of is on the server's account.
  const Failure* of_server =
      failure && failure->klass != "interrupted" ? server_failure(active.session) : nullptr;
  if (of_server && of_server->kind() == execute::FailureKind::harness)
    failure = Failure{"lost", "its server failed: " +
                                  of_server->message.substr(0, of_server->message.find('\n'))};
  if (failure && failure->klass != "interrupted") {
    const std::string tail =
        tools_.workspace.log_tail(active.members.front().prepared.launch.log, k_tail_lines);
    if (!failure->message.ends_with(tail))
      failure->message += "\n" + tail;  // it may have said no more than what it is classed by
  }
  note(AttemptEnded{.attempt = member.key,
                    .ok = !failure,
                    .exit_code = ended.code,
                    .signal = ended.signal,
                    .failure_class = failure ? failure->klass : "",
                    .kind = failure ? failure->kind() : execute::FailureKind::system,
                    .message = failure ? failure->message : "",
                    .wall_s = wall_s,
                    .cpu_s = ended.cpu_s * share,
                    .max_rss_bytes = ended.max_rss_bytes,
                    .at = wall()});
  if (i == active.first()) gpus_.give_back(stage(i).id);
  after_commit([this, prepared = member.prepared, keep = failure.has_value()] {
    system::kill_point("end-recorded");
    tools_.workspace.discard(prepared, keep);
  });
  if (kind(i) == Kind::service) queue_.lose(i);
  if (failure && failure->klass == "interrupted") return queue_.cancel(i, failure->message);
  if (of_server) return share_failure(i, *of_server);
  if (failure) return failed(i, *failure);
  if (kind(i) != Kind::service) expected_.learn(stage(i).spec.name, wall_s);
  if (kind(i) == Kind::measure) return measured(member, active.session);
  if (kind(i) == Kind::service && queue_.still_wanted(i) && !queue_.draining())
    return queue_.put_off(i, now(), active.ended_by_us->message);
  queue_.set(i, State::done);
}

void Scheduler::Impl::measured(const Active::Member& member, const AttemptKey& session) {
  note(MeasurementProduced{.attempt = member.key,
                           .session = session,
                           .path = execute::Layout::artifact(member.prepared.artifact) + "/out",
                           .order = ++measured_[session],
                           .at = wall()});
  after_commit([this, i = member.stage, key = member.key, session] {
    system::kill_point("measurement-recorded");
    judge(i, key, session, true);
  });
}

void Scheduler::Impl::judge(Index i, const AttemptKey& key, const AttemptKey& session,
                            bool in_haste) {
  const std::string reasons = tools_.journal.invalid_reasons(key);
  if (reasons.empty()) return queue_.set(i, State::done);
  if (const Failure* of_server = server_failure(session)) return share_failure(i, *of_server);
  if (in_haste)
    return later(k_second_thought_s, [this, i, key, session] { judge(i, key, session, false); });
  const Active* server = service_of(i);
  const bool server_lives = server && !server->ended_by_us;
  if (again_[i] >= options_.invalid_retries || !server_lives || queue_.draining())
    return give_up(i, {"invalid_measurement", reasons});
  ++again_[i];
  queue_.set(i, State::ready,
             fmt::format("measured again, because the last one was invalid: {}", reasons));
}

void Scheduler::Impl::share_failure(Index i, const Failure& of_server) {
  const bool comes_back = std::any_of(
      graph_.needs[i].begin(), graph_.needs[i].end(),
      [this](Index need) { return kind(need) == Kind::service && !is_final(queue_.get(need)); });
  if (comes_back && of_server.kind() == execute::FailureKind::harness && !queue_.draining())
    return queue_.put_off(i, now(), "its server failed, for a reason that may pass");
  give_up(i, of_server);
}

int& Scheduler::Impl::failures_of(Index i) {
  const auto known = failures_.find(i);
  return known != failures_.end() ? known->second
                                  : failures_[i] = tools_.journal.failures_so_far(stage(i).id);
}

void Scheduler::Impl::failed(Index i, const Failure& failure) {
  if (failure.kind() == execute::FailureKind::system) return give_up(i, failure);
  const int failures = ++failures_of(i);
  if (failures >= options_.backoff.most_failures || queue_.draining()) return give_up(i, failure);
  const double delay_s = std::max(options_.backoff.delay_s(failures, tools_.random()),
                                  failure.retry_after_s.value_or(0));
  queue_.put_off(i, now() + delay_s,
                 fmt::format("{}; try {} of {} in {:.0f} s", failure.reason(), failures + 1,
                             options_.backoff.most_failures, std::ceil(delay_s)));
  after_commit([] { system::kill_point("retry-recorded"); });
}

void Scheduler::Impl::give_up(Index i, const Failure& failure) {
  ++by_class_[failure.klass];
  queue_.set(i, State::failed, failure.reason());
  queue_.skip_dependants(i, fmt::format("{} failed ({})", stage(i).id, failure.klass));
}

}  // namespace orch::schedule
