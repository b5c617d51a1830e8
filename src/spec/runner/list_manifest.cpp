#include "spec/runner/list_manifest.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/vocabulary.hpp"
#include "spec/runner/explain_manifest.hpp"

#include <nlohmann/json.hpp>

namespace orch::runner {

namespace {

using Json = nlohmann::ordered_json;
using matrix::Parameter;

constexpr std::size_t k_columns = 100;
constexpr std::size_t k_most_width = 28;  // of a column of names

// TEXT wrapped to a terminal's width, with each line indented by INDENT.
std::string wrapped(std::string_view text, const std::string& indent) {
  std::string out, line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > k_columns) {
      out += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + indent + line + "\n";
}

// NAME in a column of WIDTH, with LINES below each other next to it.
std::string entry(const std::string& name, std::size_t width, const Lines& lines) {
  const std::string indent(width + 2, ' ');
  std::string text;
  for (const std::string& line : lines) text += wrapped(line, indent);
  if (name.size() > width) return "  " + name + "\n" + text;
  return text.replace(0, name.size() + 2, "  " + name);
}

template <class Entries, class Name>
std::size_t width_of(const Entries& entries, const Name& name) {
  std::size_t width = 0;
  for (const auto& one : entries) width = std::max(width, name(one).size());
  return std::min(width, k_most_width) + 2;
}

std::string default_line(const Manifest& manifest, const Parameter& parameter) {
  if (parameter.is_compared)
    return parameter.declared.fallback_sql ? "computed by " + default_words(parameter)
                                           : "unknown for this runner";
  if (is_required(manifest, parameter)) return "required: it has no default";
  return "default " + default_words(parameter);
}

Lines lines_of(const Manifest& manifest, const Parameter& parameter) {
  Lines lines;
  if (!parameter.help.empty()) lines.push_back(parameter.help);
  lines.push_back(fmt::format("{}; {}", type_words(parameter), default_line(manifest, parameter)));
  if (const std::string releases = release_words(parameter.declared.releases); !releases.empty())
    lines.push_back(fmt::format("{} {}", manifest.versions->of, releases));
  return lines;
}

std::string parameters_text(const Manifest& manifest) {
  const std::size_t width =
      width_of(manifest.parameters, [](const Parameter& one) { return one.name; });
  std::string text = fmt::format("\nparameters ({})\n", manifest.parameters.size());
  for (const Parameter& parameter : manifest.parameters)
    text += entry(parameter.name, width, lines_of(manifest, parameter));
  return text;
}

std::string stages_text(const Manifest& manifest) {
  const std::size_t width =
      width_of(manifest.stages, [](const StageKind& one) { return one.name; });
  std::string text = fmt::format("\nstages ({})\n", manifest.stages.size());
  for (const StageKind& stage : manifest.stages) {
    std::string line(to_string(stage.kind));
    if (!stage.needs.empty()) line += ", needs " + join(stage.needs, ", ");
    Lines lines;
    if (!stage.help.empty()) lines.push_back(stage.help);
    lines.push_back(line);
    if (stage.when) lines.push_back("only where " + manifest.questions[*stage.when].sql);
    text += entry(stage.name, width, lines);
  }
  return text;
}

// What follows the name of a RULE that rejects no point.
std::string_view mark_of(const matrix::Rule& rule) {
  using Level = matrix::Rule::Level;
  return rule.level == Level::warn ? " (warns only)" : rule.level == Level::note ? " (a note)" : "";
}

std::string rules_text(const Manifest& manifest) {
  std::string text = fmt::format("\nrules ({})\n", manifest.rules.size());
  for (const matrix::Rule& rule : manifest.rules) {
    text += fmt::format("  {}{}\n", rule.name, mark_of(rule));
    text += wrapped(rule.because, "    ");
    text += wrapped("requires " + rule.require, "    ");
    if (!rule.when.empty()) text += wrapped("where " + rule.when, "    ");
  }
  return text;
}

std::string facts_text(const Manifest& manifest) {
  std::vector<std::pair<std::string, Lines>> rows;
  for (const matrix::ModelFact& fact : manifest.model_facts) {
    std::string line = type_words(fact.column);
    if (fact.absent) line += fmt::format("; {} if no source states it", fact.absent->text);
    line += "; from " + join(fact.keys, ", ");
    rows.emplace_back(fact.column.name, Lines{line});
    if (!fact.column.help.empty())
      rows.back().second.insert(rows.back().second.begin(), fact.column.help);
  }
  for (const Parameter& fact : matrix::host_facts())
    rows.emplace_back(fact.name, Lines{fact.help, type_words(fact) + "; of the machine"});
  const std::size_t width = width_of(rows, [](const auto& row) { return row.first; });
  std::string text = fmt::format("\nfacts ({})\n", rows.size());
  for (const auto& [name, lines] : rows) text += entry(name, width, lines);
  return text;
}

std::string versions_text(const matrix::Versions& versions) {
  std::string text =
      fmt::format("\nversions of {} (parameter {})\n", versions.of, versions.parameter);
  for (const matrix::Versions::Row& row : versions.rows)
    text += fmt::format("  {:<10} {}{}\n", row.version, to_string(row.evidence),
                        row.note.empty() ? "" : ": " + row.note);
  return text;
}

Json json_of(const matrix::Value& value) {
  return std::visit([](const auto& one) { return Json(one); }, matrix::typed(value));
}

Json json_of(const Parameter& parameter) {
  Json json = {{"name", parameter.name}, {"type", type_name(parameter)}};
  if (!parameter.help.empty()) json["help"] = parameter.help;
  if (!parameter.declared.unit.empty()) json["unit"] = parameter.declared.unit;
  if (!parameter.allowed.empty())
    for (const std::string& value : parameter.allowed)
      json["values"].push_back(json_of(matrix::Value{parameter.type, value}));
  if (parameter.least) json["min"] = *parameter.least;
  if (parameter.most) json["max"] = *parameter.most;
  return json;
}

void add_releases(Json& json, const matrix::Releases& releases) {
  if (!releases.since.empty()) json["since"] = releases.since;
  if (!releases.until.empty()) json["until"] = releases.until;
}

Json parameter_json(const Manifest& manifest, const Parameter& parameter) {
  const matrix::Declared& declared = parameter.declared;
  Json json = json_of(parameter);
  if (declared.fallback) json["default"] = json_of(*declared.fallback);
  if (declared.fallback_sql) json["sql"] = *declared.fallback_sql;
  if (parameter.is_compared) json["compared"] = true;
  json["required"] = is_required(manifest, parameter);
  json["optional"] = declared.optional;
  add_releases(json, declared.releases);
  if (declared.releases.bounds())
    json["versions"] = versions_within(declared.releases, *manifest.versions);
  for (const auto& [value, releases] : declared.values) {
    Json bounded = {{"value", value}};
    add_releases(bounded, releases);
    json["bounded_values"].push_back(std::move(bounded));
  }
  json["read_by"] = stages_reading(manifest, parameter.name);
  return json;
}

Json stage_json(const Manifest& manifest, const StageKind& stage) {
  Json json = {{"name", stage.name}, {"kind", to_string(stage.kind)}};
  if (!stage.help.empty()) json["help"] = stage.help;
  json["needs"] = stage.needs;
  json["reads"] = stage.reads;
  if (stage.when) json["when"] = manifest.questions[*stage.when].sql;
  json["outputs"] = stage.outputs;
  return json;
}

Json rule_json(const matrix::Rule& rule) {
  Json json = {{"name", rule.name}, {"require", rule.require}};
  if (!rule.when.empty()) json["when"] = rule.when;
  json["because"] = rule.because;
  json["level"] = to_string(rule.level);
  return json;
}

Json facts_json(const Manifest& manifest) {
  Json facts = Json::array();
  for (const matrix::ModelFact& fact : manifest.model_facts) {
    Json json = json_of(fact.column);
    json["of"] = "model";
    json["keys"] = fact.keys;
    if (fact.absent) json["absent"] = json_of(*fact.absent);
    facts.push_back(std::move(json));
  }
  for (const Parameter& fact : matrix::host_facts()) {
    facts.push_back(json_of(fact));
    facts.back()["of"] = "machine";
  }
  return facts;
}

Json versions_json(const matrix::Versions& versions) {
  Json json = {{"parameter", versions.parameter}, {"of", versions.of}, {"rows", Json::array()}};
  for (const matrix::Versions::Row& row : versions.rows) {
    Json one = {{"version", row.version}, {"evidence", to_string(row.evidence)}};
    if (!row.note.empty()) one["note"] = row.note;
    json["rows"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string release_words(const matrix::Releases& releases) {
  std::vector<std::string> parts;
  if (!releases.since.empty()) parts.push_back(fmt::format("from {} on", releases.since));
  if (!releases.until.empty()) parts.push_back(fmt::format("before {}", releases.until));
  return join(parts, ", ");
}

std::string type_words(const matrix::Parameter& parameter) {
  std::string text(matrix::type_name(parameter));
  if (!parameter.declared.unit.empty()) text += fmt::format(" ({})", parameter.declared.unit);
  if (parameter.least) text += fmt::format(", at least {}", *parameter.least);
  if (parameter.most) text += fmt::format(", at most {}", *parameter.most);
  std::vector<std::string> values;
  for (const std::string& value : parameter.allowed) {
    const auto bounded = parameter.declared.values.find(value);
    values.push_back(bounded == parameter.declared.values.end()
                         ? value
                         : fmt::format("{} ({})", value, release_words(bounded->second)));
  }
  return values.empty() ? text : fmt::format("{}, one of {}", text, join(values, ", "));
}

std::string default_words(const matrix::Parameter& parameter) {
  const matrix::Declared& declared = parameter.declared;
  if (declared.fallback) return declared.fallback->text.empty() ? "''" : declared.fallback->text;
  if (declared.fallback_sql) return "SQL: " + *declared.fallback_sql;
  return declared.optional ? "none, and it may stay without a value" : "none";
}

std::vector<std::string> versions_within(const matrix::Releases& releases,
                                         const matrix::Versions& versions) {
  std::vector<std::string> within;
  for (const matrix::Versions::Row& row : versions.rows)
    if ((releases.since.empty() || compare_versions(row.version, releases.since) >= 0) &&
        (releases.until.empty() || compare_versions(row.version, releases.until) < 0))
      within.push_back(row.version);
  return within;
}

std::vector<std::string> stages_reading(const Manifest& manifest, std::string_view name) {
  std::vector<std::string> stages;
  for (const StageKind& stage : manifest.stages)
    if (contains(stage.reads, name)) stages.push_back(stage.name);
  return stages;
}

bool is_required(const Manifest& manifest, const matrix::Parameter& parameter) {
  const matrix::Declared& declared = parameter.declared;
  if (declared.optional || declared.fallback || declared.fallback_sql) return false;
  if (declared.releases.bounds()) return false;
  return parameter.name == "model" || !stages_reading(manifest, parameter.name).empty();
}

std::string version_range(const Manifest& manifest) {
  if (!manifest.versions) return "";
  const auto& rows = manifest.versions->rows;
  return fmt::format("{} {} to {}", manifest.versions->of, rows.front().version,
                     rows.back().version);
}

std::string counts_of(const Manifest& manifest) {
  return join(
      std::vector{plural(manifest.stages.size(), "stage"),
                  plural(manifest.parameters.size(), "parameter"),
                  plural(manifest.rules.size(), "rule"),
                  plural(manifest.model_facts.size() + matrix::host_facts().size(), "fact")},
      ", ");
}

std::string list_text(const Manifest& manifest, const Listed& listed) {
  std::string text = fmt::format("runner {} ({})\n", manifest.name, manifest.file);
  if (!manifest.description.empty()) text += wrapped(manifest.description, "");
  text += counts_of(manifest) + "\n";
  if (manifest.versions) text += versions_text(*manifest.versions);
  if (listed.stages) text += stages_text(manifest);
  if (listed.parameters) text += parameters_text(manifest);
  if (listed.rules) text += rules_text(manifest);
  if (listed.facts) text += facts_text(manifest);
  return text;
}

std::string list_json(const Manifest& manifest, const Listed& listed) {
  Json json = {
      {"name", manifest.name}, {"description", manifest.description}, {"file", manifest.file}};
  if (manifest.versions) json["versions"] = versions_json(*manifest.versions);
  if (listed.stages) json["stages"] = Json::array();
  if (listed.stages)
    for (const StageKind& stage : manifest.stages)
      json["stages"].push_back(stage_json(manifest, stage));
  if (listed.parameters) json["parameters"] = Json::array();
  if (listed.parameters)
    for (const Parameter& parameter : manifest.parameters)
      json["parameters"].push_back(parameter_json(manifest, parameter));
  if (listed.rules) json["rules"] = Json::array();
  if (listed.rules)
    for (const matrix::Rule& rule : manifest.rules) json["rules"].push_back(rule_json(rule));
  if (listed.facts) json["facts"] = facts_json(manifest);
  return json.dump(2) + "\n";
}

}  // namespace orch::runner
