// The models that a stage refers to: that of its point as {model.source}, and those that its
// parameters of type model name as {NAME.source}. And its dataset, whose file is at
// {dataset.source}: a local one, or that of the stage which keeps some of its rows or fetches it.
#include "spec/matrix/source.hpp"
#include "plan/graph/making.hpp"
#include "core/base/text.hpp"

namespace orch::plan {

namespace {

// As messages and components name it.
std::string spelled(const std::string& source, const std::string& revision) {
  return revision.empty() ? source : source + "@" + revision;
}

}  // namespace

bool refers_to_model(const runner::StageKind& kind, std::string_view parameter) {
  return mentions(kind, fmt::format("{{{}.source}}", parameter)) ||
         mentions(kind, fmt::format("{{{}.revision}}", parameter));
}

std::map<std::string, const matrix::Model*> named_models(const runner::Manifest& manifest,
                                                         const matrix::Matrix& matrix,
                                                         const matrix::Point& point) {
  std::map<std::string, const matrix::Model*> models;
  for (const matrix::Parameter& parameter : manifest.parameters) {
    if (!parameter.is_model || parameter.name == "model") continue;
    const matrix::Value* name = point.parameters.find(parameter.name);
    const auto model = name ? matrix.models.find(name->text) : matrix.models.end();
    if (model != matrix.models.end()) models.emplace(parameter.name, &model->second);
  }
  return models;
}

void Instantiator::add_model_symbols(Making& making, Symbols& late) {
  const matrix::Point& point = making.from.point;
  const Sees& sees = this->sees(making.from.kind);
  auto add = [&](const std::string& name, const std::string& source, const std::string& revision,
                 bool is_seen) {
    late[name + ".source"] = source;
    const std::string symbol = name + ".revision";
    const auto to_get = facts_.revision_to_get(source, revision);
    if (to_get) late[symbol] = *to_get;
    else if (is_seen) making.stage.unresolved[symbol] = {source, revision};
  };
  add("model", point.model_source, point.model_revision, sees.model);
  for (const auto& [name, model] : named_models(manifest_, matrix_, point)) {
    const auto& seen = sees.named_models;
    add(name, model->source, model->revision, std::ranges::find(seen, name) != seen.end());
  }
  if (const matrix::Dataset* dataset = fetched_dataset(matrix_, point)) {
    add("dataset", dataset->origin(), dataset->revision, sees.origin);
    late["dataset.origin"] = dataset->origin();
    const std::string maker = sees.dataset ? maker_of_dataset(making) : "";
    late["dataset.source"] =
        fmt::format("{}{{stage:{}}}/{}", matrix::k_local_scheme,
                    maker.empty() ? maker : making.stage.needs.at(maker), k_rows_of_dataset);
  } else late["dataset.source"] = point.dataset_source;
}

// The stage whose output has the rows of the point's dataset, among those that this one needs.
std::string Instantiator::maker_of_dataset(const Making& making) {
  const Instance& from = making.from;
  for (const char* symbol : {"{dataset.tokens}", "{dataset.origin}"})
    for (std::size_t i = 0; i < from.needs.size(); ++i)
      if (from.needs[i] && mentions(*manifest_.find(from.kind.needs[i]), symbol))
        return from.kind.needs[i];
  const auto dataset = matrix_.datasets.find(from.point.dataset_source);
  complain("dataset of " + from.kind.name,
           invalid(fmt::format("dataset {}: stage '{}' of runner '{}' reads files of this machine "
                               "only, because it needs no stage that fetches a dataset; write "
                               "source: local:PATH, of a file that is not packed, without tokens",
                               quoted(dataset->first), from.kind.name, manifest_.name),
                   dataset->second.where));
  return "";
}

// The name of a dataset decides nothing.
bool Instantiator::names_dataset(std::string_view parameter, const std::string& value) const {
  return std::ranges::any_of(manifest_.parameters, [&](const auto& one) {
    return one.name == parameter && matrix::names_dataset(one, value);
  });
}

void Instantiator::list_models(Making& making) {
  const matrix::Point& point = making.from.point;
  const Sees& sees = this->sees(making.from.kind);
  if (sees.model) list_model(making, "model", point.model_source, point.model_revision);
  if (sees.named_models.empty()) return;
  const auto models = named_models(manifest_, matrix_, point);
  for (const std::string& name : sees.named_models)
    if (const auto model = models.find(name); model != models.end())
      list_model(making, name, model->second->source, model->second->revision);
}

void Instantiator::list_model(Making& making, const std::string& parameter,
                              const std::string& source, const std::string& revision) {
  const std::string name = spelled(source, revision);
  const auto known =
      identity("model:" + name, [&] { return facts_.model_source(source, revision); });
  making.stage.components.add(parameter + ".source", known.value_or("{" + name + "}"));
  if (!known) making.miss(name);
  if (const auto path = matrix::local_source_path(source)) making.stage.inputs.push_back(*path);
}

}  // namespace orch::plan
