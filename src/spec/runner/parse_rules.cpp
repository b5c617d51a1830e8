// `rules:` of runner.yaml.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/symbols.hpp"
#include "spec/runner/forms.hpp"
#include "spec/runner/manifest_sections.hpp"

namespace orch::runner {

namespace {

// What `because` may put in braces.
std::vector<std::string> columns_of(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const matrix::Parameter& parameter : manifest.parameters) names.push_back(parameter.name);
  for (const matrix::ModelFact& fact : manifest.model_facts) names.push_back(fact.column.name);
  for (const matrix::Parameter& fact : matrix::host_facts()) names.push_back(fact.name);
  return names;
}

class RuleReader {
 public:
  RuleReader(const Manifest& manifest, ManifestReader& reader)
      : reader_(reader), columns_(columns_of(manifest)) {}

  matrix::Rule read(const Yaml& item) {
    matrix::Rule rule;
    YamlMap map(item, keys::k_rule, "a rule", reader_.errors());
    if (const Yaml* name = reader_.required(map, "name")) read_name(*name, rule);
    if (const Yaml* require = reader_.required(map, "require")) {
      rule.require = require->text;
      rule.where = require->places;
    }
    if (const Yaml* when = reader_.filled(map, "when")) {
      rule.when = when->text;
      rule.when_where = when->places;
    }
    if (const Yaml* because = reader_.required(map, "because")) {
      rule.because = because->text;
      check_because(*because);
    }
    if (const Yaml* level = reader_.filled(map, "level")) read_level(*level, rule);
    map.finish();
    return rule;
  }

 private:
  void read_name(const Yaml& name, matrix::Rule& rule) {
    rule.name = name.text;
    if (const auto why = refuse_rule_name(name.text))
      return reader_.fail(name.where, "{} {}", quoted(name.text), *why);
    const auto [first, fresh] = names_.emplace(name.text, name.where.line);
    if (!fresh)
      reader_.fail(name.where, "rule '{}' is defined twice, first on line {}; rename one of them",
                   name.text, first->second);
  }

  void read_level(const Yaml& level, matrix::Rule& rule) {
    if (level.text == "warn") rule.level = matrix::Rule::Level::warn;
    else if (level.text == "note") rule.level = matrix::Rule::Level::note;
    else if (level.text != "reject")
      reader_.fail(level.where, "'level' is {}; write reject, warn or note", quoted(level.text));
  }

  void check_because(const Yaml& because) {
    for (const render::Symbol& symbol : render::find_symbols(because.text)) {
      if (reader_.is_full()) return;
      if (std::ranges::find(columns_, symbol.name) != columns_.end()) continue;
      reader_.fail(because.places.at(symbol.offset),
                   "'because' names {{{}}}, which is neither a parameter nor a fact{}", symbol.name,
                   reader_.suggest(symbol.name, columns_));
    }
  }

  ManifestReader& reader_;
  std::vector<std::string> columns_;
  std::map<std::string, int> names_;  // name -> line
};

}  // namespace

void read_rules(const Yaml& node, Manifest& manifest, ManifestReader& reader) {
  if (!node.is_list())
    return reader.fail(
        node.where,
        "'rules' must be a list, not {}; write - {{name: NAME, require: SQL, because: TEXT}}",
        node.describe());
  if (reader.has_too_many(node, "rules")) return;
  RuleReader rules(manifest, reader);
  for (const Yaml& item : node.items) manifest.rules.push_back(rules.read(item));
}

}  // namespace orch::runner
