// The sections of a matrix that refer to outside files and sources: models, datasets and `provide`.
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/matrix/parse/section_reader.hpp"

#include <nlohmann/json.hpp>

namespace orch::matrix {

namespace {

void read_facts(SectionReader& reader, const std::string& model, const Yaml& node,
                Settings& facts) {
  if (!node.is_map())
    return reader.fail(node.where,
                       "model {}: 'facts' must be a map, not {}; write facts: {{heads: 28}}",
                       quoted(model), node.describe());
  for (const auto& [key, value] : node.entries) {
    if (value.is_scalar() || value.idle) facts.emplace_back(key.text, value);
    else
      reader.fail(value.where, "model {}: fact {} must be one value, not {}", quoted(model),
                  quoted(key.text), value.describe());
  }
}

void read_model(SectionReader& reader, const Yaml& key, const Yaml& value) {
  YamlMap map(value, keys::k_model, fmt::format("model {}", quoted(key.text)), reader.errors());
  Model model{.source = {}, .written = {}, .revision = {}, .facts = {}, .where = key.where};
  map.take("revision", model.revision);
  if (const Yaml* source = map.take("source")) {
    model.source = model.written = source->text;
    model.where = source->where;
    if (const auto why = refuse_model_source(model.source, model.revision))
      reader.fail(source->where, "model {}: 'source' {}{}", quoted(key.text), *why,
                  why->starts_with("must be") ? ", not " + source->describe() : "");
  }
  if (const Yaml* facts = map.take("facts")) read_facts(reader, key.text, *facts, model.facts);
  reader.matrix().models.emplace(key.text, std::move(model));
}

// The lengths of rows to keep, as JSON for the stage that counts them.
std::string read_tokens(SectionReader& reader, const std::string& what, const Yaml& node) {
  YamlMap map(node, keys::k_tokens, fmt::format("'tokens' of {}", what), reader.errors());
  nlohmann::json limits = nlohmann::json::object();
  for (const char* name : {"least", "most_in_prompt", "most"})
    if (std::int64_t limit = 0; map.take(name, limit)) limits[name] = limit;
  if (limits.empty() && node.is_map() && node.entries.empty())
    reader.fail(node.where,
                "'tokens' of {} has no limit; write tokens: {{least: 4, "
                "most_in_prompt: 1024, most: 2048}}",
                what);
  return dump(limits, -1);
}

// Reports keys that do not fit the scheme of the source. Addresses have SHA256, not a revision.
void check_origin(SectionReader& reader, const std::string& what, const Dataset& dataset,
                  const Yaml& source, const Yaml* sha256) {
  if (sha256 && !dataset.source.starts_with(k_url_scheme))
    return reader.fail(sha256->where,
                       "{}: sha256 applies only to a file of url:, "
                       "but the source is {}; take it out",
                       what, source.describe());
  if (dataset.files != "[]" && !dataset.source.starts_with(k_hub_scheme))
    return reader.fail(source.where,
                       "{}: 'files' apply only to a repository of hf:, but "
                       "the source is {}; take them out",
                       what, source.describe());
  if (const auto why = refuse_dataset_source(dataset.source, dataset.revision))
    reader.fail(source.where, "{}: 'source' {}{}", what, *why,
                why->starts_with("must be") ? ", not " + source.describe() : "");
}

void read_dataset(SectionReader& reader, const Yaml& key, const Yaml& value) {
  const std::string what = fmt::format("dataset {}", quoted(key.text));
  YamlMap map(value, keys::k_dataset, what, reader.errors());
  Dataset dataset{.where = key.where};
  const Yaml* sha256 = map.take("sha256", dataset.revision);
  map.take("revision", dataset.revision);
  std::vector<std::string> files;
  map.take("files", files);
  dataset.files = dump(nlohmann::json(files), -1);
  if (const Yaml* tokens = map.take("tokens")) dataset.tokens = read_tokens(reader, what, *tokens);
  if (const Yaml* source = map.take("source")) {
    dataset.source = source->text;
    dataset.where = source->where;
    check_origin(reader, what, dataset, *source, sha256);
  }
  reader.matrix().datasets.emplace(key.text, std::move(dataset));
}

void read_provision(SectionReader& reader, const Yaml& stage, const Yaml& node) {
  const std::string what = fmt::format("provide {}", quoted(stage.text));
  Provision provision{
      .stage = stage.text, .path = {}, .when = {}, .where = node.where, .stage_where = stage.where};
  const Yaml* path = &node;
  if (node.is_map()) {
    YamlMap map(node, keys::k_provision, what, reader.errors());
    path = map.take("path");
    if (const Yaml* when = map.take("when"))
      provision.when = reader.expression("", fmt::format("'when' of {}", what), *when);
    if (!path) return;
  }
  if (!path->is_scalar() || path->text.empty())
    return reader.fail(path->where,
                       "{} must be a path, {{path: PATH, when: SQL}} or a list of these, not {}",
                       what, path->describe());
  provision.path = path->text;
  provision.where = path->where;
  reader.matrix().provide.push_back(std::move(provision));
}

}  // namespace

void read_models(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "models", "models: {NAME: {source: \"local:PATH\"}}")) return;
  for (const auto& [key, value] : node.entries) {
    reader.check_free_name(key, "model");
    read_model(reader, key, value);
  }
}

void read_datasets(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "datasets", "datasets: {NAME: {source: \"local:PATH\"}}")) return;
  for (const auto& [key, value] : node.entries) {
    reader.check_free_name(key, "dataset");
    if (key.text == "synthetic")
      reader.fail(
          key.where,
          "dataset 'synthetic': prompts without a dataset have this name; choose another name");
    read_dataset(reader, key, value);
  }
}

void read_provide(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "provide", "provide: {build: PATH}")) return;
  for (const auto& [stage, value] : node.entries) {
    if (!value.is_list()) {
      read_provision(reader, stage, value);
      continue;
    }
    if (value.items.empty())
      reader.fail(value.where, "provide {} is an empty list; take it out", quoted(stage.text));
    for (const Yaml& item : value.items) read_provision(reader, stage, item);
  }
}

}  // namespace orch::matrix
