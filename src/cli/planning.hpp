// An experiment on its way from text to plan: expanded, planned against a store, and planned
// further as facts arrive.
#pragma once

#include "cli/experiment.hpp"
#include "cli/facts.hpp"
#include "matrix/expand.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"

#include <optional>
#include <set>
#include <string>

namespace orch::cli {

// --until, --retry-failed, --refresh
void add_plan_options(CLI::App& command, plan::Options& options);

class Planning {
 public:
  // All must outlive this. EXPERIMENT may have been read with errors. STORE_FOLDER is where results
  // will be.
  Planning(system::Files& files, const Experiment& experiment, const std::string& store_folder,
           plan::Options options);

  // From now on what STORE holds counts.
  void use(store::Store& store);

  // Points alone, with every error that can be told. Appended to ERRORS; those of the texts are
  // there already. Once.
  const matrix::Expansion& expand(Errors& errors);
  // Points and plan. What the store knows of models counts already.
  void plan(Errors& errors);
  // After stages were made: stages that were made meanwhile count as made, and points whose facts
  // have arrived are planned again.
  void plan_again(Errors& errors);

  const matrix::Expansion& expansion() const { return expansion_; }
  // Those of the expansion and the plan that were not given before: facts that arrive bring out
  // more.
  std::vector<std::string> new_warnings();
  const plan::Plan& current() const { return plan_; }
  const attempt::Layout& layout() const { return layout_; }
  const FileFacts& facts() const { return facts_; }

 private:
  void learn_local_models(Errors& errors);
  void expand_again(Errors& errors);
  void refuse_unresolvable(Errors& errors) const;
  void plan_points_again(const plan::Done& held, Errors& errors);
  bool learn_from_stages(const plan::Done& held, Errors& errors);
  bool learn(const std::string& model, const std::string& file, Errors& errors);
  plan::Done done(Errors& errors);

  system::Files& files_;
  const Experiment& experiment_;
  attempt::Layout layout_;
  store::Store* store_ = nullptr;
  plan::Options options_;
  FileFacts facts_;
  matrix::KnownFacts known_;
  matrix::Expansion expansion_;
  bool expanded_ = false;
  std::set<std::string> warnings_given_;
  plan::Plan plan_;
  std::map<Digest, plan::FailedBefore> failed_before_;
};

}  // namespace orch::cli
