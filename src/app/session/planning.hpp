// Takes an experiment from text to plan: expands it, plans it against a store, and plans more
// points as facts arrive.
#pragma once

#include "app/session/experiment.hpp"
#include "app/session/file_facts.hpp"
#include "app/session/learned_facts.hpp"
#include "app/session/world.hpp"
#include "os/system/diagnostics.hpp"
#include "plan/graph/comparison.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/store.hpp"
#include "spec/matrix/expand.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::session {

class Planning {
 public:
  // FILES and EXPERIMENT must outlive this. EXPERIMENT may have errors. STORE_FOLDER is the future
  // folder of the results.
  Planning(system::Files& files, const Experiment& experiment, const std::string& store_folder,
           plan::Options options);

  // Makes later plans use the content of STORE, which must outlive this.
  void use(store::Store& store);
  // The facts from which plans are made. If the hashing of inputs is stopped, planning fails with
  // ErrorKind::interrupted.
  FileFacts& facts() { return facts_; }

  // Sets the times of stages that have no recorded times, for estimates.
  void assume(std::vector<plan::StageTime> times) { options_.times = std::move(times); }

  // Expands the points, once, and appends every error to ERRORS.
  const matrix::Expansion& expand(Errors& errors);
  // Makes the points and the plan. Facts of models that the store has are used immediately.
  void plan(Errors& errors);
  // Updates the plan after stages have run: their outputs are reused, and points whose facts have
  // arrived are planned again.
  void plan_again(Errors& errors);

  // See LearnedFacts.
  std::vector<std::string> assumed_facts() const { return learned_.assumed(plan_); }
  std::set<std::string> fact_sources() const { return learned_.sources(); }
  Status keep_facts(double now) { return learned_.keep(plan_, now); }

  // The origins that POINT fetches: its model, models named by parameters of type model, and its
  // dataset.
  Origins origins_of(const matrix::Point& point) const;

  // The warnings of the site, the expansion and the plan that no earlier call returned. Facts that
  // arrive later may cause more.
  std::vector<std::string> new_warnings();

  const Experiment& experiment() const { return experiment_; }
  // The expansion for all runners.
  const matrix::Expansion& expansion() const {
    return parts_.size() == 1 ? parts_.front().expansion : together_;
  }
  const plan::Plan& current() const { return plan_; }
  // The differences between the runners of the plan.
  plan::Comparison comparison() const;
  const attempt::Layout& layout() const { return layout_; }

 private:
  // The points of one runner.
  struct Part {
    const matrix::Share& share;
    const runner::Manifest& manifest;
    matrix::Expansion expansion{};
  };

  std::vector<plan::Inputs> inputs(const plan::Done& done);
  void expand_again(Errors& errors);
  void put_together();
  void refuse_unresolvable(Errors& errors) const;
  void plan_points_again(const plan::Done& done, Errors& errors);
  plan::Done read_done(Errors& errors);

  const Experiment& experiment_;
  attempt::Layout layout_;
  store::Store* store_ = nullptr;
  plan::Options options_;
  FileFacts facts_;
  LearnedFacts learned_;
  // In the order of the experiment's shares, which is that of the plan's runners.
  std::vector<Part> parts_;
  matrix::Expansion together_;
  bool expanded_ = false;
  std::set<std::string> returned_warnings_;
  plan::Plan plan_;
  // The failures of the first plan, kept so that a failure in this run does not change the status
  // of stages in later plans.
  std::map<Digest, plan::FailedBefore> failed_before_;
};

// The user's options for a run.
struct RunOptions {
  ExperimentOptions experiment;
  std::string store = "results";  // folder
  plan::Options plan;
  std::size_t jobs = 0;  // --jobs; 0: its default
  bool fail_fast = false;
  bool update = false;      // resolve revisions again that are already resolved
  bool wait = false;        // wait for another run that uses the store
  bool looks_only = false;  // start nothing
  bool pull = true;         // pull missing images
  system::LogLevel log_level = system::LogLevel::info;  // the level of the store's diagnostics
  std::string trace = {};                               // a file for the trace; "": none
  std::vector<std::string> command;                     // for the record
  std::string folder;  // the working directory of the command, for the record
};

// Shared by the steps of a run. Borrows everything.
struct Context {
  World& world;
  Reporter& reporter;
  schedule::Interrupts& interrupts;
  Planning& planning;
  const RunOptions& options;

  const Experiment& experiment() const { return planning.experiment(); }
};

}  // namespace orch::session
