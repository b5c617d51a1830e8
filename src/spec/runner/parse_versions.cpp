// `versions:` of runner.yaml, and the rules that `since` and `until` of parameters and values
// generate from it.
#include "core/base/text.hpp"
#include "core/sql/database.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/runner/list_manifest.hpp"
#include "spec/runner/manifest_sections.hpp"

namespace orch::runner {

namespace {

using matrix::Versions;

void read_row(const Yaml& key, const Yaml& node, Versions& versions, ManifestReader& reader) {
  Versions::Row row{.version = key.text};
  if (const auto version =
          matrix::read_text({.name = "version", .type = matrix::Type::version}, key.text);
      !version)
    reader.fail(key.where, "{} in 'versions' is not a version; write one like 0.14.0",
                quoted(key.text));
  if (node.is_map()) {
    YamlMap map(node, keys::k_version_row, fmt::format("version {}", quoted(key.text)),
                reader.errors());
    map.take("evidence", row.evidence);
    map.take("note", row.note);
  } else {
    assign(row.evidence, node);
  }
  if (!versions.rows.empty() && compare_versions(versions.rows.back().version, row.version) >= 0)
    reader.fail(key.where, "version {} comes after {}; write the oldest first", quoted(key.text),
                versions.rows.back().version);
  versions.rows.push_back(std::move(row));
}

// carried_by: {of: Triton, rows: {24.10: 0.14.0}}
void read_carrier(YamlMap& section, Versions& versions) {
  auto map = section.section("carried_by");
  if (!map) return;
  Versions::Carrier& carrier = versions.carried_by.emplace();
  map->take("of", carrier.of);
  for (const Yaml::Entry* row : map->take_entries("rows"))
    carrier.rows.emplace_back(row->key.text, row->value.text);
}

// The name of a generated rule.
std::string rule_name(std::string_view of) {
  std::string name = "version-of-";
  for (const char c : lower(of)) name += is_letter_or_digit(c) ? c : '-';
  return name;
}

// '0.14' for 0.14.0, unless 0.14 is a separate version: it compares as older than 0.14.0 and would
// count as a late 0.13.
std::string short_versions(const Versions& versions) {
  static constexpr std::string_view k_end = ".0";
  std::vector<std::string> found;
  for (const Versions::Row& row : versions.rows) {
    if (!row.version.ends_with(k_end)) continue;
    const std::string without = row.version.substr(0, row.version.size() - k_end.size());
    const bool is_one = std::ranges::any_of(
        versions.rows, [&](const auto& other) { return other.version == without; });
    if (without.find('.') != std::string::npos && !is_one)
      found.push_back(sql::quote_text(without));
  }
  return join(found, ", ");
}

}  // namespace

void read_versions(YamlMap& manifest_map, Manifest& manifest, ManifestReader& reader) {
  auto map = manifest_map.section("versions");
  if (!map) return;
  Versions versions{.parameter = {}, .of = {}, .where = map->node().where};
  map->take("parameter", versions.parameter);
  map->take("of", versions.of);
  if (const Yaml* rows = map->take("rows"); rows && !reader.has_too_many(*rows, "rows")) {
    map->take_fitting("rows");
    for (const auto& [key, value] : rows->entries) read_row(key, value, versions, reader);
  }
  read_carrier(*map, versions);
  if (!versions.rows.empty()) manifest.versions = std::move(versions);
}

void check_versions(Manifest& manifest, ManifestReader& reader) {
  if (!manifest.versions) return;
  const Versions& versions = *manifest.versions;
  const matrix::Parameter* parameter = manifest.parameter(versions.parameter);
  if (!parameter || parameter->type != matrix::Type::version)
    return reader.fail(
        versions.where,
        "'versions' uses {}, which is not a parameter of type version; declare it as one",
        quoted(versions.parameter));
  // Comes first, because no other rule applies to a version that is not in the table.
  manifest.rules.insert(
      manifest.rules.begin(),
      {.name = "known-version",
       .require = matrix::known_versions_sql(versions),
       .because = fmt::format("{0} {{{1}}} is no release that this runner knows; "
                              "{{instead of {1}}}; another one can be added under "
                              "`versions:` of the runner",
                              versions.of, versions.parameter),
       .where = parameter->where,
       .ends = true});
  if (const std::string written_short = short_versions(versions); !written_short.empty())
    manifest.rules.insert(
        manifest.rules.begin(),
        {.name = "whole-version",
         .require = fmt::format("{} NOT IN ({})", versions.parameter, written_short),
         .because = fmt::format("{0} {{{1}}} would count as older than {{{1}}}.0, the version in "
                                "the table; write {{{1}}}.0",
                                versions.of, versions.parameter),
         .where = parameter->where,
         .ends = true});
}

Span read_span(YamlMap& map, const Manifest& manifest, ManifestReader& reader) {
  Span span;
  for (auto& [key, version] :
       {std::pair{"since", &span.releases.since}, std::pair{"until", &span.releases.until}}) {
    const Yaml* node = map.take_fitting(key);
    if (!node) continue;
    span.where = node->where;
    if (!manifest.versions) {
      reader.fail(node->where, "'{}' refers to the versions of a tool; add 'versions' first", key);
      continue;
    }
    const auto& rows = manifest.versions->rows;
    if (std::ranges::none_of(rows, [&](const auto& row) { return row.version == node->text; }))
      reader.fail(node->where, "'{}' names {}, which is not in 'versions'; add it there", key,
                  quoted(node->text));
    else *version = node->text;
  }
  return span;
}

namespace {

// SQL that is true for a point whose version is in SPAN, which has a bound.
std::string in_span(const matrix::Releases& span, const Versions& versions) {
  std::vector<std::string> parts;
  if (!span.since.empty())
    parts.push_back(fmt::format("{} >= {}", versions.parameter, sql::quote_text(span.since)));
  if (!span.until.empty())
    parts.push_back(fmt::format("{} < {}", versions.parameter, sql::quote_text(span.until)));
  return join(parts, " AND ");
}

// For users: "0.14.0 to 0.16.0 have it", the versions within SPAN.
std::string who_has_it(const matrix::Releases& span, const Versions& versions) {
  const std::vector<std::string> have = versions_within(span, versions);
  if (have.empty()) return "no version has it";
  return have.size() == 1 ? have.front() + " alone has it"
                          : fmt::format("{} to {} have it", have.front(), have.back());
}

}  // namespace

void keep_within(matrix::Parameter& parameter, const Span& span, Manifest& manifest) {
  const Versions& versions = *manifest.versions;
  const std::string has = in_span(span.releases, versions);
  std::string fallback = parameter.fallback_sql.value_or("");
  if (parameter.fallback) {
    const bool bare = parameter.type == matrix::Type::integer ||
                      parameter.type == matrix::Type::real ||
                      parameter.type == matrix::Type::boolean;
    fallback = bare ? parameter.fallback->text : sql::quote_text(parameter.fallback->text);
    parameter.fallback.reset();
    parameter.fallback_where = span.where;
  }
  if (!fallback.empty())
    parameter.fallback_sql = fmt::format("CASE WHEN {} THEN ({}) END", has, fallback);
  parameter.optional = true;
  manifest.rules.push_back(
      {.name = rule_name(parameter.name),
       .require = fmt::format("{} IS NULL OR ({})", parameter.name, has),
       .because = fmt::format("{} {{{}}} has no {}; {}", versions.of, versions.parameter,
                              parameter.name, who_has_it(span.releases, versions)),
       .where = span.where});
}

void keep_value_within(const matrix::Parameter& parameter, const std::string& value,
                       const Span& span, Manifest& manifest) {
  const Versions& versions = *manifest.versions;
  const bool text = parameter.type == matrix::Type::text || parameter.type == matrix::Type::version;
  manifest.rules.push_back(
      {.name = rule_name(parameter.name + "-" + value),
       .require =
           fmt::format("{0} IS NULL OR {0} <> {1} OR ({2})", parameter.name,
                       text ? sql::quote_text(value) : value, in_span(span.releases, versions)),
       .because = fmt::format("{} {{{}}} has no {} {}; {}", versions.of, versions.parameter,
                              parameter.name, value, who_has_it(span.releases, versions)),
       .where = span.where});
}

}  // namespace orch::runner
