#include "runner/columns_read.hpp"

#include "matrix/cells.hpp"
#include "sql/expression_table.hpp"

namespace orch::runner {

namespace {

// Asks SQLite which columns many expressions read, in one table.
class Asked {
 public:
  explicit Asked(const Manifest& manifest) {
    for (const matrix::Parameter& parameter : manifest.parameters)
      table_.add_column(parameter.name, matrix::column_type(parameter.type));
    for (const matrix::ModelFact& fact : manifest.model_facts)
      table_.add_column(fact.column.name, matrix::column_type(fact.column.type));
    for (const matrix::Parameter& fact : matrix::host_facts())
      table_.add_column(fact.name, matrix::column_type(fact.type));
  }

  void ask(std::string what, const std::string& sql) {
    table_.add({.what = what, .sql = sql});
    whats_.push_back(std::move(what));
  }

  std::vector<ReaderOf> answers() {
    Errors ignored;  // `check` reports them
    static_cast<void>(table_.create(ignored));
    std::vector<ReaderOf> readers;
    for (std::size_t i = 0; i < whats_.size(); ++i)
      readers.push_back({.what = whats_[i], .names = table_.reads(i)});
    return readers;
  }

 private:
  sql::ExpressionTable table_;
  std::vector<std::string> whats_;
};

}  // namespace

std::vector<ReaderOf> readers_of(const Manifest& manifest) {
  std::vector<ReaderOf> readers;
  for (const StageKind& stage : manifest.stages)
    if (!stage.reads.empty())
      readers.push_back({.what = fmt::format("stage '{}'", stage.name),
                         .names = {stage.reads.begin(), stage.reads.end()}});
  Asked asked(manifest);
  for (const matrix::Rule& rule : manifest.rules) {
    asked.ask(fmt::format("rule '{}'", rule.name), rule.require);
    if (!rule.when.empty()) asked.ask(fmt::format("'when' of rule '{}'", rule.name), rule.when);
  }
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (parameter.fallback_sql)
      asked.ask(fmt::format("the default of parameter '{}'", parameter.name),
                *parameter.fallback_sql);
  for (const matrix::Question& question : manifest.questions)
    asked.ask(question.what, question.sql);
  const auto answers = asked.answers();
  readers.insert(readers.end(), answers.begin(), answers.end());
  return readers;
}

std::set<std::string> read_by_rule(const Manifest& manifest, std::size_t index) {
  Asked asked(manifest);
  const matrix::Rule& rule = manifest.rules[index];
  asked.ask(rule.name, rule.require);
  if (!rule.when.empty()) asked.ask(rule.name, rule.when);
  std::set<std::string> names;
  for (const ReaderOf& answer : asked.answers())
    names.insert(answer.names.begin(), answer.names.end());
  return names;
}

}  // namespace orch::runner
