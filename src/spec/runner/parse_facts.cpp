// `facts:` of runner.yaml: what expressions may know of a model, and where it comes from.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/runner/forms.hpp"
#include "spec/runner/manifest_sections.hpp"

namespace orch::runner {

namespace {

constexpr std::string_view k_prefix = "model_";

bool is_parameter(const Manifest& manifest, std::string_view name) {
  return std::ranges::any_of(manifest.parameters,
                             [&](const auto& parameter) { return parameter.name == name; });
}

void check_name(const Yaml& key, const Manifest& manifest, ManifestReader& reader) {
  if (!key.text.starts_with(k_prefix) || key.text == k_prefix)
    reader.fail(
        key.where, "fact {}: the name of a fact begins with model_; write {}", quoted(key.text),
        is_column_name(key.text) && key.text != k_prefix ? quoted(fmt::format("model_{}", key.text))
                                                         : "model_NAME");
  else if (const auto why = matrix::refuse_column_name(key.text))
    reader.fail(key.where, "fact {}: {}", quoted(key.text), *why);
  else if (is_parameter(manifest, key.text))
    reader.fail(key.where, "fact '{}': a parameter has this name; rename one of them", key.text);
}

matrix::ModelFact read_fact(const Yaml& key, const Yaml& node, const Manifest& manifest,
                            ManifestReader& reader) {
  matrix::ModelFact fact;
  fact.column.name = key.text;
  fact.column.where = key.where;
  check_name(key, manifest, reader);
  YamlMap map(node, keys::k_fact, fmt::format("fact {}", quoted(key.text)), reader.errors());
  if (const Yaml* type = reader.required(map, "type")) {
    const auto known = parse_name<matrix::Type>(type->text);
    if (!known)
      reader.fail(type->where, "unknown type {}; write text, integer, real, boolean or version",
                  quoted(type->text));
    fact.column.type = known.value_or(matrix::Type::text);
  }
  const Yaml* keys = map.require("keys");
  for (const Yaml* path : reader.list(map, "keys")) {
    if (const auto why = refuse_dotted_path(path->text))
      reader.fail(path->where, "key {} {}", quoted(path->text), *why);
    else fact.keys.push_back(path->text);
  }
  if (keys && keys->is_list() && keys->items.empty())
    reader.fail(keys->where, "fact {} has no keys; name the key of the file that holds it",
                quoted(key.text));
  if (const Yaml* absent = reader.filled(map, "absent")) {
    auto value = matrix::read_value(fact.column, *absent);
    if (value) fact.absent = std::move(*value);
    else reader.add(value.error());
  }
  if (const Yaml* help = reader.text(map, "help")) fact.column.help = help->text;
  map.finish();
  return fact;
}

std::vector<std::string> read_paths(YamlMap& map, std::string_view key, ManifestReader& reader,
                                    std::optional<std::string> (*refuse)(std::string_view)) {
  std::vector<std::string> paths;
  for (const Yaml* path : reader.list(map, key)) {
    if (const auto why = refuse(path->text))
      reader.fail(path->where, "{} {} {}", key, quoted(path->text), *why);
    else paths.push_back(path->text);
  }
  return paths;
}

void read_defaults(const Yaml& node, matrix::FactPlaces& places, ManifestReader& reader) {
  YamlMap map(node, keys::k_fact_defaults, "'defaults' of facts", reader.errors());
  places.kind = reader.required_text(map, "key");
  const auto refuse = [&](const Yaml& wrong, std::string_view what, std::string_view form) {
    reader.fail(wrong.where, "{} must be {}, not {}", what, form, wrong.describe());
  };
  if (const Yaml* values = map.require("values")) {
    if (!values->is_map()) refuse(*values, "'values' of defaults", "a map {CLASS: {KEY: VALUE}}");
    for (const auto& [kind, of_kind] : values->entries) {
      const std::string of = fmt::format("defaults of {}", quoted(kind.text));
      if (!of_kind.is_map()) refuse(of_kind, of, "a map {KEY: VALUE}");
      for (const auto& [key, value] : of_kind.entries) {
        if (value.is_scalar()) places.defaults[kind.text][key.text] = value.text;
        else refuse(value, fmt::format("{} of {}", quoted(key.text), of), "one value");
      }
    }
  }
  map.finish();
}

std::vector<std::string> tasks_of(const Manifest& manifest) {
  std::vector<std::string> tasks;
  for (const StageKind& stage : manifest.stages)
    if (stage.kind == Kind::task) tasks.push_back(stage.name);
  return tasks;
}

}  // namespace

void read_facts(const Yaml& node, Manifest& manifest, ManifestReader& reader) {
  YamlMap map(node, keys::k_facts, "'facts'", reader.errors());
  FactSource source;
  if (const Yaml* from = reader.required(map, "from"))
    source = {.stage = from->text, .file = {}, .where = from->where, .file_where = {}};
  if (const Yaml* file = reader.required(map, "file")) {
    source.file = file->text;
    source.file_where = file->where;
    if (const auto why = refuse_inner_path(file->text))
      reader.fail(file->where, "file {} {}", quoted(file->text), *why);
  }
  if (const Yaml* known = reader.filled(map, "known")) {
    source.known = known->text;
    source.known_where = known->where;
    if (const auto why = refuse_inner_path(known->text)) {
      reader.fail(known->where, "known {} {}", quoted(known->text), *why);
      source.known.clear();
    }
  }
  source.places.below = read_paths(map, "below", reader, refuse_dotted_path);
  source.weights = read_paths(map, "weights", reader, refuse_inner_path);
  if (const Yaml* defaults = map.take("defaults")) read_defaults(*defaults, source.places, reader);
  if (const Yaml* names = map.require("names")) {
    if (!names->is_map())
      reader.fail(names->where,
                  "'names' must be a map, not {}; write model_NAME: {{type: TYPE, keys: [KEY]}}",
                  names->describe());
    else if (reader.has_too_many(*names, "names")) return;
    for (const auto& [key, value] : names->entries)
      manifest.model_facts.push_back(read_fact(key, value, manifest, reader));
  }
  map.finish();
  manifest.fact_source = std::move(source);
}

void check_fact_source(const Manifest& manifest, ManifestReader& reader) {
  const auto& source = manifest.fact_source;
  if (!source || source->stage.empty()) return;
  const StageKind* stage = manifest.find(source->stage);
  if (!stage)
    return reader.fail(source->where, "facts come from {}, which is no stage{}",
                       quoted(source->stage), reader.suggest(source->stage, tasks_of(manifest)));
  if (stage->kind != Kind::task)
    return reader.fail(source->where, "facts come from {}, which is a {}; name a task",
                       quoted(source->stage), to_string(stage->kind));
  const bool declared = std::ranges::any_of(stage->outputs, [&](const std::string& output) {
    return source->file == output || source->file.starts_with(output + "/");
  });
  if (!source->file.empty() && !declared && !refuse_inner_path(source->file))
    reader.fail(source->file_where, "stage '{}' has no output {}; name it among its 'outputs'",
                stage->name, quoted(source->file));
}

}  // namespace orch::runner
