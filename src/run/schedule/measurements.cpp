#include "run/schedule/measurements.hpp"

#include "bench/measure/validity.hpp"
#include "os/system/kill_point.hpp"

namespace orch::schedule {

void Measurements::produced(const ActiveProcess& process) {
  const ActiveProcess::Member& member = process.first();
  const AttemptKey& session = process.session;
  const auto isolation =
      run_.is_alone(member.stage) ? matrix::Isolation::strict : run_.plan.isolation;
  run_.log.note(
      MeasurementProduced{.attempt = member.key,
                          .session = session,
                          .path = attempt::Layout::artifact(member.prepared.artifact) + "/out",
                          .order = ++run_.sessions[session].measured,
                          .isolation = std::string(to_string(isolation)),
                          .neighbours = {process.neighbours.begin(), process.neighbours.end()},
                          .at = run_.wall()});
  run_.log.after_commit([this, record = Record{member.stage, member.key, session}] {
    system::kill_point("measurement-recorded");
    judge(record, true);
  });
}

void Measurements::judge(const Record& record, bool wait) {
  const Index stage = record.stage;
  const std::string reasons = run_.tools.journal.invalid_reasons(record.key);
  if (reasons.empty()) return run_.stages.set(stage, State::done);
  if (const AttemptFailure* failure = run_.sessions.failure(record.session))
    return server_failed(stage, *failure);
  if (wait) return run_.timers.after(k_recheck_s, [this, record] { judge(record, false); });
  const ActiveProcess* server = run_.server_of(record.session);
  const bool server_stays = server && !server->stopped_for;
  const bool is_stuck = reasons.find(measure::k_answers_nothing) != std::string::npos;
  run_.stages[stage].server_is_stuck = is_stuck;
  int& invalid = run_.stages[stage].invalid_measurements;
  if (invalid >= run_.options.invalid_retries || !server_stays || run_.stages.draining())
    return retries_.give_up(stage, {is_stuck ? "no_answer" : "invalid_measurement", reasons});
  ++invalid;
  run_.stages.set(
      stage, State::ready,
      fmt::format("measured again, because the last measurement was invalid: {}", reasons));
}

void Measurements::server_failed(Index stage, const AttemptFailure& failure) {
  const auto& needs = run_.graph.needs[stage];
  const bool comes_back = std::ranges::any_of(needs, [this](Index need) {
    return run_.kind(need) == runner::Kind::service && !is_final(run_.stages.get(need));
  });
  if (comes_back && failure.kind() == attempt::FailureKind::harness && !run_.stages.draining())
    return run_.stages.postpone(stage, run_.now(), "its server failed for a temporary reason");
  retries_.give_up(stage, failure);
}

}  // namespace orch::schedule
