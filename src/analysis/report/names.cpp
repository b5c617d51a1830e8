#include "analysis/report/names.hpp"

#include "core/base/text.hpp"
#include "results/query/table.hpp"
#include "results/tables/statements.hpp"

namespace orch::report {

namespace {

constexpr std::string_view k_names =
    "SELECT 0, name FROM point GROUP BY name UNION ALL SELECT 1, plan_id FROM run_stage GROUP BY "
    "plan_id";
constexpr std::size_t k_listed = 20;

Error ambiguous(const std::string& prefix, const std::vector<Named>& found) {
  std::string text = fmt::format(
      "'{}' is the beginning of {} names; write more characters of one:", prefix, found.size());
  for (std::size_t i = 0; i < found.size() && i < k_listed; ++i) text += "\n  " + found[i].name;
  if (found.size() > k_listed) text += fmt::format("\n  and {} more", found.size() - k_listed);
  return invalid(std::move(text));
}

}  // namespace

Result<Named> find_named(sql::Database& database, const std::string& prefix) {
  tables::Statements statements(database);
  std::vector<std::string> all;
  std::vector<Named> found;
  std::optional<Named> exact;
  ORCH_TRY(statements.rows(k_names, [&](sql::Statement& row) {
    const auto kind = row.column_int(0) == 0 ? Named::Kind::point : Named::Kind::stage;
    std::string name = row.column_text(1);
    if (name == prefix) exact = Named{kind, name};
    if (name.starts_with(prefix)) found.push_back({kind, name});
    all.push_back(std::move(name));
  }));
  if (exact) return *exact;
  if (found.size() > 1) return ambiguous(prefix, found);
  if (!found.empty()) return found.front();
  const std::string known =
      all.empty() ? "; nothing has been run in this store" : did_you_mean(prefix, all);
  return Error{
      .kind = ErrorKind::not_found,
      .message = fmt::format("no point or stage is named '{}'{}; `orchestrate query \"select point "
                             "from results_all\"` and `orchestrate query stages` list them",
                             escaped(prefix), known),
      .where = {}};
}

Result<std::vector<std::string>> names_beginning(sql::Database& database, const std::string& prefix,
                                                 std::size_t most) {
  const std::string sql = fmt::format(
      "SELECT name FROM (SELECT name FROM point UNION SELECT plan_id FROM run_stage) "
      "WHERE substr(name, 1, length(?1)) = ?1 ORDER BY 1 LIMIT {}",
      most);
  tables::Statements statements(database);
  std::vector<std::string> names;
  ORCH_TRY(statements.rows(
      sql, [&](sql::Statement& row) { names.push_back(row.column_text(0)); }, prefix));
  return names;
}

Result<std::vector<std::string>> run_numbers(sql::Database& database, std::size_t most) {
  tables::Statements statements(database);
  std::vector<std::string> numbers;
  ORCH_TRY(statements.rows(
      fmt::format("SELECT id FROM run ORDER BY id DESC LIMIT {}", most),
      [&](sql::Statement& row) { numbers.push_back(std::to_string(row.column_int(0))); }));
  return numbers;
}

}  // namespace orch::report
