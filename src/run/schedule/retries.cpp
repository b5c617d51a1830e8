#include "run/schedule/retries.hpp"

#include "bench/measure/validity.hpp"
#include "os/system/kill_point.hpp"
#include "plan/graph/decide.hpp"
#include "run/attempt/failure.hpp"

#include <cmath>

namespace orch::schedule {

namespace {

// How many lines at the end of a log are searched for the cause of a failure.
constexpr std::size_t k_classified_lines = 60;

// The first input of PROCESS that is no longer readable, as a sentence; "" if all are. Checks
// indirect needs as well, because a text may refer to their outputs.
std::string lost_input(RunState& run, const ActiveProcess& process) {
  std::vector<Index> members;
  for (const ActiveProcess::Member& member : process.members) {
    for (const std::string& path : run.stage(member.stage).inputs)
      if (!run.tools.workspace.can_see(path)) return path + " is gone";
    members.push_back(member.stage);
  }
  const std::vector<Index> used = run.graph.with_needs(members);
  for (std::size_t at = members.size(); at < used.size(); ++at) {
    const Index need = used[at];
    const State state = run.stages.get(need);
    const bool made = state == State::done || state == State::reused;
    if (run.kind(need) != runner::Kind::task || !made || run.stages[need].is_removed) continue;
    if (std::string why = run.tools.workspace.damage(run.stage(need)); !why.empty()) return why;
  }
  return "";
}

}  // namespace

int& Retries::harness_failures(Index stage) {
  std::optional<int>& failures = run_.stages[stage].harness_failures;
  if (!failures) failures = run_.tools.journal.failures_so_far(run_.stage(stage).id).value_or(0);
  return *failures;
}

void Retries::failed(Index stage, const AttemptFailure& failure) {
  if (failure.kind() == attempt::FailureKind::system) return give_up(stage, failure);
  const attempt::Backoff& backoff = run_.options.backoff;
  const int failures = ++harness_failures(stage);
  // A retry in this run is useless: only the next run plans the stage that recreates a lost input.
  const bool in_vain = failure.failure_class == FailureClass::input_lost || run_.stages.draining();
  if (failures >= backoff.most_failures || in_vain) return give_up(stage, failure);
  const double delay_s = std::max(backoff.delay_s(failures, run_.tools.environment.random()),
                                  failure.retry_after_s.value_or(0));
  run_.stages.postpone(stage, run_.now() + delay_s,
                       fmt::format("{}; try {} of {} in {:.0f} s", failure.reason(), failures + 1,
                                   backoff.most_failures, std::ceil(delay_s)));
  run_.log.after_commit([] { system::kill_point("retry-recorded"); });
}

void Retries::give_up(Index stage, const AttemptFailure& failure) {
  ++failed_by_class_[std::string(failure.name())];
  run_.stages[stage].is_tried_again = failure.is_harness();
  run_.stages.set(stage, State::failed, failure.reason());
  if (plan::is_out_of_memory(failure.name())) prune(stage, failure.name());
  run_.stages.skip_dependants(stage,
                              fmt::format("{} failed ({})", run_.stage(stage).id, failure.name()));
}

void Retries::prune(Index stage, std::string_view failure_class) {
  const auto& dependants = run_.graph.dependants[stage];
  // A server that has already been measured ran out of memory under the load of one point: other
  // points may succeed.
  const bool has_served = std::ranges::any_of(dependants, [this](Index measurement) {
    return run_.stages[measurement].measured_here > 0 ||
           run_.stages.get(measurement) == State::reused;
  });
  if (run_.kind(stage) == runner::Kind::task || has_served) return;
  for (const std::size_t small : run_.stage(stage).points)
    for (const std::size_t large : plan::pruned_by(run_.plan, small))
      for (const plan::StageId& id : run_.plan.points[large].stages) {
        const Index other = run_.graph.index.at(id);
        if (run_.kind(other) != runner::Kind::measure || !run_.stages.is_open(other)) continue;
        ++failed_by_class_["pruned"];
        run_.stages.set(other, State::failed, plan::pruned_why(run_.plan, small, failure_class));
      }
}

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
    return retries_.give_up(
        stage, {is_stuck ? FailureClass::no_answer : FailureClass::invalid_measurement, reasons});
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

AttemptFailure failure_of(RunState& run, const ActiveProcess& process,
                          const execute::Ended& ended) {
  const auto log =
      run.tools.workspace.log_tail(process.first().prepared.launch.log, k_classified_lines);
  const attempt::Verdict verdict = attempt::classify(ended, log.value_or(""));
  AttemptFailure failure{verdict.failure, verdict.message, verdict.retry_after_s};
  // The unreadable log may contain the reason.
  if (!log && attempt::traits_of(verdict.failure).vague)
    failure = {attempt::class_of(log.error(), FailureClass::lost),
               fmt::format("{}; why is unknown: {}", verdict.message, log.error().message)};
  return explained(run, process, ended, std::move(failure));
}

AttemptFailure explained(RunState& run, const ActiveProcess& process, const execute::Ended& ended,
                         AttemptFailure failure) {
  const bool may_lack_input =
      !failure.is_harness() || failure.failure_class == FailureClass::cannot_prepare;
  if (!failure.failure_class || !may_lack_input) return failure;
  if (const std::string why = lost_input(run, process); !why.empty())
    return {FailureClass::input_lost, fmt::format("{}; its input {}", failure.first_line(), why)};
  if (!attempt::traits_of(*failure.failure_class).vague) return failure;
  if (const auto machine = attempt::machine_failure(ended))
    return {machine->failure, fmt::format("{}; {}", failure.first_line(), machine->message)};
  return failure;
}

AttemptFailure failure_to(FailureClass otherwise, const Error& error) {
  return {attempt::class_of(error, otherwise), error.text()};
}

}  // namespace orch::schedule
