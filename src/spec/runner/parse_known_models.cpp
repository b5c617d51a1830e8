// The file of `facts: {known: FILE}`: facts of models by their source.
#include "core/base/text.hpp"
#include "spec/matrix/source.hpp"
#include "spec/runner/forms.hpp"
#include "spec/runner/manifest_sections.hpp"

namespace orch::runner {

namespace {

constexpr std::string_view k_model_prefix = "model_";

const matrix::ModelFact* fact_called(const Manifest& manifest, const std::string& name) {
  for (const matrix::ModelFact& fact : manifest.model_facts)
    if (std::string_view(fact.column.name).substr(k_model_prefix.size()) == name) return &fact;
  return nullptr;
}

std::vector<std::string> names_of_facts(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const matrix::ModelFact& fact : manifest.model_facts)
    names.push_back(fact.column.name.substr(k_model_prefix.size()));
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
      const std::string near = reader.suggest(key.text, names);
      reader.fail(key.where, "known model {}: the runner declares no fact {} of models{}",
                  quoted(source.text), quoted(key.text),
                  near.empty() ? "; it has: " + join(names, ", ") : near);
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

}  // namespace

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

}  // namespace orch::runner
