// Drives a plan to its end in one or two rounds: stages that report facts first where points wait
// for them, then everything else. Knows the journal but no store.
#pragma once

#include "app/session/planning.hpp"
#include "app/session/reporter.hpp"
#include "app/session/identities/tool_versions.hpp"
#include "app/session/world.hpp"
#include "run/schedule/scheduler.hpp"
#include "run/schedule/unfinished.hpp"
#include "results/store/run_journal.hpp"
#include "os/system/diagnostics.hpp"

#include <ostream>
#include <vector>

namespace orch::session {

// What a run is driven with. Borrows everything but the last three.
struct Drive {
  World& world;
  Reporter& reporter;
  Planning& planning;
  store::RunJournal& journal;
  schedule::Interrupts& interrupts;
  execute::Executor& executor;
  system::Diagnostics& diagnostics;
  ToolVersions& versions;
  std::ostream* trace = nullptr;                 // see schedule::TracedJournal; null: none
  bool on_cluster = false;                       // EXECUTOR is that of a cluster
  std::vector<schedule::Unfinished> unfinished;  // attempts that dead runs left
  schedule::Options options;
};

// Drives the plan of `planning` until nothing is left to do. First it adopts or ends what dead runs
// left. While points wait for facts of models, the stages that report these facts run first; then
// the points are planned again, the journal records the new plan, and everything else follows.
Result<schedule::Outcome> drive(Drive drive);

}  // namespace orch::session
