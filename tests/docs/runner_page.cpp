#include "docs/pages.hpp"
#include "spec/matrix/vocabulary.hpp"
#include "spec/runner/list_manifest.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::docs {

namespace {

using matrix::Parameter;
using runner::Manifest;

Result<std::string> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) return invalid("cannot be read: " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Manifest manifest_in(const std::string& folder) {
  const std::string file = folder + "/runner.yaml";
  Errors errors;
  Manifest manifest = runner::parse_manifest(*read(file), file, errors, read);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return manifest;
}

std::string default_of(const Manifest& manifest, const Parameter& parameter) {
  const matrix::Declared& declared = parameter.declared;
  if (parameter.is_compared)
    return declared.fallback_sql ? "computed: " + code(*declared.fallback_sql) : "not known";
  if (declared.fallback) return code(runner::default_words(parameter));
  if (declared.fallback_sql) return "SQL: " + code(*declared.fallback_sql);
  return runner::is_required(manifest, parameter) ? "**required**" : "none";
}

std::string versions_of(const Manifest& manifest) {
  if (!manifest.versions) return "";
  const matrix::Versions& versions = *manifest.versions;
  std::string text = fmt::format(
      "\n## Versions\n\nVersions of {}, chosen by the parameter `{}`. Options of a version are "
      "verified (read from that version itself), taken from a neighbour, or inferred from "
      "documents.\n\n",
      prose(versions.of), versions.parameter);
  text += head({"version", "evidence", "note"});
  for (const matrix::Versions::Row& one : versions.rows)
    text += row({one.version, std::string(to_string(one.evidence)), prose(one.note)});
  return text;
}

std::string stages_of(const Manifest& manifest) {
  std::string text =
      "\n## Stages\n\n`orchestrate explain STAGE` prints a stage's command, and what "
      "makes it stale.\n\n" +
      head({"stage", "kind", "does", "needs", "only for points where"});
  for (const runner::StageKind& stage : manifest.stages)
    text += row({code(stage.name), std::string(to_string(stage.kind)), prose(stage.help),
                 codes(stage.needs), stage.when ? code(manifest.questions[*stage.when].sql) : ""});
  return text;
}

std::string parameters_of(const Manifest& manifest) {
  std::vector<std::string> titles = {"parameter", "meaning", "values", "default"};
  if (manifest.versions) titles.push_back(prose(manifest.versions->of));
  std::string text =
      "\n## Parameters\n\nWhat a matrix may set under `axes`, `defaults` and `let`. A "
      "default in SQL is computed from other parameters and from facts.\n\n" +
      head(titles);
  for (const Parameter& parameter : manifest.parameters) {
    std::vector<std::string> cells = {code(parameter.name), prose(parameter.help),
                                      prose(runner::type_words(parameter)),
                                      default_of(manifest, parameter)};
    if (manifest.versions) cells.push_back(runner::release_words(parameter.declared.releases));
    text += row(cells);
  }
  return text;
}

bool is_of_versions(const matrix::Rule& rule) { return rule.name.starts_with("version-of-"); }

std::string rules_of(const Manifest& manifest) {
  if (manifest.rules.empty()) return "";
  std::string text =
      "\n## Rules\n\nA point that breaks a rule is rejected before anything runs, with the reason "
      "given here; a rule that warns keeps the point.\n\n" +
      head({"rule", "reason", "must hold", "where"});
  std::size_t of_versions = 0;
  for (const matrix::Rule& rule : manifest.rules) {
    if (is_of_versions(rule)) ++of_versions;
    else
      text += row({code(rule.name) + (rule.level == matrix::Rule::Level::warn ? " (warns)" : ""),
                   prose(rule.because), code(rule.require), code(rule.when)});
  }
  if (of_versions)
    text += fmt::format(
        "\nA further {} rules named `version-of-...` reject parameters and values "
        "that the chosen version does not have.\n",
        of_versions);
  return text;
}

std::string facts_of(const Manifest& manifest) {
  std::string text =
      "\n## Facts\n\nWhat rules and SQL may read beside parameters. Facts of a model come from its "
      "files or from `models: NAME: facts:` (there without `model_`), facts of the machine from "
      "the machine or from `machine:` (there without `host_`).\n\n" +
      head({"fact", "meaning", "value", "read from", "if it is not named"});
  for (const matrix::ModelFact& fact : manifest.model_facts)
    text += row({code(fact.column.name), prose(fact.column.help),
                 prose(runner::type_words(fact.column)), codes(fact.keys),
                 fact.absent ? code(fact.absent->text) : ""});
  for (const Parameter& fact : matrix::host_facts())
    text += row(
        {code(fact.name), prose(fact.help), prose(runner::type_words(fact)), "the machine", ""});
  return text;
}

}  // namespace

std::string runner_page(const std::string& folder) {
  const Manifest manifest = manifest_in(folder);
  return title("Runner " + manifest.name) +
         fmt::format(
             "\n{}: {}.\n\n`orchestrate runners {}` prints this page in a terminal, and "
             "`orchestrate init --runner {}` writes a matrix with all parameters.\n",
             prose(manifest.description), runner::counts_of(manifest), manifest.name,
             manifest.name) +
         versions_of(manifest) + stages_of(manifest) + parameters_of(manifest) +
         rules_of(manifest) + facts_of(manifest);
}

}  // namespace orch::docs
