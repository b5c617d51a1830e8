#include "schedule/status.hpp"

namespace orch::schedule {

Progress progress_of(const plan::Plan& plan, const StageQueue& queue,
                     const std::map<std::string, Active>& active, const Expectations& expected,
                     double now_s) {
  Progress progress{
      .total = 0, .finished = 0, .failed = queue.count(State::failed), .running = {}, .left_s = 0};
  for (Index i = 0; i < plan.stages.size(); ++i) {
    if (!queue.in_run(i)) continue;
    ++progress.total;
    if (is_final(queue.get(i))) ++progress.finished;
    else if (const double left_s = expected.of(plan.stages[i].spec.name); left_s >= 0)
      progress.left_s += left_s;
  }
  for (const auto& [token, one] : active) {
    const double for_s = now_s - one.started_s;
    for (const Active::Member& member : one.members)
      progress.running.push_back({plan.stages[member.stage].id, queue.get(member.stage), for_s});
    progress.left_s -=
        std::min(for_s, std::max(0.0, expected.of(plan.stages[one.first()].spec.name)));
  }
  if (progress.left_s <= 0) progress.left_s = -1;
  return progress;
}

}  // namespace orch::schedule
