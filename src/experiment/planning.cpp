#include "experiment/planning.hpp"

#include "base/version.hpp"
#include "matrix/source.hpp"

#include <algorithm>
#include <filesystem>

namespace orch::experiment {

namespace {

std::string folder_of(const std::string& file) {
  std::error_code code;
  return std::filesystem::absolute(file, code).parent_path().string();
}

// Whether MODEL states every fact of FACTS, in the matrix.
bool states_all(const matrix::Model& model, const std::map<std::string, matrix::Value>& facts) {
  return std::all_of(facts.begin(), facts.end(), [&](const auto& fact) {
    return std::any_of(model.facts.begin(), model.facts.end(), [&](const auto& stated) {
      return stated.first == fact.first || "model_" + stated.first == fact.first;
    });
  });
}

}  // namespace

Planning::Planning(system::Files& files, const Experiment& experiment,
                   const std::string& store_folder, plan::Options options)
    : files_(files),
      experiment_(experiment),
      layout_(layout_of(experiment, store_folder)),
      options_(std::move(options)),
      facts_(files, layout_, experiment.host, folder_of(experiment.options.matrix_file)) {
  known_.host = experiment.host.facts;
  if (!experiment.manifest) return;
  const runner::KnownModels& catalogue = experiment.manifest->known_models;
  for (const auto& [name, model] : experiment.matrix.models)
    if (const auto facts = catalogue.find(model.source); facts != catalogue.end())
      known_.catalogue[name] = facts->second;
}

void Planning::use(store::Store& store) {
  store_ = &store;
  layout_.store = store.layout().root.string();
  facts_.use(store);
}

plan::Inputs Planning::inputs(const plan::Done& done) {
  return {.matrix = experiment_.matrix,
          .expansion = expansion_,
          .manifest = *experiment_.manifest,
          .facts = facts_,
          .done = done,
          .options = options_};
}

const matrix::Expansion& Planning::expand(Errors& errors) {
  if (expanded_ || !experiment_.manifest) return expansion_;
  expanded_ = true;
  learn_local_models(errors);
  expand_again(errors);
  return expansion_;
}

// Without a resolver of the runner a mutable revision can never be resolved.
void Planning::refuse_unresolvable(Errors& errors) const {
  std::set<std::string> used, unknown;
  for (const plan::PlannedPoint& point : plan_.points)
    if (point.status != plan::Status::reject) used.merge(models_of(point.point));
  for (const plan::Stage& stage : plan_.stages)
    unknown.insert(stage.unknown.begin(), stage.unknown.end());
  for (const auto& [name, model] : experiment_.matrix.models) {
    const std::string written =
        model.revision.empty() ? model.source : model.source + "@" + model.revision;
    if (!used.contains(name) || !unknown.contains(written)) continue;
    if (experiment_.manifest->resolver_of(model.source)) continue;
    errors.push_back(invalid(
        fmt::format("model '{}': runner '{}' has no resolver for {}; write revision: COMMIT, or "
                    "local:PATH",
                    name, experiment_.manifest->name,
                    matrix::mutable_revision(model.source, model.revision)),
        model.where));
  }
}

void Planning::expand_again(Errors& errors) {
  expansion_ = matrix::expand(experiment_.matrix, experiment_.manifest->vocabulary(), known_,
                              errors, {.where = experiment_.options.where});
}

std::set<std::string> Planning::models_of(const matrix::Point& point) const {
  std::set<std::string> models = {point.model};
  for (const matrix::Parameter& parameter : experiment_.manifest->parameters)
    if (const matrix::Value* name = point.parameters.find(parameter.name);
        name && parameter.is_model)
      models.insert(name->text);
  return models;
}

std::vector<std::string> Planning::new_warnings() {
  std::vector<std::string> fresh;
  for (const std::string& warning : experiment_.warnings)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  for (const std::string& warning : contradictions_)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  for (const std::string& warning : expansion_.warnings)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  for (const std::string& warning : plan_.warnings)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  return fresh;
}

void Planning::plan(Errors& errors) {
  expand(errors);
  if (!errors.empty()) return;
  facts_.forget_sources();
  const plan::Done held = read_done(errors);
  failed_before_ = held.failed;
  plan_ = plan::make_plan(inputs(held), errors);
  // Facts that the store holds decide further points, whose stages may hold further facts.
  while (errors.empty() && learn_from_stages(held, errors)) plan_points_again(held, errors);
  if (errors.empty()) refuse_unresolvable(errors);
}

void Planning::plan_again(Errors& errors) {
  plan::Done held = read_done(errors);
  held.failed = failed_before_;
  do {
    learn_from_stages(held, errors);
    if (errors.empty()) plan_points_again(held, errors);
  } while (errors.empty() && learn_from_stages(held, errors));
}

void Planning::plan_points_again(const plan::Done& done, Errors& errors) {
  expand_again(errors);
  if (!errors.empty()) return;
  // Points that the catalogue decided may have to be decided anew.
  if (std::exchange(is_contradicted_, false)) plan_ = plan::make_plan(inputs(done), errors);
  else plan::plan_again(plan_, inputs(done), errors);
}

plan::Done Planning::read_done(Errors& errors) {
  plan::Done done;
  if (store_) {
    auto held = store_->done();
    if (held) done = std::move(*held);
    else errors.push_back(held.error());
  }
  // Stages of different runners are unrelated even where their names agree.
  std::erase_if(done.earlier, [&](const plan::Earlier& earlier) {
    return earlier.runner != experiment_.matrix.runner;
  });
  done.provenance = store::provenance_of(experiment_.machine.facts(), k_version);
  return done;
}

void Planning::learn_local_models(Errors& errors) {
  const auto& source = experiment_.manifest->fact_source;
  if (!source) return;
  for (const auto& [name, model] : experiment_.matrix.models)
    if (const auto path = matrix::local_source_path(model.source))
      learn(name, *path + "/" + source->file, errors);
}

// Reads the facts of every model whose fact stage has its output in the store. Returns whether any
// was new.
bool Planning::learn_from_stages(const plan::Done& done, Errors& errors) {
  const auto& source = experiment_.manifest->fact_source;
  if (!source) return false;
  bool learned = false;
  for (const plan::Stage& stage : plan_.stages) {
    if (stage.spec.name != source->stage || stage.points.empty()) continue;
    std::string folder = stage.provided;
    if (folder.empty() && done.made.contains(stage.digest)) folder = layout_.artifact_out(stage.id);
    if (folder.empty()) continue;
    std::set<std::string> models;  // several may share a source or a provided output
    for (const std::size_t point : stage.points) models.insert(plan_.points[point].point.model);
    for (const std::string& model : models)
      learned = learn(model, folder + "/" + source->file, errors) || learned;
  }
  return learned;
}

// Reads the facts of MODEL from FILE. Returns whether they were new.
bool Planning::learn(const std::string& model, const std::string& file, Errors& errors) {
  if (model.empty() || known_.models[model].complete || !files_.exists(file)) return false;
  const auto text = files_.read_text(file, YamlLimits{}.bytes);
  const auto facts = text ? matrix::read_model_facts(experiment_.manifest->model_facts, *text, file)
                          : Result<matrix::ModelFacts>(text.error());
  if (!facts) return errors.push_back(facts.error()), false;
  known_.models[model] = *facts;
  known_.models[model].complete = true;
  compare_with_catalogue(model, file);
  return true;
}

// FILE has been read, and counts.
void Planning::compare_with_catalogue(const std::string& model, const std::string& file) {
  const auto known = known_.catalogue.find(model);
  if (known == known_.catalogue.end()) return;
  std::vector<std::string> differences;
  for (const matrix::ModelFact& fact : experiment_.manifest->model_facts) {
    const auto value_in = [&](const std::map<std::string, matrix::Value>& values) {
      const auto value = values.find(fact.column.name);
      if (value != values.end()) return value->second.text;
      return fact.absent ? fact.absent->text : std::string("nothing");
    };
    const std::string assumed = value_in(known->second),
                      read = value_in(known_.models[model].values);
    if (assumed != read)
      differences.push_back(
          fmt::format("{} is {}, not {}", fact.column.name, printable(read), assumed));
  }
  if (differences.empty()) return;
  is_contradicted_ = true;
  contradictions_.push_back(
      fmt::format("model {}: {} differs from what runner '{}' knows of {}: {}; the file counts, "
                  "and points were "
                  "planned again",
                  quoted(model), file, experiment_.manifest->name,
                  experiment_.matrix.models.at(model).source, join(differences, "; ")));
}

std::vector<std::string> Planning::assumed_facts() const {
  std::vector<std::string> lines;
  std::set<std::string> used;
  for (const plan::PlannedPoint& point : plan_.points) used.insert(point.point.model);
  for (const auto& [name, facts] : known_.catalogue) {
    const auto read = known_.models.find(name);
    if (!used.contains(name) || (read != known_.models.end() && read->second.complete)) continue;
    const matrix::Model& model = experiment_.matrix.models.at(name);
    if (states_all(model, facts)) continue;
    lines.push_back(fmt::format(
        "facts of model {} are those that runner '{}' knows of {}{}; `run` compares them with its "
        "{} before anything is made",
        quoted(name), experiment_.manifest->name, model.source,
        model.facts.empty() ? "" : ", and those that the matrix states",
        experiment_.manifest->fact_source->file));
  }
  return lines;
}

}  // namespace orch::experiment
