// The state of one run, which the parts of the scheduler share: the tables and the tools, no
// decisions. Private to the scheduler.
#pragma once

#include "schedule/active_process.hpp"
#include "schedule/commit_log.hpp"
#include "schedule/expectations.hpp"
#include "schedule/file_work.hpp"
#include "schedule/gpu_slots.hpp"
#include "schedule/graph.hpp"
#include "schedule/scheduler.hpp"
#include "schedule/server_sessions.hpp"
#include "schedule/stage_queue.hpp"
#include "schedule/timers.hpp"

namespace orch::schedule {

struct RunState {
  RunState(const plan::Plan& plan, Tools tools, Options options);
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  const plan::Stage& stage(Index i) const { return plan.stages[i]; }
  runner::Kind kind(Index i) const { return stage(i).spec.kind; }
  double now() const { return tools.clock.now_s(); }
  WallTime wall() const { return tools.clock.wall_s(); }
  // The server that MEASUREMENT runs against; null while there is none.
  ActiveProcess* server_of(Index measurement) {
    return processes.find_any(graph.needs[measurement]);
  }
  // A batch may take as long as all its stages together.
  double deadline_of(const ActiveProcess& process) const {
    return process.started_s +
           stage(process.stage()).spec.timeout_s * static_cast<double>(process.members.size());
  }

  const plan::Plan& plan;
  const Tools tools;
  const Options options;
  const Graph graph;
  Expectations expected;
  CommitLog log;
  Timers timers;
  StageQueue stages;  // notes every move in `log`
  GpuSlots gpus;
  ActiveProcesses processes;
  ServerSessions sessions;
  FileWork file_work;  // last: its threads use the others
};

}  // namespace orch::schedule
