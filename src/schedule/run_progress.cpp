#include "schedule/run_progress.hpp"

namespace orch::schedule {

Progress progress_of(const RunState& run) {
  Progress progress{.total = 0,
                    .finished = 0,
                    .failed = run.stages.count(State::failed),
                    .running = {},
                    .left_s = 0};
  for (Index i = 0; i < run.plan.stages.size(); ++i) {
    if (!run.stages.in_run(i)) continue;
    ++progress.total;
    if (is_final(run.stages.get(i))) ++progress.finished;
    else if (const double left_s = run.expected.of(run.stage(i).spec.name); left_s >= 0)
      progress.left_s += left_s;
  }
  const double now_s = run.now();
  for (const auto& [token, process] : run.processes) {
    const double for_s = now_s - process.started_s;
    for (const ActiveProcess::Member& member : process.members)
      progress.running.push_back({run.stage(member.stage).id, run.stages.get(member.stage), for_s});
    const double expected_s = run.expected.of(run.stage(process.stage()).spec.name);
    progress.left_s -= std::min(for_s, std::max(0.0, expected_s));
  }
  if (progress.left_s <= 0) progress.left_s = -1;
  return progress;
}

}  // namespace orch::schedule
