#include "analysis/report/schema_table.hpp"

#include "core/base/text.hpp"
#include "bench/measure/metrics.hpp"
#include "results/tables/schema.hpp"
#include "results/tables/view_columns.hpp"
#include "results/tables/views.hpp"

#include <map>

namespace orch::report {

namespace {

struct Column {
  std::string name, type;
};

template <class Each>
Status each_row(sql::Database& database, const std::string& sql, const Each& each) {
  ORCH_ASSIGN(sql::Statement statement, database.prepare(sql));
  while (true) {
    ORCH_ASSIGN(const bool row, statement.step());
    if (!row) return {};
    each(statement);
  }
}

Result<std::vector<Column>> typed_columns(sql::Database& database, const std::string& name) {
  std::vector<Column> columns;
  ORCH_TRY(each_row(database,
                    "SELECT name, type FROM pragma_table_info(" + sql::quote_text(name) + ")",
                    [&](sql::Statement& row) {
                      columns.push_back({row.column_text(0), row.column_text(1)});
                    }));
  return columns;
}

// --- views

// Columns that are in the views because a point or a measurement has them.
class Values {
 public:
  Status read(sql::Database& database) {
    return each_row(database,
                    "SELECT name, parameter, coalesce(metric, ''), coalesce(statistic, '') FROM "
                    "wide_column",
                    [&](sql::Statement& row) {
                      const std::string metric = row.column_text(2), statistic = row.column_text(3);
                      meanings_[row.column_text(0)] =
                          row.column_int(1) != 0 ? "parameter of the point"
                          : statistic.empty()    ? meaning_of(metric)
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

bool is_word_of(std::string_view words, std::string_view word) {
  for (const std::string& one : split(words, ' '))
    if (one == word) return true;
  return false;
}

std::string meaning_in_view(const std::string& view, const std::string& column,
                            const Values& values) {
  for (const tables::ViewColumn& one : tables::view_columns())
    if (one.name == column && is_word_of(one.views, view)) return std::string(one.what);
  return values.meaning(column);
}

// --- tables

// The remarks behind the columns in the SQL that makes the tables: "TABLE.COLUMN" -> remark, and
// "TABLE" -> remark.
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

Result<std::vector<std::string>> names_of(sql::Database& database, Relations which) {
  std::vector<std::string> names;
  if (which == Relations::views) {
    for (const tables::View& view : tables::public_views()) names.emplace_back(view.name);
    return names;
  }
  ORCH_TRY(each_row(database,
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE "
                    "'sqlite%' ORDER BY name",
                    [&](sql::Statement& row) { names.push_back(row.column_text(0)); }));
  return names;
}

}  // namespace

Result<Table> schema_table(sql::Database& database, Relations which, const std::string& name) {
  const std::string_view word = which == Relations::views ? "view" : "table";
  Table table{.columns = {std::string(word), "column", "type", "meaning"}, .rows = {}};
  ORCH_ASSIGN(const auto names, names_of(database, which));
  if (!name.empty() && std::ranges::find(names, name) == names.end())
    return Error{ErrorKind::not_found,
                 fmt::format("no {} {}{}", word, quoted(name), did_you_mean(name, names)),
                 {}};
  Values values;
  ORCH_TRY(values.read(database));
  const auto of_tables = remarks();
  for (const std::string& one : names) {
    if (!name.empty() && one != name) continue;
    ORCH_ASSIGN(const auto columns, typed_columns(database, one));
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

}  // namespace orch::report
