#include "spec/runner/explain_manifest.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/facts.hpp"
#include "spec/runner/columns_read.hpp"
#include "spec/runner/explain_stage.hpp"

namespace orch::runner {

namespace {

const matrix::Parameter* find_column(const Manifest& manifest, std::string_view name) {
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (parameter.name == name) return &parameter;
  for (const matrix::ModelFact& fact : manifest.model_facts)
    if (fact.column.name == name) return &fact.column;
  for (const matrix::Parameter& fact : matrix::host_facts())
    if (fact.name == name) return &fact;
  return nullptr;
}

Lines columns_in_words(const Manifest& manifest, const std::set<std::string>& names) {
  Lines lines;
  for (const std::string& name : names) {
    const matrix::Parameter* column = find_column(manifest, name);
    if (column) lines.push_back(in_words(*column));
  }
  return lines;
}

// The readers of NAME, each once. The rules that `since` and `until` generate share a line: there
// may be a hundred. The parameters whose defaults read NAME are appended to DERIVED.
Lines direct_readers(const Manifest& manifest, const std::vector<ReaderOf>& readers,
                     const std::string& name, Lines& derived) {
  Lines lines;
  std::size_t of_versions = 0;
  for (const ReaderOf& reader : readers) {
    if (!reader.names.contains(name) || std::ranges::find(lines, reader.what) != lines.end())
      continue;
    const bool is_one_of_many = manifest.versions && manifest.versions->parameter == name &&
                                reader.what.starts_with("rule 'version-of-");
    if (is_one_of_many) ++of_versions;
    else lines.push_back(reader.what);
    const bool is_new = !reader.derives.empty() && reader.derives != name &&
                        std::ranges::find(derived, reader.derives) == derived.end();
    if (is_new) derived.push_back(reader.derives);
  }
  if (of_versions)
    lines.push_back(fmt::format("{} rule{} version-of-..., generated from `since` and `until`",
                                of_versions, of_versions == 1 ? "" : "s"));
  return lines;
}

// The readers of NAME, and those of the parameters that follow from it.
Lines readers_in_words(const Manifest& manifest, const std::string& name) {
  const std::vector<ReaderOf> readers = readers_of(manifest);
  Lines derived;
  Lines lines = direct_readers(manifest, readers, name, derived);
  if (lines.empty()) return {"nothing"};
  for (std::size_t i = 0; i < derived.size(); ++i) {  // grows while it is read
    const std::string through = derived[i];
    if (through == name) continue;
    const Lines further = direct_readers(manifest, readers, through, derived);
    if (!further.empty())
      lines.push_back(fmt::format("through {}: {}", through, join(further, ", ")));
  }
  return lines;
}

std::string_view what_follows(matrix::Rule::Level level) {
  switch (level) {
    case matrix::Rule::Level::warn: return "else the point carries the warning";
    case matrix::Rule::Level::note: return "else `check` notes";
    case matrix::Rule::Level::reject: break;
  }
  return "else the point is rejected with";
}

std::string explain_rule(const Manifest& manifest, std::size_t index) {
  const matrix::Rule& rule = manifest.rules[index];
  std::string text = fmt::format("rule {} of runner {} ({})\n", rule.name, manifest.name,
                                 to_string(rule.where.first()));
  text += section("must hold", {rule.require});
  text += section("applies only where", rule.when.empty() ? Lines{} : Lines{rule.when});
  text += section(what_follows(rule.level), {rule.because});
  return text + section("reads", columns_in_words(manifest, read_by_rule(manifest, index)));
}

std::string explain_parameter(const Manifest& manifest, const matrix::Parameter& parameter) {
  std::string text = fmt::format("parameter {} of runner {} ({})\n", parameter.name, manifest.name,
                                 to_string(parameter.where));
  text += section("is", {in_words(parameter)});
  return text + section("read by", readers_in_words(manifest, parameter.name));
}

std::string explain_fact(const Manifest& manifest, const matrix::ModelFact& fact) {
  std::string text = fmt::format("fact {} of models, of runner {} ({})\n", fact.column.name,
                                 manifest.name, to_string(fact.column.where));
  text += section("is", {in_words(fact.column)});
  const FactSource& source = *manifest.fact_source;  // without one there are no facts
  text += section("comes from", {fmt::format("{} of stage '{}': the first key that exists of {}",
                                             source.file, source.stage, join(fact.keys, ", ")),
                                 "or `models: NAME: facts:` of the matrix"});
  if (fact.absent) text += section("value if neither names it", {fact.absent->text});
  return text + section("read by", readers_in_words(manifest, fact.column.name));
}

std::string explain_host_fact(const Manifest& manifest, const matrix::Parameter& fact) {
  std::string text =
      fmt::format("fact {} of the machine, for runner {}\n", fact.name, manifest.name);
  text += section("is", {in_words(fact)});
  text += section(
      "comes from",
      {"the machine that plans",
       fmt::format("or {} under `machine:` of the matrix or the site file, or in --machine FILE",
                   fact.name.substr(std::string_view("host_").size()))});
  return text + section("read by", readers_in_words(manifest, fact.name));
}

}  // namespace

std::vector<std::string> names_of(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const StageKind& stage : manifest.stages) names.push_back(stage.name);
  for (const matrix::Rule& rule : manifest.rules) names.push_back(rule.name);
  for (const matrix::Parameter& parameter : manifest.parameters) names.push_back(parameter.name);
  for (const matrix::ModelFact& fact : manifest.model_facts) names.push_back(fact.column.name);
  return names;
}

std::string explain(const Manifest& manifest, std::string_view name) {
  std::vector<std::string> texts;
  for (const StageKind& stage : manifest.stages)
    if (stage.name == name) texts.push_back(explain_stage(manifest, stage));
  for (std::size_t i = 0; i < manifest.rules.size(); ++i)
    if (manifest.rules[i].name == name) texts.push_back(explain_rule(manifest, i));
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (parameter.name == name) texts.push_back(explain_parameter(manifest, parameter));
  for (const matrix::ModelFact& fact : manifest.model_facts)
    if (fact.column.name == name) texts.push_back(explain_fact(manifest, fact));
  for (const matrix::Parameter& fact : matrix::host_facts())
    if (fact.name == name) texts.push_back(explain_host_fact(manifest, fact));
  return join(texts, "\n");
}

}  // namespace orch::runner
