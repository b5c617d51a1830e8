#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "core/sql/query_guard.hpp"
#include "results/query/query.hpp"
#include "results/query/table.hpp"
#include "results/tables/views.hpp"

namespace orch::report {

namespace {

constexpr std::size_t k_named_columns = 3;

// Words that users write for a view, but that resemble no view or the wrong one.
struct Meant {
  std::string_view word, view;
};
constexpr Meant k_meant[] = {
    {"measurements", "results_all"},
    {"benchmarks", "results"},
    {"points", "results"},
    {"experiments", "results"},
    {"metrics", "results"},
    {"errors", "failures"},
    {"tasks", "stages"},
    {"jobs", "stages"},
    {"commands", "provenance"},
    {"versions", "provenance"},
    {"artifacts", "stages"},
    {"responses", "answers"},
    {"outputs", "answers"},
    {"latencies", "requests"},
    {"gpu", "gpus"},
    {"counters", "server_metrics"},
};

std::vector<std::string> tables_of(sql::Database& database) {
  return first_column(
      database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
}

// "b" for "a.b".
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// The views and tables that SQL reads. Columns may have the name of a table (`point`, `run`), so a
// table counts only after FROM or JOIN.
std::vector<std::string> read_by(sql::Database& database, std::string_view sql) {
  const std::vector<std::string> words = sql::words_of(sql);
  std::vector<std::string> read;
  for (std::string& view : tables::names_of_views())
    if (contains(words, view)) read.push_back(std::move(view));
  for (std::string& table : tables_of(database))
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i] == table && (words[i - 1] == "from" || words[i - 1] == "join") &&
          !contains(read, table))
        read.push_back(table);
  return read;
}

std::string table_instead_of(sql::Database& database, std::string_view word) {
  for (const Meant& one : k_meant)
    if (one.word == lower(word)) return fmt::format("; did you mean '{}'?", one.view);
  const std::string view = did_you_mean(word, tables::names_of_views());
  return view.empty() ? did_you_mean(word, tables_of(database)) : view;
}

constexpr std::string_view k_without_value = "no measurement in this store has a value for it yet";

// A text that says that WORD has no value, because views have columns only for metrics and
// parameters of some measurement; "" if WORD is neither a metric nor a parameter.
std::string without_value(sql::Database& database, std::string_view word) {
  const std::string name = lower(word);
  const auto of = [&name](const measure::MetricRow& row) {
    return name == row.name ||
           std::ranges::any_of(k_suffixed_statistics, [&](std::string_view statistic) {
             return name == fmt::format("{}_{}", row.name, statistic);
           });
  };
  const auto metrics = measure::metric_table();
  if (std::ranges::any_of(metrics, of))
    return fmt::format("; it is a metric, but {}", k_without_value);
  const auto points =
      first_column(database, fmt::format("SELECT 1 FROM point, json_each(point.parameters) one "
                                         "WHERE one.key = {} LIMIT 1",
                                         sql::quote_text(name)));
  return points.empty() ? "" : fmt::format("; it is a parameter, but {}", k_without_value);
}

std::string column_instead_of(sql::Database& database, std::string_view sql,
                              std::string_view word) {
  std::vector<std::string> known;
  const std::vector<std::string> tables = read_by(database, sql);
  for (const std::string& table : tables)
    for (std::string& column : column_names(database, table))
      if (!contains(known, column)) known.push_back(std::move(column));
  const bool reads_results =
      std::ranges::any_of(tables, [](const auto& table) { return table.starts_with("results"); });
  if (reads_results)
    if (std::string why = without_value(database, word); !why.empty()) return why;
  std::string text = did_you_mean(word, known);
  if (text.empty())
    if (const auto near = most_similar(word, known, k_named_columns); !near.empty())
      text = fmt::format("; did you mean {}?", one_of(near));
  std::vector<std::string> everywhere, having;
  for (const std::string& view : tables::names_of_views())
    for (std::string& column : column_names(database, view)) {
      if (column == word) having.push_back(view);
      everywhere.push_back(std::move(column));
    }
  if (!having.empty()) return text + fmt::format("; it is a column of {}", join(having, ", "));
  if (text.empty()) text = did_you_mean(word, everywhere);
  return text.empty() && reads_results
             ? "; a parameter becomes a column once a measurement has a value for it"
             : text;
}

}  // namespace

std::string suggested_name(sql::Database& database, std::string_view sql,
                           std::string_view message) {
  static constexpr std::string_view k_column = "no such column: ", k_table = "no such table: ";
  if (const auto at = message.find(k_table); at != std::string_view::npos)
    return table_instead_of(database, last_part(message.substr(at + k_table.size())));
  const auto at = message.find(k_column);
  if (at == std::string_view::npos) return "";
  return column_instead_of(database, sql, last_part(message.substr(at + k_column.size())));
}

}  // namespace orch::report
