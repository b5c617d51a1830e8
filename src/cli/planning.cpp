#include "cli/planning.hpp"

#include "cli/version.hpp"

namespace orch::cli {

namespace {

constexpr std::string_view k_local = "local:";

}  // namespace

plan::Provenance provenance_of(std::map<std::string, std::string> machine_facts, const std::string& version) {
  machine_facts.erase("boot_id");     // new with every start, and of no meaning
  machine_facts.erase("memory_gib");  // moves with the kernel
  machine_facts["orchestrate"] = version;
  return machine_facts;
}

Planning::Planning(system::Files& files, const Experiment& experiment, const std::string& store_folder, plan::Options options)
    : files_(files), experiment_(experiment), layout_(layout_of(experiment, store_folder)), options_(std::move(options)), facts_(files, layout_, experiment.host) {
  known_.host = experiment.host.facts;
}

void Planning::use(store::Store& store) {
  store_ = &store;
  layout_.store = store.layout().root.string();
  facts_.use(store);
}

const matrix::Expansion& Planning::expand(Errors& errors) {
  if (expanded_ || !experiment_.manifest) return expansion_;
  expanded_ = true;
  learn_local_models(errors);
  expand_again(errors);
  return expansion_;
}

void Planning::expand_again(Errors& errors) {
  expansion_ = matrix::expand(experiment_.matrix, experiment_.manifest->vocabulary(), known_, errors, {.where = experiment_.options.where});
}

void Planning::plan(Errors& errors) {
  expand(errors);
  if (!errors.empty()) return;
  plan_ = plan::make_plan(experiment_.matrix, expansion_, *experiment_.manifest, facts_, done(errors), options_, errors);
  // What the store holds may tell more, and what that tells may be held too.
  while (errors.empty() && plan_again(errors)) {}
}

bool Planning::plan_again(Errors& errors) {
  if (!learn_from_stages(errors) || !errors.empty()) return false;
  expand_again(errors);
  if (!errors.empty()) return false;
  plan::plan_again(plan_, experiment_.matrix, expansion_, *experiment_.manifest, facts_, done(errors), options_, errors);
  return errors.empty();
}

plan::Done Planning::done(Errors& errors) {
  plan::Done done;
  if (store_) {
    auto held = store_->done();
    if (held) done = std::move(*held);
    else errors.push_back(held.error());
  }
  done.provenance = provenance_of(experiment_.machine.facts(), k_version);
  return done;
}

void Planning::learn_local_models(Errors& errors) {
  const auto& source = experiment_.manifest->fact_source;
  if (!source) return;
  for (const auto& [name, model] : experiment_.matrix.models)
    if (model.source.starts_with(k_local)) learn(name, model.source.substr(k_local.size()) + "/" + source->file, errors);
}

// Of every model whose fact-telling stage has its output in the store.
bool Planning::learn_from_stages(Errors& errors) {
  const auto& source = experiment_.manifest->fact_source;
  if (!source) return false;
  bool learned = false;
  const plan::Done held = done(errors);
  for (const plan::Stage& stage : plan_.stages) {
    if (stage.spec.name != source->stage || stage.points.empty()) continue;
    const std::string& model = plan_.points[stage.points.front()].point.model;
    if (!stage.provided.empty()) learned = learn(model, stage.provided + "/" + source->file, errors) || learned;
    else if (held.made.contains(stage.digest)) learned = learn(model, layout_.artifact_out(stage.id) + "/" + source->file, errors) || learned;
  }
  return learned;
}

// True: FILE told something new.
bool Planning::learn(const std::string& model, const std::string& file, Errors& errors) {
  if (model.empty() || known_.models[model].complete || !files_.exists(file)) return false;
  const auto text = files_.read_text(file, YamlLimits{}.bytes);
  const auto facts = text ? matrix::read_model_facts(experiment_.manifest->model_facts, *text, file) : Result<matrix::ModelFacts>(text.error());
  if (!facts) return errors.push_back(facts.error()), false;
  known_.models[model] = *facts;
  known_.models[model].complete = true;
  return true;
}

}  // namespace orch::cli
