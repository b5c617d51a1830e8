#include "run/schedule/verdicts.hpp"

#include "run/attempt/error_class.hpp"

namespace orch::schedule {

namespace {

constexpr std::size_t k_classified_lines = 60;  // searched for the cause of a failure

// The first input of PROCESS that cannot be read any more, as a sentence; "" when all can. A text
// may name the outputs of stages that its stage needs only indirectly.
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

AttemptFailure failure_of(RunState& run, const ActiveProcess& process,
                          const execute::Ended& ended) {
  const auto log =
      run.tools.workspace.log_tail(process.first().prepared.launch.log, k_classified_lines);
  const attempt::Verdict verdict = attempt::classify(ended, log.value_or(""));
  AttemptFailure failure{std::string(verdict.failure->name), verdict.message,
                         verdict.retry_after_s};
  // The reason may be in the log that cannot be read.
  if (!log && verdict.failure->vague)
    failure = {std::string(attempt::class_of(log.error(), "lost")),
               fmt::format("{}; why is unknown: {}", verdict.message, log.error().message)};
  return explained(run, process, ended, std::move(failure));
}

AttemptFailure explained(RunState& run, const ActiveProcess& process, const execute::Ended& ended,
                         AttemptFailure failure) {
  const attempt::FailureClass* known = attempt::find_failure_class(failure.klass);
  const bool may_lack_input = !failure.is_harness() || failure.klass == "cannot_prepare";
  if (!known || !may_lack_input) return failure;
  if (const std::string why = lost_input(run, process); !why.empty())
    return {"input_lost", fmt::format("{}; its input {}", failure.first_line(), why)};
  if (!known->vague) return failure;
  if (const auto machine = attempt::machine_failure(ended))
    return {std::string(machine->failure->name),
            fmt::format("{}; {}", failure.first_line(), machine->message)};
  return failure;
}

AttemptFailure failure_to(std::string_view otherwise, const Error& error) {
  return {std::string(attempt::class_of(error, otherwise)), error.text()};
}

}  // namespace orch::schedule
