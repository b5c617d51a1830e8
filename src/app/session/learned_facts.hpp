// The known facts about the models of an experiment, for each of its runners: from local folders,
// outputs of stages and the runner's catalogue.
#pragma once

#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/store.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::session {

class LearnedFacts {
 public:
  // The arguments must outlive this. Begins with the facts of the host and of the catalogues.
  // LAYOUT is that of the store whose outputs are read.
  LearnedFacts(system::Files& files, const attempt::Layout& layout, const Experiment& experiment);

  // Makes later calls use STORE, which must outlive this.
  void use(store::Store& store) { store_ = &store; }

  // The facts known to the runner of the share with index SHARE.
  const matrix::KnownFacts& of(std::size_t share) const { return known_[share]; }
  // The names of the stages that report facts of models.
  std::set<std::string> sources() const;

  // Reads the facts of models in local folders.
  void learn_local(Errors& errors);
  // Reads the facts of every model whose fact stage in PLAN has its output, or the files kept from
  // it, in the store. Returns whether any fact is new.
  bool learn(const plan::Plan& plan, const plan::Done& done, Errors& errors);
  // Whether a file has contradicted the catalogue since the last call; if so, points that the
  // catalogue decided must be decided again.
  bool take_contradiction() { return std::exchange(is_contradicted_, false); }
  // A warning for each contradiction.
  const std::vector<std::string>& contradictions() const { return contradictions_; }

  // For each model of PLAN whose facts are assumed, because no file of the model has confirmed them
  // yet: a line about their source.
  std::vector<std::string> assumed(const plan::Plan& plan) const;
  // Stores the files from which facts of models in PLAN were read, so that plans have the facts
  // when the outputs are gone. Needs a store opened for writing.
  Status keep(const plan::Plan& plan, double now);

 private:
  // Models of a stage: pairs of a share's index and a model's name.
  using ShareModels = std::set<std::pair<std::size_t, std::string>>;

  const runner::Manifest& manifest_of(std::size_t share) const;
  // The models of the points of STAGE if it is the runner's source of facts.
  ShareModels models_of(const plan::Plan& plan, const plan::Stage& stage) const;
  bool learn_kept(const plan::Stage& stage, const ShareModels& models, Errors& errors);
  bool learn_from(const std::string& folder, const ShareModels& models, Errors& errors);
  bool learn_file(std::size_t share, const std::string& model, const std::string& file,
                  Errors& errors);
  bool learn_text(std::size_t share, const std::string& model, const std::string& file,
                  const Result<std::string>& text, Errors& errors);
  void compare_with_catalogue(std::size_t share, const std::string& model, const std::string& file);

  system::Files& files_;
  const attempt::Layout& layout_;
  const Experiment& experiment_;
  store::Store* store_ = nullptr;
  std::vector<matrix::KnownFacts> known_;  // in the order of the experiment's shares
  std::vector<std::string> contradictions_;
  bool is_contradicted_ = false;
};

}  // namespace orch::session
