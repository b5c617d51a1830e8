#include "run/schedule/adoption.hpp"

namespace orch::schedule {

using execute::Recovered;
using runner::Kind;

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
    if (!ended_server) {
      take_over(one);
      return true;
    }
    for (const Unfinished& member : one.members)
      run_.log.note(AttemptLost{member.token, "its server ended", run_.wall()});
    return true;
  });
  run_.host.complete_adopted();
}

void Adoption::keep_end(const execute::Ended& ended) {
  for (Adopted& one : adopted_)
    if (one.token() == ended.token)
      one.found = {
          .fate = Recovered::Fate::ended, .handle = {}, .ended = ended, .for_s = 0, .why = {}};
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
  resources::Grant grant{.gpus = first.gpus, .cpus = first.cpus, .client_cpus = {}, .nodes = {}};
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
    if (auto lease = run_.tools.ports.retake(port)) process.leases.push_back(std::move(*lease));
  process.was_ready = server.ready;
  run_.sessions[server.attempt].measured = server.measured;
  for (const auto& [id, count] : server.attempts)
    if (const auto found = run_.graph.index.find(id); found != run_.graph.index.end())
      run_.stages[found->second].measured_here = count;
  run_.tools.readiness.watch(process.token, process.first().prepared.probe);
}

}  // namespace orch::schedule
