#include "app/session/learned_facts.hpp"

#include "app/session/identities/tool_versions.hpp"
#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::session {

namespace {

// The `kind` under which the store keeps files of facts; kept_name() is the name of FILE of STAGE.
constexpr const char* k_fact_file = "fact file";
std::string kept_name(const plan::Stage& stage, const std::string& file) {
  return stage.digest.hex() + "/" + file;
}

// Whether MODEL, in the matrix, states every fact of FACTS.
bool states_all(const matrix::Model& model, const std::map<std::string, matrix::Value>& facts) {
  return std::ranges::all_of(facts, [&](const auto& fact) {
    return std::ranges::any_of(model.facts, [&](const auto& stated) {
      return stated.first == fact.first || "model_" + stated.first == fact.first;
    });
  });
}

}  // namespace

LearnedFacts::LearnedFacts(system::Files& files, const attempt::Layout& layout,
                           const Experiment& experiment)
    : files_(files), layout_(layout), experiment_(experiment) {
  for (std::size_t share = 0; share < experiment.shares.size(); ++share) {
    matrix::KnownFacts& known = known_.emplace_back();
    known.host = experiment.host.facts;
    const runner::KnownModels& catalogue = manifest_of(share).known_models;
    for (const auto& [name, model] : experiment.shares[share].matrix.models)
      if (const auto facts = catalogue.find(model.source); facts != catalogue.end())
        known.catalogue[name] = facts->second;
  }
}

const runner::Manifest& LearnedFacts::manifest_of(std::size_t share) const {
  return experiment_.runners[experiment_.shares[share].runner].manifest;
}

std::set<std::string> LearnedFacts::sources() const {
  std::set<std::string> stages;
  for (std::size_t share = 0; share < known_.size(); ++share)
    if (const auto& source = manifest_of(share).fact_source) stages.insert(source->stage);
  return stages;
}

void LearnedFacts::learn_local(Errors& errors) {
  for (std::size_t share = 0; share < known_.size(); ++share) {
    const auto& source = manifest_of(share).fact_source;
    if (!source) continue;
    for (const auto& [name, model] : experiment_.shares[share].matrix.models)
      if (const auto path = matrix::local_source_path(model.source))
        learn_file(share, name, *path + "/" + source->file, errors);
  }
}

bool LearnedFacts::learn(const plan::Plan& plan, const plan::Done& done, Errors& errors) {
  const std::set<std::string> stages = sources();
  bool learned = false;
  for (const plan::Stage& stage : plan.stages) {
    if (!stages.contains(stage.spec.name)) continue;
    const ShareModels models = models_of(plan, stage);
    std::string folder = stage.provided;
    if (folder.empty() && done.made.contains(stage.digest)) folder = layout_.artifact_out(stage.id);
    if (folder.empty()) learned = learn_kept(stage, models, errors) || learned;
    else learned = learn_from(folder, models, errors) || learned;
  }
  return learned;
}

// A stage may have several models, because models may share a source or a provided output, and
// runners may share a stage.
LearnedFacts::ShareModels LearnedFacts::models_of(const plan::Plan& plan,
                                                  const plan::Stage& stage) const {
  ShareModels models;
  for (const std::size_t point : stage.points) {
    const plan::PlannedPoint& planned = plan.points[point];
    const auto& source = manifest_of(planned.runner).fact_source;
    if (source && source->stage == stage.spec.name)
      models.emplace(planned.runner, planned.point.model);
  }
  return models;
}

// Reads the kept files of facts of a stage whose output has been removed.
bool LearnedFacts::learn_kept(const plan::Stage& stage, const ShareModels& models, Errors& errors) {
  if (!store_ || stage.digest == Digest{}) return false;
  bool learned = false;
  for (const auto& [share, model] : models) {
    const std::string file = kept_name(stage, manifest_of(share).fact_source->file);
    const auto text = store_->resolution(k_fact_file, file);
    if (!text) errors.push_back(text.error());
    else if (*text)
      learned = learn_text(share, model, file, Result<std::string>(**text), errors) || learned;
  }
  return learned;
}

bool LearnedFacts::learn_from(const std::string& folder, const ShareModels& models,
                              Errors& errors) {
  bool learned = false;
  for (const auto& [share, model] : models)
    learned =
        learn_file(share, model, folder + "/" + manifest_of(share).fact_source->file, errors) ||
        learned;
  return learned;
}

// Reads the facts of MODEL from FILE. Returns whether they are new.
bool LearnedFacts::learn_file(std::size_t share, const std::string& model, const std::string& file,
                              Errors& errors) {
  if (model.empty() || known_[share].models[model].complete || !files_.exists(file)) return false;
  return learn_text(share, model, file, fact_text(files_, file, *manifest_of(share).fact_source),
                    errors);
}

bool LearnedFacts::learn_text(std::size_t share, const std::string& model, const std::string& file,
                              const Result<std::string>& text, Errors& errors) {
  const runner::Manifest& manifest = manifest_of(share);
  auto& known = known_[share].models;
  if (model.empty() || known[model].complete) return false;
  const auto facts = text ? matrix::read_model_facts(manifest.model_facts, *text, file,
                                                     manifest.fact_source->places)
                          : Result<matrix::ModelFacts>(text.error());
  if (!facts) {
    errors.push_back(facts.error());
    return false;
  }
  known[model] = *facts;
  known[model].complete = true;
  compare_with_catalogue(share, model, file);
  return true;
}

// Notes contradictions between the catalogue and FILE, which has been read and takes precedence.
// Facts that the runner does not state for any model are not compared.
void LearnedFacts::compare_with_catalogue(std::size_t share, const std::string& model,
                                          const std::string& file) {
  const runner::Manifest& manifest = manifest_of(share);
  matrix::KnownFacts& facts_of = known_[share];
  const auto known = facts_of.catalogue.find(model);
  if (known == facts_of.catalogue.end()) return;
  std::vector<std::string> differences;
  std::set<std::string> stated;
  for (const auto& [source, facts] : manifest.known_models)
    for (const auto& [name, value] : facts) stated.insert(name);
  for (const matrix::ModelFact& fact : manifest.model_facts) {
    if (!stated.contains(fact.column.name)) continue;
    const auto value_in = [&](const std::map<std::string, matrix::Value>& values) {
      const auto value = values.find(fact.column.name);
      if (value != values.end()) return value->second.text;
      return fact.absent ? fact.absent->text : std::string("nothing");
    };
    const std::string assumed = value_in(known->second),
                      read = value_in(facts_of.models[model].values);
    if (assumed != read)
      differences.push_back(
          fmt::format("{} is {}, not {}", fact.column.name, printable(read), assumed));
  }
  if (differences.empty()) return;
  is_contradicted_ = true;
  contradictions_.push_back(fmt::format(
      "model {}: {} differs from what runner '{}' knows about {}: {}; the file takes precedence, "
      "and points were planned again",
      quoted(model), file, manifest.name, experiment_.matrix.models.at(model).source,
      join(differences, "; ")));
}

std::vector<std::string> LearnedFacts::assumed(const plan::Plan& plan) const {
  std::vector<std::string> lines;
  for (std::size_t share = 0; share < known_.size(); ++share) {
    const runner::Manifest& manifest = manifest_of(share);
    const matrix::KnownFacts& known = known_[share];
    std::set<std::string> used;
    for (const plan::PlannedPoint& point : plan.points)
      if (point.runner == share) used.insert(point.point.model);
    for (const auto& [name, facts] : known.catalogue) {
      const auto read = known.models.find(name);
      if (!used.contains(name) || (read != known.models.end() && read->second.complete)) continue;
      const matrix::Model& model = experiment_.matrix.models.at(name);
      if (states_all(model, facts)) continue;
      lines.push_back(fmt::format(
          "the facts of model {} are those that runner '{}' knows about {}{}; `run` compares them "
          "with the model's {} before anything is made",
          quoted(name), manifest.name, model.source,
          model.facts.empty() ? "" : ", and those that the matrix states",
          manifest.fact_source->file));
    }
  }
  return lines;
}

Status LearnedFacts::keep(const plan::Plan& plan, double now) {
  const std::set<std::string> stages = sources();
  for (const plan::Stage& stage : plan.stages) {
    if (!stages.contains(stage.spec.name) || stage.digest == Digest{} || !stage.provided.empty())
      continue;
    for (const auto& [share, model] : models_of(plan, stage)) {
      const runner::FactSource& source = *manifest_of(share).fact_source;
      const auto text =
          fact_text(files_, layout_.artifact_out(stage.id) + "/" + source.file, source);
      if (!text) continue;  // not made
      const std::string name = kept_name(stage, source.file);
      ORCH_ASSIGN(const auto kept, store_->resolution(k_fact_file, name));
      if (kept != *text) ORCH_TRY(store_->put_resolution(k_fact_file, name, *text, now));
    }
  }
  return {};
}

}  // namespace orch::session
