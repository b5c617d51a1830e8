#include "spec/runner/parameter_words.hpp"

#include "core/base/text.hpp"

namespace orch::runner {

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
    if (std::ranges::find(stage.reads, name) != stage.reads.end()) stages.push_back(stage.name);
  return stages;
}

bool is_required(const Manifest& manifest, const matrix::Parameter& parameter) {
  const matrix::Declared& declared = parameter.declared;
  if (declared.optional || declared.fallback || declared.fallback_sql) return false;
  if (declared.releases.bounds()) return false;
  return parameter.name == "model" || !stages_reading(manifest, parameter.name).empty();
}

}  // namespace orch::runner
