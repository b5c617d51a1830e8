#include "run/schedule/run_progress.hpp"
#include "core/base/text.hpp"

#include <algorithm>

namespace orch::schedule {

namespace {

// What STAGE will take; 0 where it has no process, negative while nothing is known of it.
double expected_s(const RunState& run, const plan::Stage& stage) {
  if (stage.spec.argv.empty()) return 0;
  const plan::Estimate& estimate = stage.estimate;
  const double estimated_s = estimate.seconds.value_or(-1);
  const double known_s =
      estimate.measured ? estimated_s : run.expected.corrected(stage.spec.name, estimated_s);
  // An open loop lasts at least as long as its schedule.
  return known_s >= 0 ? std::max(known_s, estimate.least_seconds) : known_s;
}

// The time that is left. Tasks run side by side, and those of a batch in one process; servers and
// measurements follow each other, or as many run together as do now.
class Left {
 public:
  explicit Left(const RunState& run) : run_(run) {}

  void add(const plan::Stage& stage) {
    const double seconds = expected_s(run_, stage);
    is_known_ = is_known_ && seconds >= 0;
    if (stage.spec.kind != runner::Kind::task) {
      in_turn_s_ += seconds;
    } else if (stage.spec.batch) {
      batches_s_[stage.spec.name] = std::max(batches_s_[stage.spec.name], seconds);
    } else {
      tasks_s_ += seconds;
      longest_task_s_ = std::max(longest_task_s_, seconds);
      ++tasks_;
    }
  }

  // A process of STAGE runs for FOR_S already.
  void subtract(const plan::Stage& stage, double for_s) {
    const double done_s = std::min(for_s, std::max(0.0, expected_s(run_, stage)));
    (stage.spec.kind == runner::Kind::task ? tasks_s_ : in_turn_s_) -= done_s;
    if (stage.spec.kind == runner::Kind::measure) ++measuring_;
  }

  // Negative: it is not known.
  double seconds() const {
    if (!is_known_) return -1;
    double tasks_s = tasks_s_;
    for (const auto& [name, seconds] : batches_s_) tasks_s += seconds;
    const double side_by_side = static_cast<double>(std::clamp<std::size_t>(
        run_.options.jobs, 1, std::max<std::size_t>(1, tasks_ + batches_s_.size())));
    const double left_s = std::max(tasks_s / side_by_side, std::min(longest_task_s_, tasks_s)) +
                          in_turn_s_ / std::max(1.0, measuring_);
    return left_s > 0 ? left_s : -1;
  }

 private:
  const RunState& run_;
  bool is_known_ = true;
  double tasks_s_ = 0, longest_task_s_ = 0, in_turn_s_ = 0, measuring_ = 0;
  std::size_t tasks_ = 0;
  std::map<std::string, double> batches_s_;  // by stage
};

}  // namespace

Progress progress_of(const RunState& run) {
  Progress progress{.total = 0,
                    .finished = 0,
                    .left_out = 0,
                    .failed = run.stages.count(State::failed),
                    .running = {},
                    .left_s = 0};
  Left left(run);
  for (Index i = 0; i < run.plan.stages.size(); ++i) {
    if (!run.stages.in_run(i)) continue;
    ++progress.total;
    const State state = run.stages.get(i);
    if (state == State::skipped || state == State::cancelled) ++progress.left_out;
    else if (is_final(state)) ++progress.finished;
    else if (run.stage(i).spec.kind != runner::Kind::service || state != State::running)
      left.add(run.stage(i));
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
    if (!process.up && !process.further) left.subtract(run.stage(process.stage()), for_s);
  }
  progress.left_s = left.seconds();
  return progress;
}

}  // namespace orch::schedule
