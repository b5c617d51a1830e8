#include "analysis/report/describe.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/tables/schema.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/views.hpp"

#include <nlohmann/json.hpp>

namespace orch::report {

namespace {

struct Column {
  std::string name, type;
};

Result<std::vector<Column>> typed_columns(tables::Statements& statements, const std::string& name) {
  std::vector<Column> columns;
  ORCH_TRY(statements.rows("SELECT name, type FROM pragma_table_info(?)", name,
                           [&](sql::Statement& row) {
                             columns.push_back({row.column_text(0), row.column_text(1)});
                           }));
  return columns;
}

// --- views

// The columns that the views have only because points or measurements have values for them.
class Values {
 public:
  Status read(tables::Statements& statements) {
    return statements.rows(
        "SELECT name, parameter, coalesce(metric, ''), coalesce(statistic, '') FROM wide_column",
        [&](sql::Statement& row) {
          const std::string metric = row.column_text(2), statistic = row.column_text(3);
          meanings_[row.column_text(0)] = row.column_int(1) != 0 ? "parameter of the point"
                                          : statistic.empty()
                                              ? meaning_of(metric)
                                              : fmt::format("{} of {}", statistic, metric);
        });
  }

  std::string meaning(const std::string& column) const {
    static constexpr std::string_view k_intended = "_intended";
    const auto known = meanings_.find(column);
    if (known != meanings_.end()) return known->second;
    if (measure::find_metric(column)) return meaning_of(column);
    if (!column.ends_with(k_intended)) return "";
    return fmt::format("{}, counted from the scheduled send",
                       column.substr(0, column.size() - k_intended.size()));
  }

 private:
  static std::string meaning_of(const std::string& metric) {
    const measure::MetricRow* row = measure::find_metric(metric);
    return row ? fmt::format("{} ({})", row->formula, row->unit == "1" ? "share" : row->unit)
               : "metric of another program, or of the stages before the measurement";
  }

  std::map<std::string, std::string> meanings_;
};

std::string meaning_in_view(const std::string& view, const std::string& column,
                            const Values& values) {
  for (const tables::ViewColumn& one : tables::view_columns())
    if (one.name == column && one.is_of(view)) return std::string(one.what);
  return values.meaning(column);
}

// --- tables

// The comments after the columns in the SQL that creates the tables: "TABLE.COLUMN" -> comment, and
// "TABLE" -> comment.
std::map<std::string, std::string> remarks() {
  std::map<std::string, std::string> found;
  for (const tables::Migration& migration : tables::migrations()) {
    std::string table;
    for (const std::string& line : split(migration.sql, '\n')) {
      const std::size_t mark = line.find("-- ");
      const std::string remark = mark == std::string::npos ? "" : line.substr(mark + 3);
      const std::vector<std::string> words = split(trim(line.substr(0, mark)), ' ');
      if (words.size() > 2 && words[0] == "CREATE" && words[1] == "TABLE") {
        table = words[2];
        if (!remark.empty()) found[table] = remark;
      } else if (words.size() > 5 && words[0] == "ALTER" && !remark.empty()) {
        found[words[2] + "." + words[5]] = remark;
      } else if (!words.empty() && !words[0].empty() && !remark.empty() && !table.empty()) {
        found[table + "." + words[0]] = remark;
      }
    }
  }
  return found;
}

Result<std::vector<std::string>> names_of(tables::Statements& statements, Relations which) {
  if (which == Relations::views) return tables::names_of_views();
  return statements.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY "
      "name");
}

constexpr std::string_view k_run_command = R"(
SELECT r.id, r.matrix_file, coalesce(r.folder, ''), r.command FROM run r
WHERE CASE WHEN ?1 IS NOT NULL THEN r.id = ?1
  ELSE coalesce(r.outcome, 'died') NOT IN ('done', 'failed')
    AND r.pid <> 0 AND EXISTS (SELECT 1 FROM point WHERE run_id = r.id)
    AND NOT EXISTS (SELECT 1 FROM run later WHERE later.id > r.id
    AND later.experiment = r.experiment) END
ORDER BY r.id DESC LIMIT 1)";

// The options of `run` that select points or stages, add sessions or repeat work: first those with
// a value, then those without.
constexpr std::string_view k_choosing[] = {"--where",   "--again",        "--sessions", "--resolve",
                                           "--of",      "--size",         "--budget",   "--until",
                                           "--refresh", "--most-sessions"};
constexpr std::string_view k_choosing_flags[] = {"--update", "--retry-failed"};

template <class List> bool is_one_of(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

}  // namespace

Result<Table> schema_table(sql::Database& database, Relations which, const std::string& name) {
  const std::string_view word = which == Relations::views ? "view" : "table";
  Table table{.columns = {std::string(word), "column", "type", "meaning"}};
  tables::Statements statements(database);
  ORCH_ASSIGN(const auto names, names_of(statements, which));
  if (!name.empty() && std::ranges::find(names, name) == names.end())
    return not_found(fmt::format("no {} {}{}", word, quoted(name), did_you_mean(name, names)));
  Values values;
  ORCH_TRY(values.read(statements));
  const auto of_tables = remarks();
  for (const std::string& one : names) {
    if (!name.empty() && one != name) continue;
    ORCH_ASSIGN(const auto columns, typed_columns(statements, one));
    for (const Column& column : columns) {
      const auto remark = of_tables.find(one + "." + column.name);
      std::string meaning = which == Relations::views   ? meaning_in_view(one, column.name, values)
                            : remark != of_tables.end() ? remark->second
                            : one.ends_with("_wide")    ? values.meaning(column.name)
                                                        : "";
      table.rows.push_back({one, column.name, column.type, std::move(meaning)});
    }
  }
  return table;
}

Result<std::optional<RunCommand>> read_run_command(sql::Database& database,
                                                   std::optional<std::int64_t> run) {
  tables::Statements statements(database);
  std::optional<RunCommand> command;
  ORCH_TRY(statements.rows(k_run_command, run, [&](sql::Statement& row) {
    const auto words = nlohmann::json::parse(row.column_text(3), nullptr, false);
    command = RunCommand{
        .run = row.column_int(0), .matrix_file = row.column_text(1), .folder = row.column_text(2)};
    for (const auto& word : words)
      if (word.is_string()) command->words.push_back(word);
  }));
  if (run && !command)
    return not_found(fmt::format(
        "no run {} in this store; `orchestrate query \"select * from run\"` lists them", *run));
  return command;
}

std::vector<std::string> without_choice(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const bool is_written_apart = name.size() == words[i].size();
    if (is_one_of(k_choosing, name)) i += is_written_apart;
    else if (!is_one_of(k_choosing_flags, name)) out.push_back(words[i]);
  }
  return out;
}

}  // namespace orch::report
