#include "tables/wide.hpp"

#include "matrix/name_rules.hpp"

namespace orch::tables {

namespace {

// SQLite's own limit is 2000 columns per table and per view; a view has both kinds and more.
constexpr std::size_t k_most_columns = 1900;

// Names of columns of the views `results` and `results_all`.
constexpr std::string_view k_taken[] = {
    "experiment",   "run",           "point",        "valid",         "reasons",
    "warnings",     "unsupported",   "repeats",      "measured_run",  "measured_at",
    "measurement",  "repeat",        "attempt",      "session_order", "stage",
    "serve_repeat", "serve_repeats", "build_repeat", "steady"};

// Names that no parameter may have; a parameter may replace the other names of k_taken.
constexpr std::string_view k_reserved[] = {"experiment", "run", "point", "valid", "reasons"};

bool is_in(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Column names and as many question marks.
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

Status Wide::load() {
  columns_.clear();
  changed_ = false;
  return statements_.rows(
      "SELECT name, parameter, coalesce(metric, ''), coalesce(statistic, '') FROM wide_column",
      [this](sql::Statement& row) {
        WideColumn column{row.column_text(0), row.column_int(1) != 0, row.column_text(2),
                          row.column_text(3)};
        columns_.emplace(column.name, column);
      });
}

Status Wide::add(const WideColumn& column) {
  // Types differ from run to run (a version may become a number), hence ANY.
  ORCH_TRY(statements_.database().execute(
      fmt::format("ALTER TABLE {} ADD COLUMN {} ANY",
                  column.parameter ? "point_wide" : "metric_wide", sql::quote_name(column.name))));
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
    if (!matrix::is_column_name(name) || is_in(name, k_reserved))
      return invalid(fmt::format(
          "parameter '{}' cannot be a column of results; rename it ([a-z][a-z0-9_]*, none of: {})",
          name, fmt::join(k_reserved, " ")));
    if (columns_.size() >= k_most_columns)
      return invalid(fmt::format(
          "parameter '{}': the store has {} columns already; use another store with --store", name,
          k_most_columns));
    ORCH_TRY(add({.name = name, .parameter = true, .metric = "", .statistic = ""}));
  }
  ORCH_ASSIGN(sql::Statement * statement,
              statements_.get(insert_sql("point_wide", "point_id", names)));
  ORCH_TRY(statement->bind(1, point_id));
  int index = 1;
  for (const auto& [name, value] : parameters) ORCH_TRY(statement->bind(++index, value));
  return statement->run();
}

Result<bool> Wide::metric_column(const WideColumn& wanted) {
  if (const auto known = columns_.find(wanted.name); known != columns_.end())
    return known->second.metric == wanted.metric &&
           known->second.statistic == wanted.statistic;  // a parameter has neither
  if (is_in(wanted.name, k_taken) || columns_.size() >= k_most_columns) return false;
  ORCH_TRY(add(wanted));
  return true;
}

Status Wide::have_metric(std::string_view metric) {
  const auto had = metric_column({.name = std::string(metric),
                                  .parameter = false,
                                  .metric = std::string(metric),
                                  .statistic = ""});
  return had ? Status() : Status(had.error());
}

Status Wide::put_metrics(std::int64_t measurement_id,
                         const std::vector<record::NamedMetric>& metrics,
                         std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  std::vector<std::pair<double, bool>> values;  // number, whether it is a count
  for (const record::NamedMetric& metric : metrics) {
    auto take = [&](std::string_view statistic, const std::optional<double>& value,
                    bool count) -> Status {
      if (!value) return {};
      const WideColumn wanted{.name = column_of(metric.name, statistic),
                              .parameter = false,
                              .metric = metric.name,
                              .statistic = std::string(statistic)};
      ORCH_ASSIGN(const bool had, metric_column(wanted));
      if (!had) {
        warnings.push_back(fmt::format(
            "'{}' is not a column of results: that name is taken, or the store has {} columns",
            wanted.name, k_most_columns));
        return {};
      }
      names.push_back(wanted.name);
      values.emplace_back(*value, count);
      return {};
    };
    ORCH_TRY(take("", metric.mean, false));
    for (std::size_t i = 0; i < k_suffixed_statistics.size(); ++i)
      ORCH_TRY(take(k_suffixed_statistics[i], metric.statistics[i], i == k_statistic_n));
  }
  ORCH_ASSIGN(sql::Statement * statement,
              statements_.get(insert_sql("metric_wide", "measurement_id", names)));
  ORCH_TRY(statement->bind(1, measurement_id));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int index = static_cast<int>(i) + 2;
    const auto [value, count] = values[i];
    ORCH_TRY(count ? statement->bind(index, static_cast<std::int64_t>(value))
                   : statement->bind(index, value));
  }
  return statement->run();
}

}  // namespace orch::tables
