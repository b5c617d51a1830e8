#include "analysis/compare/gate.hpp"

#include "core/base/text.hpp"
#include "analysis/compare/comparison_table.hpp"
#include "results/query/query.hpp"
#include "core/sql/database.hpp"

#include <algorithm>

namespace orch::compare {

namespace {

constexpr std::string_view k_false = "false";
Result<sql::Database> database_of(const report::Table& table) {
  ORCH_ASSIGN(sql::Database database, sql::Database::open(":memory:"));
  std::string columns, places;
  for (const Column& column : comparison_columns()) {
    columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", sql::quote_name(column.name),
                           column.type);
    places += places.empty() ? "?" : ", ?";
  }
  ORCH_TRY(database.execute("CREATE TABLE comparison (" + columns + ")"));
  {
    ORCH_ASSIGN(sql::Statement insert,
                database.prepare("INSERT INTO comparison VALUES (" + places + ")"));
    for (const auto& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i)
        ORCH_TRY(insert.bind(static_cast<int>(i) + 1, row[i]));
      ORCH_TRY(insert.run());
    }
  }
  ORCH_TRY(database.execute("PRAGMA query_only = 1"));
  return database;
}

std::string name_of(const Row& row) {
  return row.metric + (row.pair.empty() ? " over all points" : " at " + row.pair);
}

// Whether SQL is one expression with a value for each row.
Status check_alone(sql::Database& database, const std::string& sql) {
  // Also without parentheses of ours: "1) OR (1" is no expression.
  ORCH_TRY(report::select(database, "SELECT " + sql + "\n FROM comparison WHERE 0"));
  // SQL that aggregates has one value for the whole table: only then no row gives one.
  ORCH_ASSIGN(const report::Table of_no_row,
              report::select(database, "SELECT (" + sql + "\n) FROM comparison WHERE 0"));
  if (of_no_row.rows.empty()) return {};
  return invalid(
      "the SQL of a gate is asked about each row, and this one aggregates all rows; write a "
      "subquery: \"(SELECT max(worst_loss) FROM comparison) < 5\"");
}

// The value of the SQL for each row, in order: "" for true, or why not.
Result<std::vector<std::string>> answers_of(const report::Table& table, const std::string& sql) {
  ORCH_ASSIGN(sql::Database database, database_of(table));
  ORCH_TRY(check_alone(database, sql));
  // Materialized: each row is asked once, whatever the SQL is.
  ORCH_ASSIGN(const report::Table answers,
              report::select(database,
                             "WITH gate_answers(gate_answer) AS MATERIALIZED (SELECT (" + sql +
                                 "\n) FROM comparison ORDER BY rowid) SELECT CASE WHEN gate_answer "
                                 "THEN '' WHEN NOT gate_answer THEN '" +
                                 std::string(k_false) +
                                 "' ELSE 'unknown (NULL)' "
                                 "END FROM gate_answers"));
  std::vector<std::string> out;
  for (const auto& row : answers.rows) out.push_back(std::get<std::string>(row.front()));
  return out;
}

class Gate {
 public:
  explicit Gate(const std::set<Allowed>& allowed) : allowed_(allowed) {}

  // A line that fails the gate unless KIND is allowed.
  void refuse(Allowed kind, const std::string& line) {
    (allowed_.contains(kind) ? result.allowed : result.failures).push_back(line);
  }

  // Whether ROW is evidence; else it fails for another reason than the SQL.
  bool is_evidence(const Row& row) {
    const Counts &a = row.counts_a, &b = row.counts_b;
    const std::size_t before = result.failures.size();
    if (a.invalid + b.invalid > 0)
      refuse(Allowed::invalid,
             fmt::format("{}: {} measurements are invalid", name_of(row), a.invalid + b.invalid));
    if (a.unsupported + b.unsupported > 0)
      refuse(Allowed::unsupported,
             fmt::format("{}: {} measurements have too few requests for this percentile",
                         name_of(row), a.unsupported + b.unsupported));
    if (a.disturbed + b.disturbed > 0)
      refuse(Allowed::disturbed, fmt::format("{}: {} measurements were disturbed by other programs",
                                             name_of(row), a.disturbed + b.disturbed));
    for (const auto& [side, value] : {std::pair("A", row.a), std::pair("B", row.b)})
      if (!value)
        refuse(Allowed::unpaired, fmt::format("{}: side {} has no value", name_of(row), side));
    if (row.a && row.b && a.lacking + b.lacking > 0)
      refuse(Allowed::missing, fmt::format("{}: {} valid measurements have no value of it",
                                           name_of(row), a.lacking + b.lacking));
    return before == result.failures.size();
  }

  // What the SQL says of ROW: "" for true.
  void judge(const Row& row, const std::string& answer, const Comparison& comparison) {
    const std::string verdict = verdict_of(row, comparison);
    if (answer == k_false)
      result.failures.push_back(fmt::format("{}: {}; {}", name_of(row), answer, verdict));
    // SQL such as "verdict <> 'worse'" is true as well where nothing is known.
    else if (!row.result.inference && row.a && row.b)
      refuse(Allowed::no_claim, fmt::format("{}: {}", name_of(row), verdict));
    else if (!answer.empty())
      refuse(row.result.inference ? Allowed::unknown : Allowed::unpaired,
             fmt::format("{}: {}; {}", name_of(row), answer, verdict));
  }

  GateResult result;

 private:
  const std::set<Allowed>& allowed_;
};

}  // namespace

std::optional<Allowed> allowed_from(std::string_view name) {
  const auto* at = std::ranges::find(k_allowed_names, name);
  if (at == std::end(k_allowed_names)) return {};
  return static_cast<Allowed>(at - std::begin(k_allowed_names));
}

Status check_gate_sql(const std::string& sql) {
  ORCH_ASSIGN(sql::Database database, database_of({}));
  return check_alone(database, sql);
}

Result<GateResult> check_gate(const Comparison& comparison, const std::string& sql,
                              const std::set<Allowed>& allowed) {
  const report::Table table = comparison_table(comparison);
  ORCH_ASSIGN(const std::vector<std::string> answers, answers_of(table, sql));
  Gate gate(allowed);
  gate.result.rows = answers.size();
  if (answers.empty())
    gate.result.failures.emplace_back("no point and metric has a measurement on both sides");
  for (const auto* names : {&comparison.pairing.only_a, &comparison.pairing.only_b})
    for (const std::string& pair : *names)
      gate.refuse(Allowed::unpaired, fmt::format("{}: only side {} has it", pair,
                                                 names == &comparison.pairing.only_a ? "A" : "B"));
  for (const std::string& metric : comparison.missing)
    gate.refuse(Allowed::unpaired, fmt::format("{}: no common point has a value", metric));
  std::size_t at = 0;
  for (const auto* rows : {&comparison.overall, &comparison.points})
    for (const Row& row : *rows) {
      const std::string& answer = answers[at++];
      if (gate.is_evidence(row)) gate.judge(row, answer, comparison);
    }
  return std::move(gate.result);
}

}  // namespace orch::compare
