// One run of a matrix: opens its store, resolves revisions, makes and drives the plan, and records
// the end. `orchestrate run` without the terminal.
#pragma once

#include "app/session/execution.hpp"
#include "app/session/identities/tool_versions.hpp"
#include "app/session/planning.hpp"
#include "app/session/world.hpp"
#include "os/system/diagnostics.hpp"
#include "results/store/run_journal.hpp"
#include "results/store/store.hpp"
#include "run/schedule/journal.hpp"
#include "run/schedule/scheduler.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace orch::session {

// Expands the points and appends to ERRORS every error that can be found before the store is
// opened. Sorts ERRORS by place.
void check_before_run(Planning& planning, const RunOptions& options, Errors& errors);

// A run has three steps, each taking the result of the previous one: open_store(), plan_run() and
// drive(). All borrow what the context refers to, and log their errors if there are diagnostics.

// A store opened for writing, and attempts that earlier runs left running.
struct OpenStore {
  store::Store store;
  std::unique_ptr<system::Diagnostics> diagnostics;  // of the store
  std::vector<schedule::Unfinished> unfinished;      // held until drive() decides about it
  Execution execution;                               // has no executor if nothing is to be started
};

// Opens the store. Fails with a conflict if another run writes to it.
Result<OpenStore> open_store(const Context& context);

// The context's planning has a plan based on the store's content.
struct PlannedRun {
  OpenStore& open;  // borrowed
  // Shared with the planning, which queries more versions as facts arrive.
  std::shared_ptr<ToolVersions> versions;
};

// Resolves revisions and makes the plan. nullopt: see ERRORS. OPEN must outlive the result and the
// planning's use of the store.
std::optional<PlannedRun> plan_run(const Context& context, OpenStore& open, Errors& errors);

// A finished run.
struct FinishedRun {
  std::int64_t id = 0;
  schedule::Outcome outcome;
};

// Begins the run in the store, drives the plan and records the outcome.
Result<FinishedRun> drive(const Context& context, PlannedRun& run);

// Drives a plan to its end in one or two rounds: if points wait for facts, the stages that report
// them run first, then everything else. Knows the journal but no store.

// The inputs of drive_rounds(). Borrows everything except the last three.
struct Drive {
  const Context& context;
  store::RunJournal& journal;
  Execution& execution;
  system::Diagnostics& diagnostics;
  ToolVersions& versions;
  std::ostream* trace = nullptr;                 // see schedule::TracedJournal; null: none
  std::vector<schedule::Unfinished> unfinished;  // attempts left by dead runs
  schedule::Options options;
};

// Drives the plan of `planning` until nothing is left to do. First adopts or ends what dead runs
// left. If points wait for facts of models, the stages that report these facts run first; then the
// points are planned again, the journal records the new plan, and everything else runs.
Result<schedule::Outcome> drive_rounds(Drive drive);

}  // namespace orch::session
