#include "bench/measure/goodput.hpp"
#include "bench/measure/metrics.hpp"
#include "bench/record/request_fields.hpp"
#include "results/tables/ingest.hpp"
#include "results/tables/results.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::tables {

namespace {

struct Figure {
  double value = 0;
  std::optional<double> half_width = {};
};

Result<std::map<std::string, Figure>> figures_of(Statements& statements, std::int64_t measurement) {
  std::map<std::string, Figure> figures;
  ORCH_TRY(statements.rows(
      "SELECT name, mean, interval_low, interval_high FROM metric WHERE measurement_id = ? AND "
      "mean IS NOT NULL",
      measurement, [&](sql::Statement& row) {
        Figure figure{.value = row.column_real(1)};
        const auto low = row.column_optional_real(2), high = row.column_optional_real(3);
        if (low && high) figure.half_width = (*high - *low) / 2;
        figures[row.column_text(0)] = figure;
      }));
  return figures;
}

Result<std::vector<measure::RequestRecord>> requests_of(Statements& statements,
                                                        std::int64_t measurement, bool streamed) {
  static const std::string k_select = fmt::format(
      "SELECT {} FROM request WHERE measurement_id = ? AND warmup = 0 AND sent_ns IS NOT NULL "
      "ORDER BY line",
      columns_of(record::k_request_fields));
  std::vector<measure::RequestRecord> requests;
  const auto take = [&](sql::Statement& row) {
    requests.push_back(record::request_of(fields_at(row, record::k_request_fields)));
    requests.back().streamed = streamed;
  };
  ORCH_TRY(statements.rows(k_select, measurement, take));
  return requests;
}

Status count_good(Statements& statements, std::int64_t measurement, const std::string& expression) {
  ORCH_ASSIGN(const auto stored,
              statements.text("SELECT load FROM measurement WHERE id = ?", measurement));
  const auto load = nlohmann::json::parse(stored.value_or(""), nullptr, false);
  const auto stream = load.is_object() ? load.find("stream") : load.end();
  const bool streamed = stream == load.end() || *stream != false;
  ORCH_ASSIGN(const auto records, requests_of(statements, measurement, streamed));
  const auto counted =
      measure::goodput(expression, {.records = records, .open_loop = load.contains("arrival")});
  if (!counted)  // stores no value; the measurement itself stays valid
    return statements.run(
        "INSERT INTO goodput (measurement_id, expression, left_out) VALUES (?, ?, ?)", measurement,
        expression, counted.error().text());
  return statements.run(
      "INSERT INTO goodput (measurement_id, expression, requests_per_s, good, of, left_out) VALUES "
      "(?, ?, ?, ?, ?, ?)",
      measurement, expression, counted->requests_per_s, counted->good, counted->of,
      fmt::format("{}", fmt::join(counted->left_out, "; ")));
}

// The 97.5 % quantile of Student's t: the Cornish-Fisher expansion about the normal quantile
// (Abramowitz and Stegun 26.7.5), exact to 0.0004 from 4 degrees of freedom on; for fewer degrees,
// the values are listed. {0} is the value; the degrees of freedom are its count minus one.
constexpr std::string_view k_student_t =
    "CASE count({0}) WHEN 2 THEN 12.7062 WHEN 3 THEN 4.3027 WHEN 4 THEN 3.1824 "
    "ELSE 1.959964 + (2.372271 + (2.822499 + (2.555850 + 1.589534 / (count({0}) - 1)) / "
    "(count({0}) - 1)) / (count({0}) - 1)) / (count({0}) - 1) END";

// For equal values the formula would give only a rounding error.
constexpr std::string_view k_standard_error =
    "CASE WHEN min({0}) < max({0}) THEN sqrt(max(0.0, sum({0} * {0}) - sum({0}) * avg({0})) / "
    "(count({0}) * (count({0}) - 1.0))) ELSE 0.0 END";

}  // namespace

Result<std::string> derive_sharing(Statements& statements, const SharedPair& pair) {
  ORCH_ASSIGN(const auto shared, figures_of(statements, pair.shared));
  ORCH_ASSIGN(const auto alone, figures_of(statements, pair.alone));
  std::string mark;
  for (const measure::Column& figure : measure::columns_in(&measure::Lists::sharing)) {
    const std::string name = figure.name();
    const auto a = alone.find(name), s = shared.find(name);
    if (a == alone.end() || s == shared.end() || a->second.value <= 0) continue;
    const double change = s->second.value / a->second.value - 1;
    std::optional<double> low, high;
    if (a->second.half_width && s->second.half_width && s->second.value > 0) {
      const double half = (1 + change) * std::hypot(*a->second.half_width / a->second.value,
                                                    *s->second.half_width / s->second.value);
      low = change - half;
      high = change + half;
    }
    const bool beyond = low && (*low > 0 || *high < 0);
    ORCH_TRY(statements.run(
        "INSERT INTO sharing_cost (experiment, point, run, metric, shared_measurement, "
        "alone_measurement, shared, alone, change, change_low, change_high, beyond) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        pair.experiment, pair.point, pair.run, name, pair.shared, pair.alone, s->second.value,
        a->second.value, change, low, high, beyond));
    if (beyond)
      mark += fmt::format("{} {} {:+.1f} % ({:.4g} alone)", mark.empty() ? "" : ",", name,
                          100 * change, a->second.value);
  }
  return mark.empty() ? mark : "changed by its neighbours beyond its interval:" + mark;
}

std::string sharing_sql(const Wide&) {
  return R"(SELECT experiment, run, point, metric, shared, alone, change, change_low, change_high,
  beyond, shared_measurement, alone_measurement FROM sharing_cost)";
}

std::string_view sharing_migration() {
  return R"sql(
ALTER TABLE attempt ADD COLUMN cpus TEXT;                    -- JSON list; NULL: all of the host
ALTER TABLE measurement ADD COLUMN isolation TEXT NOT NULL DEFAULT '';
ALTER TABLE measurement ADD COLUMN neighbours TEXT NOT NULL DEFAULT '';  -- stages, joined by ' '
ALTER TABLE point_result ADD COLUMN isolation TEXT NOT NULL DEFAULT '';
ALTER TABLE point_stage ADD COLUMN is_check INTEGER NOT NULL DEFAULT 0;
UPDATE measurement SET isolation = 'strict' WHERE tool = definition AND session_id IS NOT NULL;
UPDATE point_result SET isolation = 'strict' WHERE service = 'own';
CREATE TABLE sharing_cost (
  experiment TEXT NOT NULL,
  point TEXT NOT NULL,
  run INTEGER NOT NULL,
  metric TEXT NOT NULL,
  shared_measurement INTEGER NOT NULL,
  alone_measurement INTEGER NOT NULL,
  shared REAL NOT NULL,
  alone REAL NOT NULL,
  change REAL NOT NULL,                  -- shared / alone - 1
  change_low REAL,
  change_high REAL,
  beyond INTEGER NOT NULL
) STRICT;
CREATE INDEX sharing_by_point ON sharing_cost(experiment, point);
CREATE INDEX sharing_by_shared ON sharing_cost(shared_measurement);
)sql";
}

Status derive_goodput(Statements& statements, Wide& wide, std::int64_t measurement,
                      const std::string& expression) {
  ORCH_ASSIGN(
      const auto there,
      statements.integer("SELECT 1 FROM goodput WHERE measurement_id = ? AND expression = ?",
                         measurement, expression));
  if (there) return {};
  ORCH_TRY(wide.have_metric(metric::goodput_rps));
  return count_good(statements, measurement, expression);
}

std::string half_width_of_mean(std::string_view value) {
  return fmt::format("({}) * {}", fmt::format(k_student_t, value),
                     fmt::format(k_standard_error, value));
}

}  // namespace orch::tables
