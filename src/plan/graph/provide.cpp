#include "core/base/text.hpp"
#include "plan/graph/making.hpp"
#include "spec/matrix/name_rules.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {

namespace {

// Stages whose output a matrix provides: their identity, and whether their description agrees with
// the point.

const nlohmann::json* value_at(const nlohmann::json& json, const std::string& dotted) {
  const nlohmann::json* value = &json;
  for (const std::string& part : split(dotted, '.')) {
    if (!value->is_object() || !value->contains(part)) return nullptr;
    value = &value->at(part);
  }
  return value;
}

std::string text_of(const nlohmann::json& value) {
  // No text of what may be nested without end.
  if (value.is_structured()) return value.is_array() ? "a list" : "a map";
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "0.14.0.dev2024100800" and "0.14.0.post1" are builds of release "0.14.0".
bool is_build_of(const std::string& release, const std::string& version) {
  return version.starts_with(release) &&
         (version.size() == release.size() || !is_digit(version[release.size()]));
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Compares numbers by value: a file may write 8.0.
bool agree(const nlohmann::json& theirs, const matrix::Value& ours) {
  const std::string text = text_of(theirs);
  if (text == ours.text) return true;
  if (ours.type == matrix::Type::version) return theirs.is_string() && is_build_of(ours.text, text);
  const bool number = ours.type == matrix::Type::integer || ours.type == matrix::Type::real;
  const auto a = to_real(text), b = to_real(ours.text);
  return number && a && b && *a == *b;
}

bool is_enough(const nlohmann::json& theirs, const matrix::Value& ours) {
  const auto a = to_real(text_of(theirs)), b = to_real(ours.text);
  return a && b && *a >= *b;
}

// The models that a stage refers to: that of its point as {model.source}, and those that its
// parameters of type model name as {NAME.source}. And its dataset, whose file is at
// {dataset.source}: a local one, or that of the stage which keeps some of its rows or fetches it.

// As messages and components name it.
std::string spelled(const std::string& source, const std::string& revision) {
  return revision.empty() ? source : source + "@" + revision;
}

}  // namespace

Stage Instantiator::make_provided(const Instance& from) {
  const runner::StageKind& kind = from.kind;
  const matrix::Provision& provided = *from.provided;
  Stage stage;
  stage.spec.name = kind.name;
  stage.spec.runner = manifest_.name;
  stage.spec.kind = kind.kind;
  stage.spec.outputs = kind.outputs;
  stage.provided = provided.path;
  stage.inputs = {provided.path};
  if (kind.kind != runner::Kind::task)
    complain("provide " + kind.name,
             invalid(fmt::format("provide: stage '{}' is a {}; only the output of a task can be "
                                 "provided, so take this entry out",
                                 kind.name, to_string(kind.kind)),
                     provided.where));
  const auto identity =
      this->identity("provided:" + provided.path, [&]() -> Result<std::optional<std::string>> {
        auto digest = facts_.provided(provided.path);
        if (!digest)
          return Error{digest.error().kind,
                       fmt::format("provide: stage '{}': {}", kind.name, digest.error().message),
                       provided.where};
        return std::optional(digest->hex());
      });
  stage.components.add("schema", k_schema);
  stage.components.add("kind", "provided");
  stage.components.add("stage", kind.name);
  stage.components.add("identity", identity.value_or(""));
  stage.key = stage.digest = stage.components.digest();
  stage.id = fmt::format("{}-{}", kind.name, stage.key.prefix(12));
  if (kind.agree) compare_with_point(from);
  return stage;
}

void Instantiator::compare_with_point(const Instance& from) {
  const runner::Agree& agreed = *from.kind.agree;
  const matrix::Provision& provided = *from.provided;
  const std::string file = provided.path + "/" + agreed.file;
  auto refuse = [&](const std::string& cause, std::string message) {
    complain(
        fmt::format("agree {} {}", file, cause),
        invalid(fmt::format("provide: stage '{}': {}", from.kind.name, message), provided.where));
  };
  auto text = provided_texts_.find(file);
  if (text == provided_texts_.end()) {
    auto read = facts_.provided_text(provided.path, agreed.file);
    if (!read)
      return refuse(
          "", fmt::format(
                  "{}; this file describes the provided output, so provide a folder that has it",
                  read.error().message));
    text = provided_texts_.emplace(file, std::move(*read)).first;
  }
  const nlohmann::json json = nlohmann::json::parse(text->second, nullptr, false);
  if (json.is_discarded())
    return refuse("", fmt::format("{} is not JSON; provide the folder as its tool wrote it", file));
  auto compare = [&](const std::string& parameter, const std::string& path, bool at_least) {
    const matrix::Value* ours = from.point.parameters.find(parameter);
    if (!ours || is_unknown(from.point, parameter)) return;  // compared when it is planned again
    const nlohmann::json* theirs = value_at(json, path);
    if (theirs && theirs->is_null()) theirs = nullptr;
    if (theirs && (at_least ? is_enough(*theirs, *ours) : agree(*theirs, *ours))) return;
    if (!theirs && is_among(parameter, agreed.may_lack)) return;
    if (!theirs)
      return refuse(path, fmt::format("{} has no '{}', which holds its {}; provide another folder",
                                      file, path, parameter));
    const std::string found = fmt::format("'{}' in {} is {}", path, file, text_of(*theirs));
    const std::string remedy =
        "provide another folder, or write `when:` so that it is used for other points only";
    refuse(path + "=" + ours->text,
           at_least ? fmt::format("{}, and point {} needs {} of at least {}; {}", found,
                                  from.point.name, parameter, ours->text, remedy)
                    : fmt::format("{}, and {} of point {} is {}; {}", found, parameter,
                                  from.point.name, ours->text, remedy));
  };
  for (const auto& [parameter, path] : agreed.values) compare(parameter, path, false);
  for (const auto& [parameter, path] : agreed.at_least) compare(parameter, path, true);
}

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
