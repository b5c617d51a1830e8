// One run of a matrix: opens the store, resolves revisions, makes and drives the plan, and records
// the end. This is `orchestrate run` without the terminal.
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
// drive(). All three borrow what the context refers to, and write their errors to the diagnostics
// if there are any.

// A store opened for writing, and the attempts that earlier runs left without an end.
struct OpenStore {
  store::Store store;
  std::unique_ptr<system::Diagnostics> diagnostics;  // of the store
  std::vector<schedule::Unfinished> unfinished;      // held until drive() decides about them
  // Without an executor if nothing is to be started.
  Execution execution;
};

// Opens the store. Fails with a conflict if another run writes to it.
Result<OpenStore> open_store(const Context& context);

// The state after plan_run(): the context's planning has a plan based on the store's content.
struct PlannedRun {
  OpenStore& open;  // borrowed
  // Shared with the planning, which queries more versions as facts arrive.
  std::shared_ptr<ToolVersions> versions;
};

// Resolves revisions and makes the plan. nullopt: there are ERRORS. OPEN must outlive the result
// and the planning, which uses its store.
std::optional<PlannedRun> plan_run(const Context& context, OpenStore& open, Errors& errors);

// A finished run.
struct FinishedRun {
  std::int64_t id = 0;
  schedule::Outcome outcome;
};

// Begins the run in the store, drives the plan and records the outcome.
Result<FinishedRun> drive(const Context& context, PlannedRun& run);

// Drives a plan to its end in one or two rounds: if points wait for facts, the stages that report
// the facts run first, then everything else.

// The inputs of drive_rounds(). Borrows everything except the last two.
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

// Drives the plan of the context's planning until nothing is left to do. First adopts or ends the
// processes that dead runs left. Between the two rounds, the points are planned again and the
// journal records the new plan.
Result<schedule::Outcome> drive_rounds(Drive drive);

}  // namespace orch::session
