#include "run/schedule/services.hpp"

#include "os/system/kill_point.hpp"
#include "run/schedule/retries.hpp"

namespace orch::schedule {

namespace {

constexpr double k_grace_s = 10;      // between TERM and KILL for tasks and measurements
constexpr double k_kill_again_s = 1;  // between one KILL and the next

}  // namespace

void Stopper::stop(ActiveProcess& process, AttemptFailure why) {
  if (process.stopped_for) return;
  process.stopped_for = std::move(why);
  if (!process.launched) return;  // there is no process to signal
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
        stop(process, {FailureClass::interrupted, "taken out of the queue on request"});
  }
  if (asked >= 2 && obeyed_ < 2)
    for (auto& [token, process] : run_.processes) {
      stop(process, {FailureClass::interrupted, "ended on request"});
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
      stop(process,
           {FailureClass::timeout, fmt::format("did not end within {:.0f} s",
                                               run_.stage(process.stage()).spec.timeout_s)});
    if (heard_s < process.kill_at_s) continue;
    run_.tools.executor.kill(token);
    system::kill_point("kill-sent");
    process.kill_at_s = run_.now() + k_kill_again_s;
  }
}

void Services::watch() {
  for (auto& [token, process] : run_.processes) {
    if (process.kind != runner::Kind::service || !process.launched) continue;
    if (process.stopped_for) continue;
    const Index stage = process.stage();
    const bool wanted = run_.service_use.is_wanted(stage) && !process.retired;
    if (!process.up && !wanted)
      stopper_.stop(
          process,
          process.further || run_.service_use.has_served(stage)
              ? AttemptFailure{std::nullopt, "all its measurements are over"}
          : run_.service_use.is_wanted_later(stage)
              ? AttemptFailure{std::nullopt, "restarted later, when nothing else is left"}
              : AttemptFailure{FailureClass::interrupted, "no stage waits for it any more"});
    else if (!process.up) watch_start(process);
    else if (!wanted && !run_.is_measured(process))
      stopper_.stop(process,
                    {std::nullopt, run_.service_use.is_wanted_later(stage) && !process.further
                                       ? "restarted later, when nothing else is left"
                                       : "all its measurements are over"});
  }
  run_.stages.settle();
}

void Services::watch_start(ActiveProcess& server) {
  const attempt::HealthReport report = run_.tools.readiness.report(server.token);
  if (report.health == attempt::Health::pending) return;
  run_.tools.readiness.forget(server.token);
  if (report.health == attempt::Health::failed) {
    // An adopted server that had been ready did not fail to start; it did not survive the death of
    // its run.
    return stopper_.stop(server,
                         {server.was_ready ? FailureClass::lost : report.failure, report.why});
  }
  system::kill_point("server-ready");
  const double start_s = report.start_s.value_or(run_.now() - server.started_s);
  if (!server.was_ready) {
    run_.log.note(ServiceReady{server.first().key, start_s, run_.wall()});
    const plan::Stage& service = run_.stage(server.stage());
    run_.expected.learn(service.spec.name, start_s, service.estimate.seconds.value_or(-1));
  }
  server.up = true;
  if (server.further) return;
  run_.stages.set(server.stage(), State::running, server.adopted ? "ready, taken over" : "ready");
}

void Services::ended(ActiveProcess& server, const execute::Ended& ended) {
  run_.tools.readiness.forget(server.token);
  if (!server.stopped_for) {
    const bool was_starting = !server.up;
    AttemptFailure failure = failure_of(run_, server, ended);
    // These classes state only that the server ended; the time of its end says more.
    if (failure.failure_class == FailureClass::exit_status ||
        failure.failure_class == FailureClass::crashed)
      failure.failure_class =
          was_starting ? FailureClass::died_starting : FailureClass::server_crash;
    failure.message += was_starting ? " while starting" : " while serving";
    server.stopped_for = failure;
  } else {
    server.stopped_for = explained(run_, server, ended, *server.stopped_for);
  }
  for (auto& [token, other] : run_.processes)
    if (other.further && other.stage() == server.stage()) other.retired = true;
  if (!server.stopped_for->failure_class) return;
  const AttemptKey& session = server.first().key;
  run_.sessions[session].failure = *server.stopped_for;
  const bool of_stage =
      server.further && server.stopped_for->kind() == attempt::FailureKind::system;
  for (auto& [token, other] : run_.processes)
    if (other.session == session) stopper_.stop(other, *server.stopped_for);
    // The first server of the replica's stage is stopped as well: a failure of the system is a
    // result of the stage.
    else if (of_stage && !other.further && other.kind == runner::Kind::service &&
             other.stage() == server.stage())
      stopper_.stop(other, *server.stopped_for);
}

}  // namespace orch::schedule
