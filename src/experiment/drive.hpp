// Drives a plan to its end in one or two rounds: stages that report facts first where points wait
// for them, then everything else. Knows the journal but no store.
#pragma once

#include "experiment/planning.hpp"
#include "experiment/reporter.hpp"
#include "experiment/identities/tool_versions.hpp"
#include "experiment/world.hpp"
#include "schedule/scheduler.hpp"
#include "schedule/unfinished.hpp"
#include "store/run_journal.hpp"
#include "system/diagnostics.hpp"

#include <vector>

namespace orch::experiment {

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
  bool on_cluster = false;                       // EXECUTOR is that of a cluster
  std::vector<schedule::Unfinished> unfinished;  // attempts that dead runs left
  schedule::Options options;
};

// Drives the plan of `planning` until nothing is left to do. First it adopts or ends what dead runs
// left. While points wait for facts of models, the stages that report these facts run first; then
// the points are planned again, the journal records the new plan, and everything else follows.
Result<schedule::Outcome> drive(Drive drive);

}  // namespace orch::experiment
