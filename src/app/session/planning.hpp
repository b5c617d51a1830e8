// Takes an experiment from text to plan: expands it, plans it against a store, and plans more
// points as facts arrive. Starts nothing and writes nothing.
#pragma once

#include "app/session/experiment.hpp"
#include "app/session/file_facts.hpp"
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
  // All must outlive this. EXPERIMENT may have errors. STORE_FOLDER is where results will be.
  Planning(system::Files& files, const Experiment& experiment, const std::string& store_folder,
           plan::Options options);

  // The running server did not identify itself; see plan::Facts::server_says().
  void mistrust_server(const std::string& question) { facts_.mistrust_server(question); }

  // From now on, plans take the content of STORE into account. It must outlive this.
  void use(store::Store& store);
  // Large inputs are hashed by HOW. If it is stopped, plans have ErrorKind::interrupted.
  void hash_by(system::WatchedHashing how) { facts_.hash_by(std::move(how)); }

  // Versions of programs are queried by ASK; without it, plans have those that the store knows.
  void ask_versions_by(FileFacts::AskVersion ask) { facts_.ask_versions_by(std::move(ask)); }

  // The same for images.
  void ask_images_by(FileFacts::AskImage ask) { facts_.ask_images_by(std::move(ask)); }

  // For estimates of stages that have no recorded times.
  void assume(std::vector<plan::StageTime> times) { options_.times = std::move(times); }

  // Expands the points, once, and appends every error to ERRORS.
  const matrix::Expansion& expand(Errors& errors);
  // Makes points and plan. Facts of models in the store are used immediately.
  void plan(Errors& errors);
  // Updates the plan after stages have run: their outputs are reused, and points whose facts have
  // arrived are planned again.
  void plan_again(Errors& errors);

  // The sources of model facts that no file of the model has confirmed yet; a line per model.
  std::vector<std::string> assumed_facts() const;

  // The names of the stages that report facts of models.
  std::set<std::string> fact_sources() const;
  // Stores the files from which facts of models were read, so that plans know them when the outputs
  // are gone. Needs a store opened for writing.
  Status keep_facts(double now);

  // What POINT fetches: its model, models named by parameters of type model, and its dataset.
  Origins origins_of(const matrix::Point& point) const;

  // Warnings of the expansion and the plan that no earlier call returned. Facts that arrive later
  // cause more.
  std::vector<std::string> new_warnings();

  const Experiment& experiment() const { return experiment_; }
  // For all runners.
  const matrix::Expansion& expansion() const {
    return parts_.size() == 1 ? parts_.front().expansion : together_;
  }
  const plan::Plan& current() const { return plan_; }
  // The differences between the runners of the plan.
  plan::Comparison comparison() const;
  const attempt::Layout& layout() const { return layout_; }
  FileFacts& facts() { return facts_; }

 private:
  // What is known about the points of one runner.
  struct Part {
    const matrix::Share& share;
    const runner::Manifest& manifest;
    matrix::KnownFacts known;
    matrix::Expansion expansion{};
    plan::ChosenPoints chosen{};  // of the latest inputs()
  };

  std::vector<plan::Inputs> inputs(const plan::Done& done);
  void learn_local_models(Part& part, Errors& errors);
  void expand_again(Errors& errors);
  void put_together();
  void refuse_unresolvable(Errors& errors) const;
  void plan_points_again(const plan::Done& done, Errors& errors);
  bool learn_from_stages(const plan::Done& done, Errors& errors);
  bool learn_kept(const plan::Stage& stage, Errors& errors);
  bool learn_from(const plan::Stage& stage, const std::string& folder, Errors& errors);
  // The models of its points, each with its runner.
  std::set<std::pair<std::size_t, std::string>> models_of(const plan::Stage& stage) const;
  void compare_with_catalogue(Part& part, const std::string& model, const std::string& file);
  bool learn(Part& part, const std::string& model, const std::string& file, Errors& errors);
  bool learn(Part& part, const std::string& model, const std::string& file,
             const Result<std::string>& text, Errors& errors);
  plan::Done read_done(Errors& errors);

  system::Files& files_;
  const Experiment& experiment_;
  attempt::Layout layout_;
  store::Store* store_ = nullptr;
  plan::Options options_;
  FileFacts facts_;
  std::vector<Part> parts_;  // as the experiment's shares, which are the runners of the plan
  matrix::Expansion together_;
  bool expanded_ = false;
  std::set<std::string> returned_warnings_;
  std::vector<std::string> contradictions_;  // of the catalogue by a model's own file
  bool is_contradicted_ = false;             // since the plan was made
  plan::Plan plan_;
  // As of the first plan: a failure in this run does not change the status of later plans.
  std::map<Digest, plan::FailedBefore> failed_before_;
};

// What a user requests of a run.
struct RunOptions {
  ExperimentOptions experiment;
  std::string store = "results";  // folder
  plan::Options plan;
  std::size_t jobs = 0;  // tasks at a time; 0: the processors, at most 4
  bool fail_fast = false;
  bool update = false;      // resolve revisions again that are already resolved
  bool wait = false;        // for another run that uses the store
  bool looks_only = false;  // nothing is started
  bool pull = true;         // missing images
  system::LogLevel log_level = system::LogLevel::info;  // of the store's diagnostics
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
