#include "run/schedule/stopper.hpp"

#include "os/system/kill_point.hpp"

namespace orch::schedule {

namespace {

constexpr double k_grace_s = 10;      // between TERM and KILL for tasks and measurements
constexpr double k_kill_again_s = 1;  // between one KILL and the next

}  // namespace

void Stopper::stop(ActiveProcess& process, AttemptFailure why) {
  if (process.stopped_for) return;
  process.stopped_for = std::move(why);
  if (!process.launched) return;  // there is nothing to signal
  const Index stage = process.stage();
  const bool service = process.kind == runner::Kind::service;
  process.deadline_s = k_never;
  process.kill_at_s = run_.now() + (service ? run_.stage(stage).spec.stop_s : k_grace_s);
  if (service && !process.further && run_.stages.get(stage) != State::stopping)
    run_.stages.set(stage, State::stopping, process.stopped_for->message);
  run_.log.after_commit([this, token = process.token] {
    system::kill_point("stop-recorded");
    run_.tools.executor.terminate(token);
    system::kill_point("term-sent");
  });
}

void Stopper::obey_interrupts() {
  const int asked = run_.tools.interrupts.count();
  if (asked >= 1) {
    run_.stages.drain(
        "interrupted; running stages are finished, a second Ctrl-C ends them, a third kills them");
    for (auto& [token, process] : run_.processes)
      if (process.launched && run_.tools.executor.waits(token))
        stop(process, {"interrupted", "taken out of the queue on request"});
  }
  if (asked >= 2 && obeyed_ < 2)
    for (auto& [token, process] : run_.processes) {
      stop(process, {"interrupted", "ended on request"});
      run_.file_work.stop(token);
    }
  if (asked >= 3 && obeyed_ < 3)
    for (auto& [token, process] : run_.processes) {
      if (process.launched) process.kill_at_s = 0;
      run_.file_work.stop(token);
    }
  obeyed_ = std::max(obeyed_, asked);
  if (run_.options.fail_fast && run_.stages.count(State::failed))
    run_.stages.drain("another stage failed and --fail-fast was given");
}

void Stopper::enforce_deadlines(double heard_s) {
  for (auto& [token, process] : run_.processes) {
    if (!process.launched) continue;
    if (heard_s >= process.deadline_s)
      stop(process, {"timeout", fmt::format("did not end within {:.0f} s",
                                            run_.stage(process.stage()).spec.timeout_s)});
    if (heard_s < process.kill_at_s) continue;
    run_.tools.executor.kill(token);
    system::kill_point("kill-sent");
    process.kill_at_s = run_.now() + k_kill_again_s;
  }
}

}  // namespace orch::schedule
