#include "run/schedule/services.hpp"

#include "run/schedule/verdicts.hpp"
#include "os/system/kill_point.hpp"

namespace orch::schedule {

void Services::watch() {
  for (auto& [token, process] : run_.processes) {
    if (process.kind != runner::Kind::service || !process.launched) continue;
    if (process.stopped_for) continue;
    const Index stage = process.stage();
    const bool wanted = run_.stages.still_wanted(stage) && !process.retired;
    if (!process.up && !wanted)
      stopper_.stop(process, process.further || run_.stages.has_served(stage)
                                 ? AttemptFailure{"", "all its measurements are over"}
                             : run_.stages.wanted_later(stage)
                                 ? AttemptFailure{"", "restarted later, when nothing else is left"}
                                 : AttemptFailure{"interrupted", "no stage waits for it any more"});
    else if (!process.up) watch_start(process);
    else if (!wanted && !run_.is_measured(process))
      stopper_.stop(process, {"", run_.stages.wanted_later(stage) && !process.further
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
    // An adopted server that was ready before did not fail to start: it did not survive the death
    // of its run.
    return stopper_.stop(server,
                         {server.was_ready ? "lost" : std::string(report.failure), report.why});
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
    // These classes only say that it ended; when it ended says more.
    if (failure.klass == "exit_status" || failure.klass == "crashed")
      failure.klass = was_starting ? "died_starting" : "server_crash";
    failure.message += was_starting ? " while starting" : " while serving";
    server.stopped_for = failure;
  } else {
    server.stopped_for = explained(run_, server, ended, *server.stopped_for);
  }
  for (auto& [token, other] : run_.processes)
    if (other.further && other.stage() == server.stage()) other.retired = true;
  if (server.stopped_for->klass.empty()) return;
  const AttemptKey& session = server.first().key;
  run_.sessions[session].failure = *server.stopped_for;
  const bool of_stage =
      server.further && server.stopped_for->kind() == attempt::FailureKind::system;
  for (auto& [token, other] : run_.processes)
    if (other.session == session) stopper_.stop(other, *server.stopped_for);
    // The same server, started again: what failed on one is a result of the stage.
    else if (of_stage && !other.further && other.kind == runner::Kind::service &&
             other.stage() == server.stage())
      stopper_.stop(other, *server.stopped_for);
}

}  // namespace orch::schedule
