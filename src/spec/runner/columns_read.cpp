#include "spec/runner/columns_read.hpp"

#include "spec/matrix/cells.hpp"
#include "core/sql/expression_table.hpp"

#include <span>

namespace orch::runner {

namespace {

struct Asking {
  std::string what;
  std::string sql;
};

// A table refuses more columns and expressions than SQLite can hold.
constexpr std::size_t k_asked_at_once = 200;

// Asks SQLite which columns of MANIFEST each of ASKING reads.
std::vector<ReaderOf> ask(const Manifest& manifest, std::span<const Asking> asking) {
  std::vector<ReaderOf> readers;
  while (!asking.empty()) {
    const auto now = asking.first(std::min(asking.size(), k_asked_at_once));
    asking = asking.subspan(now.size());
    sql::ExpressionTable table;
    for (const matrix::Parameter& parameter : manifest.parameters)
      table.add_column(parameter.name, matrix::column_type(parameter.type));
    for (const matrix::ModelFact& fact : manifest.model_facts)
      table.add_column(fact.column.name, matrix::column_type(fact.column.type));
    for (const matrix::Parameter& fact : matrix::host_facts())
      table.add_column(fact.name, matrix::column_type(fact.type));
    for (const Asking& one : now) table.add({.what = one.what, .sql = one.sql});
    Errors ignored;  // `check` reports them
    static_cast<void>(table.create(ignored));
    for (std::size_t i = 0; i < now.size(); ++i)
      readers.push_back({.what = now[i].what, .derives = "", .names = table.reads(i)});
  }
  return readers;
}

}  // namespace

std::vector<ReaderOf> readers_of(const Manifest& manifest) {
  std::vector<ReaderOf> readers;
  for (const StageKind& stage : manifest.stages)
    if (!stage.reads.empty())
      readers.push_back({.what = fmt::format("stage '{}'", stage.name),
                         .derives = "",
                         .names = {stage.reads.begin(), stage.reads.end()}});
  std::vector<Asking> asking;
  for (const matrix::Rule& rule : manifest.rules) {
    asking.push_back({fmt::format("rule '{}'", rule.name), rule.require});
    if (!rule.when.empty())
      asking.push_back({fmt::format("'when' of rule '{}'", rule.name), rule.when});
  }
  const std::size_t defaults = asking.size();
  std::vector<std::string> derived;
  for (const matrix::Parameter& parameter : manifest.parameters) {
    if (!parameter.fallback_sql) continue;
    asking.push_back(
        {fmt::format("the default of parameter '{}'", parameter.name), *parameter.fallback_sql});
    derived.push_back(parameter.name);
  }
  for (const matrix::Question& question : manifest.questions)
    asking.push_back({question.what, question.sql});
  auto answers = ask(manifest, asking);
  for (std::size_t i = 0; i < derived.size(); ++i) answers[defaults + i].derives = derived[i];
  std::move(answers.begin(), answers.end(), std::back_inserter(readers));
  return readers;
}

std::set<std::string> read_by_rule(const Manifest& manifest, std::size_t index) {
  const matrix::Rule& rule = manifest.rules[index];
  std::vector<Asking> asking = {{rule.name, rule.require}};
  if (!rule.when.empty()) asking.push_back({rule.name, rule.when});
  std::set<std::string> names;
  for (const ReaderOf& answer : ask(manifest, asking))
    names.insert(answer.names.begin(), answer.names.end());
  return names;
}

}  // namespace orch::runner
