#include "results/tables/wide.hpp"

#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/tables/views.hpp"

namespace orch::tables {

namespace {

// SQLite's limit is 2000 columns per table and per view; a view has the columns of parameters and
// of metrics, and others.
constexpr std::size_t k_most_columns = 1900;
// How many of these may be metrics that are not ours; the rest is for parameters and for our
// metrics with every statistic.
constexpr std::size_t k_most_of_others = 1000;

// Names that no parameter may have; a parameter may replace other columns of the views.
constexpr std::string_view k_reserved[] = {"experiment", "run", "point", "valid", "reasons"};

bool is_in(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Whether the views `results` and `results_all` have or had a built-in column NAME.
bool is_taken(std::string_view name) {
  return name == "stage" || std::ranges::any_of(view_columns(), [name](const ViewColumn& column) {
           return column.name == name && (column.is_of("results") || column.is_of("results_all"));
         });
}

bool is_ours(std::string_view metric) {
  return measure::find_metric(metric) ||
         std::ranges::count(measure::derived_metrics(), metric, &measure::MetricRow::name) > 0;
}

struct Wanted {
  WideColumn column;
  double value = 0;
  bool count = false;
};

// The columns for METRICS: first all columns of our metrics, then the values of other metrics, then
// the statistics of these.
std::vector<Wanted> columns_for(const std::vector<record::NamedMetric>& metrics) {
  std::vector<Wanted> ours, values, statistics;
  for (const record::NamedMetric& metric : metrics) {
    const auto want = [&](std::vector<Wanted>& list, std::string_view statistic,
                          const std::optional<double>& value, bool count) {
      if (!value) return;
      list.push_back({.column = {.name = column_of(metric.name, statistic),
                                 .parameter = false,
                                 .metric = metric.name,
                                 .statistic = std::string(statistic)},
                      .value = *value,
                      .count = count});
    };
    const bool own = is_ours(metric.name);
    want(own ? ours : values, "", metric.mean, false);
    for (const Statistic one : k_suffixed)
      want(own ? ours : statistics, to_string(one), metric.statistics[one], one == Statistic::n);
  }
  for (auto* list : {&values, &statistics})
    ours.insert(ours.end(), std::move_iterator(list->begin()), std::move_iterator(list->end()));
  return ours;
}

// One warning about all columns for which there is no room.
std::string no_room_for(std::vector<std::string> names) {
  static constexpr std::size_t k_named = 5;
  const std::size_t count = names.size();
  if (count > k_named) names.resize(k_named);
  return fmt::format(
      "too many metrics that are not orchestrate's: {} ({}{}) of them {} no column of "
      "results; orchestrate query \"select name, mean, p99 from metric where measurement_id = M\" "
      "has them, with M from the column measurement of results_all",
      plural(count, "value"), fmt::join(names, ", "), count > k_named ? ", ..." : "",
      count == 1 ? "has" : "have");
}

// An INSERT of KEY and NAMES, with a question mark for each.
std::string insert_sql(std::string_view table, std::string_view key,
                       const std::vector<std::string>& names) {
  std::string columns = sql::quote_name(key), marks = "?";
  for (const std::string& name : names) {
    columns += ", " + sql::quote_name(name);
    marks += ", ?";
  }
  return fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({})", table, columns, marks);
}

}  // namespace

std::string column_of(std::string_view metric, std::string_view statistic) {
  return statistic.empty() ? std::string(metric) : fmt::format("{}_{}", metric, statistic);
}

Wide::Wide(Statements& statements) : statements_(statements) {}

Status Wide::load() {
  columns_.clear();
  new_parameters_.clear();
  new_metrics_.clear();
  others_ = 0;
  changed_ = false;
  return statements_.rows(
      "SELECT name, parameter, coalesce(metric, ''), coalesce(statistic, '') FROM wide_column",
      [this](sql::Statement& row) {
        WideColumn column{row.column_text(0), row.column_int(1) != 0, row.column_text(2),
                          row.column_text(3)};
        others_ += !column.parameter && !is_ours(column.metric);
        columns_.emplace(column.name, column);
      });
}

Status Wide::complete() {
  ORCH_ASSIGN(
      const auto missing,
      statements_.texts(
          "SELECT name FROM wide_column WHERE parameter = 0 AND name NOT IN (SELECT name FROM "
          "pragma_table_info('result_wide'))"));
  return make_columns("result_wide", missing);
}

// The type is ANY, because the type of a parameter may differ between runs (a version may look like
// a number). An empty table is recreated, because SQLite rereads the whole schema for each column
// that it adds.
Status Wide::make_columns(std::string_view table, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  sql::Database& database = statements_.database();
  ORCH_ASSIGN(const auto filled,
              statements_.integer(fmt::format("SELECT 1 FROM {} LIMIT 1", table)));
  if (filled) {
    for (const std::string& name : names)
      ORCH_TRY(database.execute(
          fmt::format("ALTER TABLE {} ADD COLUMN {} ANY", table, sql::quote_name(name))));
    return {};
  }
  ORCH_ASSIGN(auto text, statements_.text("SELECT sql FROM sqlite_schema WHERE name = ?", table));
  std::string columns;
  for (const std::string& name : names) columns += fmt::format(", {} ANY", sql::quote_name(name));
  text->insert(text->rfind(')'), columns);
  ORCH_TRY(database.execute(fmt::format("DROP TABLE {}", table)));
  return database.execute(*text);
}

Status Wide::make_columns() {
  ORCH_TRY(make_columns("point_wide", new_parameters_));
  for (const char* table : {"metric_wide", "result_wide"})
    ORCH_TRY(make_columns(table, new_metrics_));
  new_parameters_.clear();
  new_metrics_.clear();
  return {};
}

Status Wide::add(const WideColumn& column) {
  (column.parameter ? new_parameters_ : new_metrics_).push_back(column.name);
  ORCH_TRY(statements_.run(
      "INSERT INTO wide_column (name, parameter, metric, statistic) VALUES (?, ?, ?, ?)",
      column.name, column.parameter, column.metric, column.statistic));
  columns_.emplace(column.name, column);
  changed_ = true;
  return {};
}

Status Wide::put_point(std::int64_t point_id, const Values& parameters) {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters) {
    names.push_back(name);
    const auto known = columns_.find(name);
    if (known != columns_.end() && known->second.parameter) continue;
    if (known != columns_.end())
      return invalid(fmt::format(
          "parameter '{}' has the name of a metric in this store; rename the parameter", name));
    if (!is_column_name(name) || is_in(name, k_reserved))
      return invalid(fmt::format(
          "parameter '{}' cannot be a column of results; rename it ([a-z][a-z0-9_]*, none of: {})",
          name, fmt::join(k_reserved, " ")));
    if (columns_.size() >= k_most_columns)
      return invalid(fmt::format(
          "parameter '{}': the store has {} columns already; use another store with --store", name,
          k_most_columns));
    ORCH_TRY(add({.name = name, .parameter = true}));
  }
  ORCH_TRY(make_columns());
  ORCH_ASSIGN(sql::Statement * statement,
              statements_.get(insert_sql("point_wide", "point_id", names)));
  ORCH_TRY(statement->bind(1, point_id));
  int index = 1;
  for (const auto& [name, value] : parameters) ORCH_TRY(statement->bind(++index, value));
  return statement->run();
}

Result<Wide::Fit> Wide::metric_column(const WideColumn& wanted) {
  if (const auto known = columns_.find(wanted.name); known != columns_.end())
    return known->second.metric == wanted.metric && known->second.statistic == wanted.statistic
               ? Fit::fits
               : Fit::is_taken;  // also if it is a parameter, whose `metric` is empty
  if (is_taken(wanted.name)) return Fit::is_taken;
  const bool other = !is_ours(wanted.metric);
  if (columns_.size() >= k_most_columns || (other && others_ >= k_most_of_others))
    return Fit::no_room;
  ORCH_TRY(add(wanted));
  others_ += other;
  return Fit::fits;
}

Status Wide::have_metric(std::string_view metric) {
  const auto had = metric_column(
      {.name = std::string(metric), .parameter = false, .metric = std::string(metric)});
  return had ? make_columns() : Status(had.error());
}

Result<std::vector<std::string>> Wide::put(std::string_view table, std::string_view key,
                                           std::int64_t id,
                                           const std::vector<record::NamedMetric>& metrics,
                                           std::vector<std::string>& taken) {
  std::vector<Wanted> kept;
  std::vector<std::string> names, without_room;
  for (Wanted& wanted : columns_for(metrics)) {
    ORCH_ASSIGN(const Fit fit, metric_column(wanted.column));
    if (fit == Fit::is_taken) taken.push_back(wanted.column.name);
    if (fit == Fit::no_room) without_room.push_back(wanted.column.name);
    if (fit != Fit::fits) continue;
    names.push_back(wanted.column.name);
    kept.push_back(std::move(wanted));
  }
  ORCH_TRY(make_columns());
  ORCH_ASSIGN(sql::Statement * statement, statements_.get(insert_sql(table, key, names)));
  ORCH_TRY(statement->bind(1, id));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const int index = static_cast<int>(i) + 2;
    ORCH_TRY(kept[i].count ? statement->bind(index, static_cast<std::int64_t>(kept[i].value))
                           : statement->bind(index, kept[i].value));
  }
  ORCH_TRY(statement->run());
  return without_room;
}

Status Wide::put_metrics(std::int64_t measurement_id,
                         const std::vector<record::NamedMetric>& metrics,
                         std::vector<std::string>& warnings) {
  std::vector<std::string> taken;
  ORCH_ASSIGN(auto without_room,
              put("metric_wide", "measurement_id", measurement_id, metrics, taken));
  for (const std::string& name : taken)
    warnings.push_back(fmt::format(
        "'{}' is not a column of results: a parameter or another column has that name", name));
  if (!without_room.empty()) warnings.push_back(no_room_for(std::move(without_room)));
  return {};
}

Status Wide::put_result(std::int64_t result_id, const std::vector<record::NamedMetric>& metrics) {
  std::vector<std::string> taken;
  const auto put_all = put("result_wide", "result_id", result_id, metrics, taken);
  return put_all ? Status() : Status(put_all.error());
}

}  // namespace orch::tables
