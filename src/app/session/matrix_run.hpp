// One run of a matrix: its store opened, revisions resolved, the plan made and driven, the end
// recorded. `orchestrate run` without the terminal.
#pragma once

#include "app/session/execution.hpp"
#include "app/session/identities/image_digests.hpp"
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
#include <string>
#include <vector>

namespace orch::session {

// Drives a plan to its end in one or two rounds: stages that report facts first where points wait
// for them, then everything else. Knows the journal but no store.

// What a run is driven with. Borrows everything but the last three.
struct Drive {
  World& world;
  Reporter& reporter;
  Planning& planning;
  store::RunJournal& journal;
  schedule::Interrupts& interrupts;
  Execution& execution;
  system::Diagnostics& diagnostics;
  ToolVersions& versions;
  std::ostream* trace = nullptr;                 // see schedule::TracedJournal; null: none
  std::vector<schedule::Unfinished> unfinished;  // attempts that dead runs left
  schedule::Options options;
};

// Drives the plan of `planning` until nothing is left to do. First it adopts or ends what dead runs
// left. While points wait for facts of models, the stages that report these facts run first; then
// the points are planned again, the journal records the new plan, and everything else follows.
Result<schedule::Outcome> drive(Drive drive);

struct RunOptions {
  ExperimentOptions experiment;
  std::string store = "results";  // folder
  plan::Options plan;
  std::size_t jobs = 0;  // tasks at a time; 0: the processors, at most 4
  bool fail_fast = false;
  bool update = false;      // resolve revisions again that are resolved already
  bool wait = false;        // for another run that uses the store
  bool looks_only = false;  // nothing is begun
  bool pull = true;         // images that are not here
  system::LogLevel log_level = system::LogLevel::info;  // of the store's diagnostics
  std::string trace = {};                               // a file for the trace; "": none
  std::vector<std::string> command;                     // for the record
  std::string folder;  // where the command was given, for the record
};

// Expands the points, and appends to ERRORS everything that can be wrong before the store is
// touched. Sorts ERRORS by place.
void check_before_run(Planning& planning, const RunOptions& options, Errors& errors);

// Goes through open(), plan() and drive(), in this order; after one that returned false, errors()
// says why and the run is over.
class MatrixRun {
 public:
  // What a run works with. Borrows everything.
  struct Tools {
    World& world;
    Reporter& reporter;
    schedule::Interrupts& interrupts;
    Planning& planning;
    const RunOptions& options;
  };

  explicit MatrixRun(Tools tools) : tools_(tools) {}

  // Opens the store for writing, and holds what earlier runs left running until plan() and drive()
  // have decided about it.
  bool open();
  // Resolves revisions and makes the plan.
  bool plan();
  // Begins the run in the store, drives the plan and records the outcome.
  bool drive();

  const Errors& errors() const { return errors_; }
  // After drive().
  const schedule::Outcome& outcome() const { return outcome_; }
  std::int64_t id() const { return journal_->run_id(); }
  store::Store& store() { return *store_; }

 private:
  bool check(const Status& status);
  store::Host store_host() const;
  Result<store::Store> open_store() const;
  std::vector<std::string> secrets() const;
  void open_diagnostics();
  Status begin();
  void make_plan();
  void make_plan_once();
  void ask_versions();
  bool ask_servers();
  schedule::Options schedule_options();
  const Experiment& experiment() const { return tools_.planning.experiment(); }

  Tools tools_;
  Errors errors_;
  std::optional<store::Store> store_;
  std::map<std::string, std::string> machine_facts() const;
  std::optional<ToolVersions> versions_;
  std::optional<ImageDigests> images_;
  std::unique_ptr<system::Diagnostics> diagnostics_ = std::make_unique<system::NoDiagnostics>();
  std::vector<schedule::Unfinished> unfinished_;
  Execution execution_;
  std::unique_ptr<store::RunJournal> journal_;
  schedule::Outcome outcome_;
};

}  // namespace orch::session
