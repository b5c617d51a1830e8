#include "app/session/site.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/matrix/vocabulary.hpp"
#include "spec/runner/list_manifest.hpp"

#include <nlohmann/json.hpp>

namespace orch::session {

namespace {

using Json = nlohmann::ordered_json;

using matrix::Parameter;
using matrix::Type;

constexpr const char* k_settings_reference = "#/definitions/settings";
constexpr std::string_view k_model_prefix = "model_", k_host_prefix = "host_";

// The schema of a scalar of any type: editors read YAML scalars with types.
Json any_word() { return {{"type", {"string", "number", "boolean"}}}; }

// SCHEMA, or an empty value, which removes the value of a base.
Json or_null(Json schema) {
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  else if (schema.contains("anyOf")) schema["anyOf"].push_back({{"type", "null"}});
  else if (schema.contains("$ref"))
    schema = {{"anyOf", Json::array({schema, Json{{"type", "null"}}})}};
  else if (schema["type"].is_array()) schema["type"].push_back("null");
  else schema["type"] = Json::array({schema["type"], "null"});
  return schema;
}

// TEXT as editors read it from YAML without quotes: a boolean or a number; nullopt if it is a text.
std::optional<Json> as_yaml_reads(const std::string& text) {
  if (const auto flag = to_bool(text)) return Json(*flag);
  if (const auto integer = to_integer(text)) return Json(*integer);
  if (const auto real = to_real(text)) return Json(*real);
  return std::nullopt;
}

Json choices(const std::vector<std::string>& allowed) {
  Json values = Json::array();
  for (const std::string& value : allowed) {
    if (const auto read = as_yaml_reads(value)) values.push_back(*read);
    values.push_back(value);
  }
  return {{"enum", std::move(values)}};
}

Json number_schema(const Parameter& parameter) {
  Json schema = {{"type", parameter.type == Type::integer ? "integer" : "number"}};
  if (parameter.least) schema["minimum"] = *parameter.least;
  if (parameter.most) schema["maximum"] = *parameter.most;
  return schema;
}

Json form_of(const Parameter& parameter) {
  if (parameter.is_list)
    return {{"anyOf", Json::array({any_word(), {{"type", "array"}, {"items", any_word()}}})}};
  if (!parameter.allowed.empty()) return choices(parameter.allowed);
  switch (parameter.type) {
    case Type::integer:
    case Type::real: return number_schema(parameter);
    case Type::boolean: return {{"type", "boolean"}};
    case Type::version: return {{"type", {"string", "number"}}};
    case Type::text: return any_word();
  }
  return {};
}

Json value_of(const Parameter& parameter) {
  Json schema = or_null(form_of(parameter));
  std::string text = parameter.help;
  if (!text.empty()) text += "\n\n";
  text += fmt::format("{}; default {}", runner::type_words(parameter),
                      runner::default_words(parameter));
  if (const std::string releases = runner::release_words(parameter.declared.releases);
      !releases.empty())
    text += fmt::format("; only {}", releases);
  schema["description"] = text;
  return schema;
}

Json closed(Json properties) {
  return {
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
}

Json property_reference(const std::string& parameter) {
  return {{"$ref", fmt::format("{}/properties/{}", k_settings_reference, parameter)}};
}

Json list_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}};
}

Json settings_schema(const runner::Manifest& runner) {
  Json properties = Json::object();
  for (const Parameter& parameter : runner.parameters)
    if (!parameter.is_compared) properties[parameter.name] = value_of(parameter);
  return closed(std::move(properties));
}

Json settings_reference() { return {{"$ref", k_settings_reference}}; }

Json axes_schema(const runner::Manifest& runner) {
  Json properties = Json::object();
  for (const Parameter& parameter : runner.parameters) {
    if (parameter.is_compared) continue;
    Json either = Json::array({property_reference(parameter.name), settings_reference()});
    properties[parameter.name] = list_of({{"anyOf", std::move(either)}});
    properties[parameter.name]["description"] = parameter.help;
  }
  Json schema = closed(std::move(properties));
  schema["additionalProperties"] = list_of(settings_reference());
  return schema;
}

Json include_schema() {
  return {{"type", "array"},
          {"items", {{"allOf", Json::array({settings_reference(), Json{{"minProperties", 1}}})}}}};
}

Json model_facts_schema(const runner::Manifest& runner) {
  Json properties = Json::object();
  std::vector<std::string> names;
  for (const matrix::ModelFact& fact : runner.model_facts) {
    names.push_back(fact.column.name.substr(k_model_prefix.size()));
    properties[names.back()] = value_of(fact.column);
  }
  Json schema = closed(std::move(properties));
  // Names with the prefix "model_" are also allowed.
  if (!names.empty())
    schema["patternProperties"] = {{fmt::format("^model_({})$", join(names, "|")), any_word()}};
  return schema;
}

Json machine_facts_schema() {
  Json properties = Json::object();
  for (const Parameter& fact : matrix::host_facts()) {
    Json schema = or_null(form_of(fact));
    schema["description"] = fact.help;
    properties[fact.name.substr(k_host_prefix.size())] = std::move(schema);
  }
  return closed(std::move(properties));
}

// The schemas that replace those of forms, by the address of the form in the tables.
struct Narrowed {
  std::map<const Form*, Json> forms{};
  // The allowed names in maps with free names, and the help for each.
  std::map<const Form*, std::vector<std::pair<std::string, std::string>>> names{};
};

// Writes each table of keys as a definition, once.
class SchemaWriter {
 public:
  // NULLS: a value may be empty, which removes the value of a base.
  SchemaWriter(Narrowed narrowed, bool nulls) : narrowed_(std::move(narrowed)), nulls_(nulls) {}

  // The schema of a map with the keys of TABLE.
  Json map_of(const KeyTable& table) {
    Json properties = Json::object(), required = Json::array();
    for (const Key& key : table.keys) {
      Json value = of(*key.form);
      if (nulls_) value = or_null(std::move(value));
      if (value.contains("$ref")) value = Json{{"anyOf", Json::array({value})}};
      value["description"] = key.help;
      properties[std::string(key.name)] = std::move(value);
      if (key.required) required.push_back(key.name);
    }
    Json schema = {{"type", "object"},
                   {"description", table.help},
                   {"additionalProperties", false},
                   {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
  }

  const Json& definitions() const { return definitions_; }

 private:
  Json of(const Form& form) {
    if (const auto narrowed = narrowed_.forms.find(&form); narrowed != narrowed_.forms.end())
      return narrowed->second;
    if (!form.otherwise) return one_of(form);
    Json all = Json::array();
    for (const Form* one = &form; one; one = one->otherwise) all.push_back(one_of(*one));
    return Json{{"anyOf", std::move(all)}};
  }

  Json one_of(const Form& form) {
    switch (form.kind) {
      case Form::Kind::word: return word(form);
      case Form::Kind::sql: return filled(any_word(), form);
      case Form::Kind::path:
      case Form::Kind::version: return filled({{"type", {"string", "number"}}}, form);
      case Form::Kind::integer:
      case Form::Kind::number: return number(form);
      case Form::Kind::boolean: return {{"type", "boolean"}};
      case Form::Kind::list: return list(form);
      case Form::Kind::names: return names(form);
      case Form::Kind::keys: return reference(*form.keys);
    }
    return {};
  }

  static Json word(const Form& form) {
    if (form.choices.empty()) return filled(any_word(), form);
    Json choices = Json::array();
    for (const std::string_view choice : form.choices) choices.push_back(choice);
    return {{"enum", std::move(choices)}};
  }

  static Json filled(Json schema, const Form& form) {
    if (form.least) schema["minLength"] = static_cast<int>(*form.least);
    return schema;
  }

  static Json number(const Form& form) {
    Json schema = {{"type", form.kind == Form::Kind::integer ? "integer" : "number"}};
    if (form.least) schema[form.above ? "exclusiveMinimum" : "minimum"] = *form.least;
    if (form.most) schema["maximum"] = *form.most;
    return schema;
  }

  Json list(const Form& form) {
    Json schema = {{"type", "array"}, {"items", of(*form.of)}};
    if (form.least) schema["minItems"] = static_cast<int>(*form.least);
    if (form.most) schema["maxItems"] = static_cast<int>(*form.most);
    return schema;
  }

  Json names(const Form& form) {
    Json value = of(*form.of);
    if (nulls_) value = or_null(std::move(value));
    Json schema = {{"type", "object"}};
    if (const auto only = narrowed_.names.find(&form); only != narrowed_.names.end()) {
      schema["additionalProperties"] = false;
      schema["properties"] = Json::object();
      for (const auto& [name, help] : only->second) {
        schema["properties"][name] = value;
        schema["properties"][name]["description"] = help;
      }
    } else {
      schema["additionalProperties"] = std::move(value);
    }
    if (form.least) schema["minProperties"] = static_cast<int>(*form.least);
    if (form.most) schema["maxProperties"] = static_cast<int>(*form.most);
    return schema;
  }

  Json reference(const KeyTable& table) {
    const std::string name(table.name);
    if (!definitions_.contains(name)) {
      definitions_[name] = Json::object();  // a table may contain itself
      Json schema = map_of(table);
      definitions_[name] = std::move(schema);
    }
    return {{"$ref", "#/definitions/" + name}};
  }

  Narrowed narrowed_;
  bool nulls_;
  Json definitions_ = Json::object();
};

std::string schema_of(const KeyTable& table, const std::string& title, const Json& more,
                      SchemaWriter writer, Json definitions = Json::object()) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
  schema.update(writer.map_of(table));
  schema.erase("required");
  schema.update(more);
  definitions.update(writer.definitions());
  if (!definitions.empty()) schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

Json required(std::initializer_list<const char*> names) {
  return {{"required", Json(std::vector<std::string>(names.begin(), names.end()))}};
}

}  // namespace

std::string matrix_schema(const runner::Manifest* runner) {
  Narrowed narrowed{.forms = {{&keys::k_stated_machine, machine_facts_schema()}}};
  Json definitions = Json::object();
  if (runner) {
    definitions["settings"] = settings_schema(*runner);
    narrowed.forms[&keys::k_runner_name] = {{"enum", Json::array({runner->name})}};
    narrowed.forms[&keys::k_settings] = settings_reference();
    narrowed.forms[&keys::k_axes] = axes_schema(*runner);
    narrowed.forms[&keys::k_more_points] = include_schema();
    narrowed.forms[&keys::k_stated_facts] = model_facts_schema(*runner);
    for (const runner::StageKind& stage : runner->stages)
      narrowed.names[&keys::k_provided].emplace_back(stage.name, stage.help);
  }
  const Json more = {{"anyOf", Json::array({required({"name", "runner"}), required({"base"})})}};
  return schema_of(keys::k_matrix,
                   "A matrix of orchestrate" + (runner ? " for " + runner->name : ""), more,
                   SchemaWriter(narrowed, true), std::move(definitions));
}

std::string runner_schema() {
  Json sections = Json::array();
  for (const Key& key : keys::k_part.keys) sections.push_back(key.name);
  const Json part = {{"propertyNames", {{"enum", std::move(sections)}}}};
  return schema_of(keys::k_manifest, "runner.yaml of orchestrate, or one of its parts",
                   {{"anyOf", Json::array({required({"runner"}), part})}},
                   SchemaWriter(Narrowed{}, false));
}

std::string site_schema() {
  const Narrowed narrowed{.forms = {{&keys::k_stated_machine, machine_facts_schema()}}};
  return schema_of(keys::k_site, "The site file of orchestrate", Json::object(),
                   SchemaWriter(narrowed, false));
}

}  // namespace orch::session
