// The state of one run, which the parts of the scheduler share: the tables and the tools, no
// decisions. Private to the scheduler.
#pragma once

#include "run/schedule/active_process.hpp"
#include "run/schedule/commit_log.hpp"
#include "run/schedule/demands.hpp"
#include "run/schedule/expectations.hpp"
#include "run/schedule/file_work.hpp"
#include "run/schedule/graph.hpp"
#include "run/schedule/host_share.hpp"
#include "run/schedule/scheduler.hpp"
#include "run/schedule/server_sessions.hpp"
#include "run/schedule/stage_queue.hpp"
#include "run/schedule/timers.hpp"

namespace orch::schedule {

struct RunState {
  RunState(const plan::Plan& plan, Tools tools, Options options);
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  const plan::Stage& stage(Index i) const { return plan.stages[i]; }
  runner::Kind kind(Index i) const { return stage(i).spec.kind; }
  double now() const { return tools.clock.now_s(); }
  WallTime wall() const { return tools.clock.wall_s(); }
  // The server of SESSION; null when it has none any more.
  ActiveProcess* server_of(const AttemptKey& session);
  // Whether a measurement of SERVER is under way, its outputs included.
  bool is_measured(const ActiveProcess& server) const;
  // Why MEASUREMENT is not repeated on its present server: "restarted, because ..."; "" if it is.
  std::string why_elsewhere(Index measurement) const;
  // The servers of SERVICE, from their intent to their end.
  std::size_t servers_of(Index service) const;
  // What the measurements that SERVICE still has take on one server; negative while it is unknown.
  double measuring_s(Index service) const;
  // What STAGE is expected to take; negative while nothing is known. Of a service: its start.
  double expected_s(Index stage) const;
  // Whether a measurement of STAGE is made beside nothing else.
  bool is_alone(Index stage) const {
    // Elsewhere, the server of a measurement has its node to itself.
    return !options.elsewhere &&
           (plan.isolation == matrix::Isolation::strict || this->stage(stage).alone);
  }
  // Notes that PROCESS works from now on, beside the measurements under way.
  void meet(ActiveProcess& process);
  // A batch may take as long as all its stages together. A task of a cluster waits in a queue, and
  // the cluster ends it.
  double deadline_of(const ActiveProcess& process) const {
    if (options.elsewhere && process.kind == runner::Kind::task) return k_never;
    return process.started_s +
           stage(process.stage()).spec.timeout_s * static_cast<double>(process.members.size());
  }

  const plan::Plan& plan;
  const Tools tools;
  const Options options;
  const Graph graph;
  const Demands demands;
  Expectations expected;
  CommitLog log;
  Timers timers;
  std::set<Index> ended;  // stages that ended since somebody looked
  StageQueue stages;      // notes every move in `log`
  HostShare host;
  ActiveProcesses processes;
  ServerSessions sessions;
  FileWork file_work;  // last: its threads use the others
};

}  // namespace orch::schedule
