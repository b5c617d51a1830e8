#include "schedule/retries.hpp"

#include "system/kill_point.hpp"

#include <cmath>

namespace orch::schedule {

int& Retries::harness_failures(Index stage) {
  std::optional<int>& failures = run_.stages[stage].harness_failures;
  if (!failures) failures = run_.tools.journal.failures_so_far(run_.stage(stage).id);
  return *failures;
}

void Retries::failed(Index stage, const AttemptFailure& failure) {
  if (failure.kind() == attempt::FailureKind::system) return give_up(stage, failure);
  const attempt::Backoff& backoff = run_.options.backoff;
  const int failures = ++harness_failures(stage);
  // A lost input is made again by the next run, which plans the stage that makes it.
  const bool in_vain = failure.klass == "input_lost" || run_.stages.draining();
  if (failures >= backoff.most_failures || in_vain) return give_up(stage, failure);
  const double delay_s =
      std::max(backoff.delay_s(failures, run_.tools.random()), failure.retry_after_s.value_or(0));
  run_.stages.postpone(stage, run_.now() + delay_s,
                       fmt::format("{}; try {} of {} in {:.0f} s", failure.reason(), failures + 1,
                                   backoff.most_failures, std::ceil(delay_s)));
  run_.log.after_commit([] { system::kill_point("retry-recorded"); });
}

void Retries::give_up(Index stage, const AttemptFailure& failure) {
  ++failed_by_class_[failure.klass];
  run_.stages.set(stage, State::failed, failure.reason());
  run_.stages.skip_dependants(stage,
                              fmt::format("{} failed ({})", run_.stage(stage).id, failure.klass));
}

}  // namespace orch::schedule
