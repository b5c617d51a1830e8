#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

namespace {

// `parameters:` of runner.yaml.

class ParameterReader {
 public:
  ParameterReader(const Yaml& key, const Yaml& node, Manifest& manifest, ManifestReader& reader)
      : key_(key),
        node_(node),
        manifest_(manifest),
        reader_(reader),
        map_(node, keys::k_parameter, fmt::format("parameter {}", quoted(key.text)),
             reader.errors()) {
    parameter_.name = key.text;
    parameter_.where = key.where;
  }

  matrix::Parameter read() {
    read_name();
    read_type();
    read_values();
    read_limits();
    read_default();
    map_.take("help", parameter_.help);
    read_unit();
    read_compared();
    declare();
    if (const Span span = read_span(map_, manifest_, reader_); span.releases.bounds()) {
      parameter_.declared.releases = span.releases;
      keep_within(parameter_, span, manifest_);
    }
    for (const auto& [value, span] : spans_) {
      parameter_.declared.values.emplace(value, span.releases);
      keep_value_within(parameter_, value, span, manifest_);
    }
    return std::move(parameter_);
  }

 private:
  void read_name() {
    if (const auto why = matrix::refuse_column_name(key_.text))
      reader_.fail(key_.where, "parameter {}: {}", quoted(key_.text), *why);
    else if (is_built_in_symbol(key_.text))
      reader_.fail(key_.where,
                   "parameter '{0}': {{{0}}} is a built-in symbol of runners; choose another name",
                   key_.text);
    else if (names_host_fact(key_.text))
      reader_.fail(key_.where, "parameter '{}': this is a fact of the machine; choose another name",
                   key_.text);
  }

  static bool names_host_fact(std::string_view name) {
    const auto facts = matrix::host_facts();
    return std::ranges::any_of(facts,
                               [&](const matrix::Parameter& fact) { return fact.name == name; });
  }

  void read_type() {
    if (!map_.take("type") && node_.is_map())
      reader_.fail(node_.where, "parameter {} has no 'type'; add it", quoted(key_.text));
    const Yaml* type = map_.take_fitting("type");
    if (!type) return;
    typed_ = true;
    parameter_.type = parse_name<matrix::Type>(type->text).value_or(matrix::Type::text);
    parameter_.is_path = type->text == "path";
    parameter_.is_list = type->text == "list";
    parameter_.is_model = type->text == "model";
    parameter_.is_dataset = type->text == "dataset";
    if (parameter_.is_model && (key_.text == "dataset" || key_.text == "measure"))
      reader_.fail(key_.where,
                   "parameter '{0}' of type model: symbols that begin with {{{0}. are built in; "
                   "choose another name",
                   key_.text);
  }

  void read_values() {
    const Yaml* list = node_.find("values");
    const bool has_spans = list != nullptr && has_map(*list);
    for (const Yaml* value :
         has_spans ? reader_.items(map_, "values") : reader_.list(map_, "values")) {
      if (value->is_map()) read_spanned(*value);
      else read_allowed(*value);
    }
  }

  static bool has_map(const Yaml& list) {
    return std::ranges::any_of(list.items, [](const Yaml& item) { return item.is_map(); });
  }

  // {value: V, since: VERSION}
  void read_spanned(const Yaml& item) {
    YamlMap map(item, keys::k_spanned_value,
                fmt::format("a value of parameter {}", quoted(key_.text)), reader_.errors());
    const Yaml* value = map.take_fitting("value");
    const Span span = read_span(map, manifest_, reader_);
    if (!value) return;
    read_allowed(*value);
    if (span.releases.bounds()) spans_.emplace_back(value->text, span);
  }

  void read_allowed(const Yaml& value) {
    if (const auto read = matrix::read_value(parameter_, value); typed_ && !read)
      return reader_.add(read.error());
    if (contains(allowed_, value.text))
      return reader_.fail(value.where, "'values' of parameter '{}' has {} twice; remove one",
                          key_.text, quoted(value.text));
    allowed_.push_back(value.text);
  }

  std::optional<double> read_limit(std::string_view key) {
    const Yaml* node = map_.take(key);
    if (!node || !typed_) return {};
    const bool whole = parameter_.type == matrix::Type::integer;
    if (!whole && parameter_.type != matrix::Type::real) {
      reader_.fail(node->where, "'{}' is for numbers, but {} is of type {}; write a rule", key,
                   quoted(key_.text), to_string(parameter_.type));
      return {};
    }
    const Form form{.kind = whole ? Form::Kind::integer : Form::Kind::number};
    const Errors faults = faults_of(*node, form, fmt::format("'{}'", key));
    for (const Error& fault : faults) reader_.add(fault);
    return faults.empty() ? to_real(node->text) : std::nullopt;
  }

  void read_limits() {
    parameter_.least = read_limit("min");
    parameter_.most = read_limit("max");
    if (parameter_.least && parameter_.most && *parameter_.most < *parameter_.least)
      reader_.fail(key_.where,
                   "no value of parameter {} is at least {} and at most {}; correct 'min' or 'max'",
                   quoted(key_.text), *parameter_.least, *parameter_.most);
  }

  // Called after the type, the values and the limits, because a default must fit them.
  void read_default() {
    parameter_.allowed = std::move(allowed_);
    const Yaml* optional = map_.take("optional", parameter_.optional);
    const Yaml* sql = map_.take_fitting("sql");
    const Yaml* fallback = map_.take("default");
    if (sql) {
      parameter_.fallback_sql = sql->text;
      parameter_.fallback_where = sql->places;
    }
    if (sql && fallback) reader_.fail(fallback->where, "give 'default' or 'sql', not both");
    else if (fallback) read_literal(*fallback);
    if (parameter_.optional && fallback)
      reader_.fail(optional->where,
                   "parameter {} has a default, so it is never without a value; remove 'optional'",
                   quoted(key_.text));
  }

  void read_unit() {
    const Yaml* unit = map_.take("unit", parameter_.declared.unit);
    if (!unit) return;
    if (typed_ && parameter_.type != matrix::Type::integer && parameter_.type != matrix::Type::real)
      reader_.fail(unit->where, "'unit' is for numbers, but {} is of type {}; write it into 'help'",
                   quoted(key_.text), to_string(parameter_.type));
  }

  void read_compared() {
    const Yaml* compared = map_.take("compared", parameter_.is_compared);
    if (!parameter_.is_compared) return;
    if (typed_ && parameter_.type != matrix::Type::text)
      reader_.fail(compared->where, "parameter {} is compared as text; set its type to text",
                   quoted(key_.text));
    if (parameter_.fallback || (!parameter_.fallback_sql && !parameter_.optional))
      reader_.fail(compared->where,
                   "parameter {} is compared, so 'sql' must compute it; write sql: EXPRESSION in "
                   "place of 'default', or optional: true where each runner computes it",
                   quoted(key_.text));
  }

  // Called before `since` and `until` change the default.
  void declare() {
    parameter_.declared.fallback = parameter_.fallback;
    parameter_.declared.fallback_sql = parameter_.fallback_sql;
    parameter_.declared.optional = parameter_.optional;
  }

  void read_literal(const Yaml& node) {
    if (!typed_) return;
    auto read = matrix::read_value(parameter_, node);
    if (read) parameter_.fallback = *read;
    else reader_.add(read.error());
  }

  const Yaml& key_;
  const Yaml& node_;
  Manifest& manifest_;
  ManifestReader& reader_;
  YamlMap map_;
  matrix::Parameter parameter_;
  std::vector<std::string> allowed_;
  std::vector<std::pair<std::string, Span>> spans_;
  bool typed_ = false;
};

// `rules:` of runner.yaml.

// The names that `because` may contain in braces.
std::vector<std::string> columns_of(const Manifest& manifest) {
  std::vector<std::string> names = members_of(manifest.parameters, &matrix::Parameter::name);
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
    if (const Yaml* name = map.take("name", rule.name)) check_name(*name);
    if (const Yaml* require = map.take("require", rule.require)) rule.where = require->places;
    if (const Yaml* when = map.take("when", rule.when)) rule.when_where = when->places;
    if (const Yaml* because = map.take("because", rule.because)) check_because(*because);
    map.take("level", rule.level);
    return rule;
  }

 private:
  void check_name(const Yaml& name) {
    if (const auto why = refuse_rule_name(name.text))
      return reader_.fail(name.where, "{} {}", quoted(name.text), *why);
    const auto [first, fresh] = names_.emplace(name.text, name.where.line);
    if (!fresh)
      reader_.fail(name.where, "rule '{}' is defined twice, first on line {}; rename one of them",
                   name.text, first->second);
  }

  void check_because(const Yaml& because) {
    for (const render::Symbol& symbol : render::find_symbols(because.text)) {
      if (reader_.is_full()) return;
      if (contains(columns_, symbol.name)) continue;
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

void read_parameters(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  for (const Yaml::Entry* one : reader.entries(map, "parameters"))
    manifest.parameters.push_back(ParameterReader(one->key, one->value, manifest, reader).read());
}

void read_rules(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  RuleReader rules(manifest, reader);
  for (const Yaml* item : reader.items(map, "rules")) manifest.rules.push_back(rules.read(*item));
}

}  // namespace orch::runner
