#include "run/schedule/retries.hpp"

#include "plan/graph/pruning.hpp"
#include "os/system/kill_point.hpp"

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
  run_.stages[stage].is_tried_again = failure.is_harness();
  run_.stages.set(stage, State::failed, failure.reason());
  if (plan::is_out_of_memory(failure.klass)) prune(stage, failure.klass);
  run_.stages.skip_dependants(stage,
                              fmt::format("{} failed ({})", run_.stage(stage).id, failure.klass));
}

void Retries::prune(Index stage, const std::string& klass) {
  const auto& dependants = run_.graph.dependants[stage];
  // A server that failed under the load of one point says nothing of the others.
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
        run_.stages.set(other, State::failed, plan::pruned_why(run_.plan, small, klass));
      }
}

}  // namespace orch::schedule
