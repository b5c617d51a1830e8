#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

namespace {

// `facts:` of runner.yaml: the facts of a model that expressions may read, and their origin.

constexpr std::string_view k_prefix = "model_";

void check_name(const Yaml& key, const Manifest& manifest, ManifestReader& reader) {
  if (!key.text.starts_with(k_prefix) || key.text == k_prefix)
    reader.fail(
        key.where, "fact {}: the name of a fact begins with model_; write {}", quoted(key.text),
        is_column_name(key.text) && key.text != k_prefix ? quoted(fmt::format("model_{}", key.text))
                                                         : "model_NAME");
  else if (const auto why = matrix::refuse_column_name(key.text))
    reader.fail(key.where, "fact {}: {}", quoted(key.text), *why);
  else if (manifest.parameter(key.text))
    reader.fail(key.where, "fact '{}': a parameter has this name; rename one of them", key.text);
}

matrix::ModelFact read_fact(const Yaml& key, const Yaml& node, const Manifest& manifest,
                            ManifestReader& reader) {
  matrix::ModelFact fact;
  fact.column.name = key.text;
  fact.column.where = key.where;
  check_name(key, manifest, reader);
  YamlMap map(node, keys::k_fact, fmt::format("fact {}", quoted(key.text)), reader.errors());
  map.take("type", fact.column.type);
  fact.keys = reader.texts(map, "keys", "key", refuse_dotted_path);
  if (const Yaml* absent = map.take_fitting("absent")) {
    auto value = matrix::read_value(fact.column, *absent);
    if (value) fact.absent = std::move(*value);
    else reader.add(value.error());
  }
  map.take("help", fact.column.help);
  return fact;
}

void read_defaults(YamlMap& facts, matrix::FactPlaces& places) {
  auto map = facts.section("defaults");
  if (!map) return;
  map->take("key", places.kind);
  map->take("values", places.defaults);
}

std::vector<std::string> tasks_of(const Manifest& manifest) {
  std::vector<std::string> tasks;
  for (const StageKind& stage : manifest.stages)
    if (stage.kind == Kind::task) tasks.push_back(stage.name);
  return tasks;
}

// The file of `facts: {known: FILE}`: facts of models by source.

const matrix::ModelFact* fact_called(const Manifest& manifest, const std::string& name) {
  for (const matrix::ModelFact& fact : manifest.model_facts)
    if (std::string_view(fact.column.name).substr(k_prefix.size()) == name) return &fact;
  return nullptr;
}

std::vector<std::string> names_of_facts(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const matrix::ModelFact& fact : manifest.model_facts)
    names.push_back(fact.column.name.substr(k_prefix.size()));
  return names;
}

std::map<std::string, matrix::Value> read_model(const Yaml& source, const Yaml& node,
                                                const Manifest& manifest, ManifestReader& reader) {
  std::map<std::string, matrix::Value> facts;
  if (!node.is_map()) {
    reader.fail(node.where, "known model {} must be a map of facts, not {}; write {{heads: 28}}",
                quoted(source.text), node.describe());
    return facts;
  }
  for (const auto& [key, value] : node.entries) {
    const matrix::ModelFact* fact = fact_called(manifest, key.text);
    if (!fact) {
      const std::vector<std::string> names = names_of_facts(manifest);
      reader.fail(key.where, "known model {}: the runner declares no fact {} of models{}",
                  quoted(source.text), quoted(key.text),
                  reader.suggest(key.text, names, "; it has: " + join(names, ", ")));
      continue;
    }
    matrix::Parameter declared = fact->column;
    declared.name = key.text;
    auto read = matrix::read_value(declared, value);
    if (read) facts.emplace(fact->column.name, std::move(*read));
    else reader.add(read.error().within(fmt::format("known model {}", quoted(source.text))));
  }
  return facts;
}

// `resolve:` of runner.yaml: how to turn mutable names of models into identities.

void check_scheme(const Yaml& key, ManifestReader& reader) {
  const bool good =
      std::ranges::all_of(key.text, [](char c) { return is_lower(c) || is_digit(c); });
  if (!good || key.text.empty())
    reader.fail(key.where,
                "{} is not a scheme; write the part before the ':' of a source, such as hf",
                quoted(key.text));
  else if (key.text == "local" || key.text == "generate")
    reader.fail(key.where, "'{}:' sources identify themselves and need no resolver; remove it",
                key.text);
}

Resolver read_resolver(const Yaml& scheme, const Yaml& node, const Manifest& manifest,
                       ManifestReader& reader) {
  Resolver resolver;
  resolver.scheme = scheme.text;
  resolver.where = scheme.where;
  check_scheme(scheme, reader);
  const std::string what = fmt::format("resolver {}", quoted(scheme.text));
  YamlMap map(node, keys::k_resolver, what, reader.errors());
  const SymbolCheck symbols(what, manifest, reader);
  for (auto [key, words] : {std::pair("argv", &resolver.argv), std::pair("reach", &resolver.reach)})
    for (const Yaml* word : reader.items(map, key)) {
      const auto why = words->empty() ? refuse_program(word->text) : std::nullopt;
      if (why) reader.fail(word->where, "the program {} {}", quoted(word->text), *why);
      symbols.check(*word);
      words->push_back(word->text);
    }
  read_inherited(map, "inherit", resolver.inherit, reader);
  map.take("timeout_s", resolver.timeout_s);
  return resolver;
}

}  // namespace

void read_facts(YamlMap& manifest_map, Manifest& manifest, ManifestReader& reader) {
  auto map = manifest_map.section("facts");
  if (!map) return;
  FactSource source;
  if (const Yaml* from = map->take("from", source.stage)) source.where = from->where;
  if (const Yaml* file = map->take("file", source.file)) {
    source.file_where = file->where;
    if (const auto why = refuse_inner_path(file->text))
      reader.fail(file->where, "file {} {}", quoted(file->text), *why);
  }
  if (const Yaml* known = map->take("known", source.known)) {
    source.known_where = known->where;
    if (const auto why = refuse_inner_path(known->text)) {
      reader.fail(known->where, "known {} {}", quoted(known->text), *why);
      source.known.clear();
    }
  }
  source.places.below = reader.texts(*map, "below", "below", refuse_dotted_path);
  source.weights = reader.texts(*map, "weights", "weights", refuse_inner_path);
  read_defaults(*map, source.places);
  for (const Yaml::Entry* fact : reader.entries(*map, "names"))
    manifest.model_facts.push_back(read_fact(fact->key, fact->value, manifest, reader));
  manifest.fact_source = std::move(source);
}

void check_fact_source(const Manifest& manifest, ManifestReader& reader) {
  const auto& source = manifest.fact_source;
  if (!source || source->stage.empty()) return;
  const StageKind* stage = manifest.find(source->stage);
  if (!stage)
    return reader.fail(source->where, "facts come from {}, which is not a stage{}",
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

void read_known_models(Manifest& manifest, const ReadPart& read, ManifestReader& reader) {
  if (!manifest.fact_source || manifest.fact_source->known.empty()) return;
  const FactSource& source = *manifest.fact_source;
  const std::string path = beside(manifest.file, source.known);
  const auto text = read ? read(path) : Result<std::string>(invalid("nothing reads files here"));
  if (!text)
    return reader.fail(source.known_where, "known {} cannot be read: {}", quoted(source.known),
                       text.error().message);
  const auto root = parse_yaml(*text, path);
  if (!root) return reader.add(root.error());
  if (!root->is_map())
    return reader.fail(root->where,
                       "known models must be a map, not {}; write hf:OWNER/NAME: "
                       "{{heads: 28}}",
                       root->describe());
  for (const auto& [key, value] : root->entries) {
    if (!key.text.starts_with(matrix::k_hub_scheme) ||
        key.text.size() == matrix::k_hub_scheme.size())
      reader.fail(key.where, "known model {}: the key must be the source hf:OWNER/NAME",
                  quoted(key.text));
    else manifest.known_models.emplace(key.text, read_model(key, value, manifest, reader));
  }
}

void read_inherited(YamlMap& map, std::string_view key, std::vector<std::string>& names,
                    ManifestReader& reader) {
  for (const Yaml* name : reader.list(map, key)) {
    if (const auto why = refuse_inherited(name->text))
      reader.fail(name->where, "{} in '{}' {}", quoted(name->text), key, *why);
    else names.push_back(name->text);
  }
}

void read_resolvers(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  for (const Yaml::Entry* one : reader.entries(map, "resolve"))
    manifest.resolvers.push_back(read_resolver(one->key, one->value, manifest, reader));
}

}  // namespace orch::runner
