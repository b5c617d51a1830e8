#include "run/schedule/endings.hpp"

#include "os/system/kill_point.hpp"
#include "run/attempt/failure.hpp"

#include <algorithm>

namespace orch::schedule {

using runner::Kind;
using execute::Recovered;

namespace {

constexpr std::size_t k_tail_lines = 15;  // of the log that a message quotes

}  // namespace

void Endings::on_ended(const execute::Ended& ended) {
  ActiveProcess* const process = run_.processes.find(ended.token);
  if (!process) return;
  system::kill_point("end-seen");
  const bool measure = process->kind == Kind::measure;
  const bool complete = ended.code == 0 || (measure && ended.has_measured());
  // A measurement notices the death of its server before this run does. A failed end is therefore
  // handled a moment later, when news of the server may have arrived.
  const bool unexplained =
      measure && !complete && !process->stopped_for && !run_.sessions.failure(process->session);
  if (unexplained && !std::exchange(process->rechecked, true))
    return run_.timers.after(k_recheck_s, [this, ended] { on_ended(ended); });
  process->launched = false;  // nothing is left to watch or to signal
  process->deadline_s = process->kill_at_s = k_never;
  if (process->kind == Kind::service) services_.ended(*process, ended);
  // A measurement that was complete before its server failed counts: whether it is valid is in its
  // record.
  if (complete && run_.sessions.failure(process->session)) process->stopped_for.reset();
  if (process->stopped_for)
    return conclude(*process, ended,
                    process->stopped_for->failure_class ? process->stopped_for : std::nullopt);
  if (!complete) return conclude(*process, ended, failure_of(run_, *process, ended));
  for (const ActiveProcess::Member& member : process->members)
    run_.stages.set(member.stage, State::produced);
  run_.host.give_back(process->holder);
  publish(*process, ended);
}

void Endings::publish(ActiveProcess& process, const execute::Ended& ended) {
  const auto ending = std::make_shared<Ending>(Ending{process, ended, true, {}});
  publisher_.publish(process, [this, ending](std::vector<Publisher::Made> made) {
    for (Publisher::Made& one : made)
      if (one.failure)
        one.failure = explained(run_, ending->process, ending->ended, *std::move(one.failure));
    ending->made = std::move(made);
    discard_failed(ending);
  });
}

void Endings::conclude(ActiveProcess& process, const execute::Ended& ended,
                       std::optional<AttemptFailure> failure) {
  if (failure) failure = explained(run_, process, ended, *std::move(failure));
  const std::vector<Publisher::Made> made(process.members.size(), {.failure = std::move(failure)});
  discard_failed(std::make_shared<Ending>(Ending{process, ended, false, made}));
}

void Endings::discard_failed(const SharedEnding& ending) {
  ActiveProcess& process = ending->process;
  const auto has_failed = [](const Publisher::Made& one) { return one.failure.has_value(); };
  if (std::ranges::none_of(ending->made, has_failed)) return finish(*ending);
  // Read now, because after a full disk the log is truncated.
  process.log_tail =
      run_.tools.workspace.log_tail(process.first().prepared.launch.log, k_tail_lines).value_or("");
  run_.file_work.start(
      process.token,
      [this, ending, &workspace = run_.tools.workspace](system::LongWork&) -> FileWork::Next {
        for (std::size_t m = 0; m < ending->made.size(); ++m)
          if (const auto& failure = ending->made[m].failure)
            workspace.discard_failed(ending->process.members[m].prepared, !failure->is_full_disk());
        return [this, ending] {
          run_.tools.workspace.tell_warnings();
          finish(*ending);
        };
      });
}

void Endings::finish(const Ending& ending) {
  const ActiveProcess process = run_.processes.take(ending.process.token);
  for (std::size_t m = 0; m < process.members.size(); ++m) {
    const auto& [failure, files] = ending.made[m];
    if (ending.is_published && !failure) publisher_.record(process.members[m], files);
    finish(process, process.members[m], ending.ended, failure);
  }
}

void Endings::finish(const ActiveProcess& process, const ActiveProcess::Member& member,
                     const execute::Ended& ended, std::optional<AttemptFailure> failure) {
  const Index stage = member.stage;
  if (failure) retries_.harness_failures(stage);
  const bool interrupted = failure && failure->is_interrupt();
  // If the server failed, its failure counts and the measurement's own does not.
  const AttemptFailure* of_server =
      failure && !interrupted ? run_.sessions.failure(process.session) : nullptr;
  if (of_server && of_server->kind() == attempt::FailureKind::harness)
    failure = AttemptFailure{FailureClass::lost, "its server failed: " + of_server->first_line()};
  if (failure && !interrupted) {
    const std::string& tail = process.log_tail;
    // The message may already quote the whole log, if that is one line.
    if (!failure->message.ends_with(tail)) failure->message += "\n" + tail;
  }
  const AttemptEnded event = event_of(process, member, ended, failure);
  run_.log.note(event);
  if (stage == process.stage()) run_.host.give_back(process.holder);
  const bool keep_work = failure && !failure->is_lost();
  run_.log.after_commit([this, prepared = member.prepared, keep_work] {
    system::kill_point("end-recorded");
    if (keep_work) return;
    run_.file_work.start(
        prepared.attempt.token,
        [prepared, &workspace = run_.tools.workspace](system::LongWork&) -> FileWork::Next {
          workspace.discard(prepared);
          return [&workspace] { workspace.tell_warnings(); };
        });
  });
  if (process.further) return;  // a replica: its stage continues with the first server
  if (process.kind == Kind::service) run_.stages.lose(stage);
  if (interrupted) return run_.stages.cancel(stage, failure->message);
  if (of_server) return measurements_.server_failed(stage, *of_server);
  if (failure) return retries_.failed(stage, *failure);
  succeeded(process, member, event.process.wall_s);
}

AttemptEnded Endings::event_of(const ActiveProcess& process, const ActiveProcess::Member& member,
                               const execute::Ended& ended,
                               const std::optional<AttemptFailure>& failure) {
  const double share = 1.0 / static_cast<double>(process.members.size());
  const double wall_s = ended.wall_s > 0 ? ended.wall_s : run_.now() - process.started_s;
  AttemptEnded event{.attempt = member.key,
                     .ok = !failure,
                     .failure_class = std::string(failure ? failure->name() : ""),
                     .kind = failure ? failure->kind() : attempt::FailureKind::system,
                     .message = failure ? failure->message : "",
                     .process = ended,
                     .judged_by = failure ? attempt::failure_table_digest() : "",
                     .at = run_.wall()};
  event.process.wall_s = wall_s * share;
  event.process.cpu_s = ended.cpu_s * share;
  return event;
}

void Endings::succeeded(const ActiveProcess& process, const ActiveProcess::Member& member,
                        double wall_s) {
  const Index stage = member.stage;
  if (process.kind == Kind::service) {
    if (!run_.service_use.is_wanted_later(stage) || run_.stages.draining())
      return run_.stages.set(stage, State::done);
    return run_.stages.postpone(stage, run_.now(), process.stopped_for->message);
  }
  run_.expected.learn(run_.stage(stage).spec.name, wall_s,
                      run_.stage(stage).estimate.seconds.value_or(-1));
  if (process.kind == Kind::measure) return measurements_.produced(process);
  run_.stages.set(stage, State::done);
}

bool Adoption::is_wanted(const Adopted& one) const {
  return std::ranges::all_of(one.members, [this](const Unfinished& member) {
    const auto found = run_.graph.index.find(member.attempt.stage);
    return found != run_.graph.index.end() && run_.stages.in_run(found->second);
  });
}

void Adoption::take_over_all() {
  std::erase_if(adopted_, [this](const Adopted& one) {
    if (!is_wanted(one)) return false;
    const bool ended_server =
        one.found.fate == Recovered::Fate::ended && one.members.front().kind == Kind::service;
    if (!ended_server) take_over(one);
    else
      for (const Unfinished& member : one.members)
        run_.log.note(AttemptLost{member.token, "its server ended", run_.wall()});
    return true;
  });
  run_.host.complete_adopted();
}

void Adoption::keep_end(const execute::Ended& ended) {
  for (Adopted& one : adopted_)
    if (one.token() == ended.token) one.found = {.fate = Recovered::Fate::ended, .ended = ended};
}

void Adoption::take_over(const Adopted& one) {
  const bool lives = one.found.fate == Recovered::Fate::running;
  const Unfinished& first = one.members.front();
  ActiveProcess process;
  process.token = one.token();
  process.kind = run_.kind(run_.graph.index.at(first.attempt.stage));
  process.adopted = true;
  process.further = process.kind == Kind::service &&
                    run_.stages.get(run_.graph.index.at(first.attempt.stage)) == State::starting;
  process.launched = lives;
  process.started_s = run_.now() - one.found.for_s;
  process.session = first.session;
  add_members(process, one);
  if (!first.session.stage.empty()) {
    int& measured = run_.sessions[first.session].measured;
    measured = std::max(measured, first.session_measured);
  }
  hold(process, first);
  if (process.kind == Kind::service) resume_service(process, first);
  else if (lives) process.deadline_s = run_.deadline_of(process);
  run_.processes.add(std::move(process));
  if (!lives) run_.timers.after(0, [this, ended = *one.found.ended] { endings_.on_ended(ended); });
}

void Adoption::hold(ActiveProcess& process, const Unfinished& first) {
  process.holder = first.token;
  resources::Grant grant{.gpus = first.gpus, .cpus = first.cpus};
  std::vector<Index> batch;
  for (const ActiveProcess::Member& member : process.members) batch.push_back(member.stage);
  run_.host.hold(process.holder, run_.demands.of(batch), std::move(grant));
}

void Adoption::add_members(ActiveProcess& process, const Adopted& one) {
  std::vector<attempt::Attempt> attempts;
  for (const Unfinished& member : one.members)
    attempts.push_back({.stage = &run_.stage(run_.graph.index.at(member.attempt.stage)),
                        .number = member.attempt.number,
                        .token = member.token,
                        .ports = member.ports,
                        .gpus = member.gpus});
  std::vector<attempt::Prepared> prepared = run_.tools.workspace.describe(attempts);
  for (std::size_t m = 0; m < one.members.size(); ++m) {
    const Unfinished& member = one.members[m];
    const Index stage = run_.graph.index.at(member.attempt.stage);
    run_.log.note(AttemptAdopted{member.attempt, member.token, run_.wall()});
    if (process.launched && !member.handle)
      run_.log.note(AttemptSpawned{member.attempt, one.found.handle, run_.wall()});
    if (!process.further)
      run_.stages.set(stage, process.kind == Kind::service ? State::starting : State::running,
                      "taken over from a run that died");
    process.members.push_back({stage, member.attempt, std::move(prepared[m])});
  }
}

void Adoption::resume_service(ActiveProcess& process, const Unfinished& server) {
  for (const auto& [name, port] : server.ports)
    if (auto lease = run_.tools.host.ports.retake(port))
      process.leases.push_back(std::move(*lease));
  process.was_ready = server.ready;
  run_.sessions[server.attempt].measured = server.measured;
  for (const auto& [id, count] : server.attempts)
    if (const auto found = run_.graph.index.find(id); found != run_.graph.index.end())
      run_.stages[found->second].measured_here = count;
  run_.tools.readiness.watch(process.token, process.first().prepared.probe);
}

}  // namespace orch::schedule
