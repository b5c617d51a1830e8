#include "schedule/run_progress.hpp"

namespace orch::schedule {

Progress progress_of(const RunState& run) {
  Progress progress{.total = 0,
                    .finished = 0,
                    .left_out = 0,
                    .failed = run.stages.count(State::failed),
                    .running = {},
                    .left_s = 0};
  for (Index i = 0; i < run.plan.stages.size(); ++i) {
    if (!run.stages.in_run(i)) continue;
    ++progress.total;
    const State state = run.stages.get(i);
    if (state == State::skipped || state == State::cancelled) ++progress.left_out;
    else if (is_final(state)) ++progress.finished;
    else if (const double left_s = run.expected_s(i); left_s >= 0) progress.left_s += left_s;
  }
  const double now_s = run.now();
  for (const auto& [token, process] : run.processes) {
    const double for_s = now_s - process.started_s;
    const system::LongWork* work = run.file_work.find(token);
    for (const ActiveProcess::Member& member : process.members)
      progress.running.push_back({.stage = run.stage(member.stage).id,
                                  .state = run.stages.get(member.stage),
                                  .for_s = for_s,
                                  .done_bytes = work ? work->done_bytes() : 0,
                                  .expected_bytes = work ? work->expected_bytes() : 0,
                                  .where = run.tools.executor.whereabouts(token)});
    progress.left_s -= std::min(for_s, std::max(0.0, run.expected_s(process.stage())));
  }
  if (progress.left_s <= 0) progress.left_s = -1;
  return progress;
}

}  // namespace orch::schedule
