#include "results/tables/sharing.hpp"

#include <cmath>
#include <map>
#include <optional>

namespace orch::tables {

namespace {

constexpr std::string_view k_figures[] = {"output_tps", "requests_per_s", "ttft_ms", "itl_ms",
                                          "request_latency_ms"};

struct Figure {
  double value = 0;
  std::optional<double> half_width;
};

Result<std::map<std::string, Figure>> figures_of(Statements& statements, std::int64_t measurement) {
  std::map<std::string, Figure> figures;
  ORCH_TRY(statements.rows(
      "SELECT name, mean, interval_low, interval_high FROM metric WHERE measurement_id = ? AND "
      "mean IS NOT NULL",
      [&](sql::Statement& row) {
        Figure figure{.value = row.column_real(1), .half_width = {}};
        const auto low = row.column_optional_real(2), high = row.column_optional_real(3);
        if (low && high) figure.half_width = (*high - *low) / 2;
        figures[row.column_text(0)] = figure;
      },
      measurement));
  return figures;
}

}  // namespace

Result<std::string> derive_sharing(Statements& statements, const SharedPair& pair) {
  ORCH_ASSIGN(const auto shared, figures_of(statements, pair.shared));
  ORCH_ASSIGN(const auto alone, figures_of(statements, pair.alone));
  std::string mark;
  for (const std::string_view name : k_figures) {
    const auto a = alone.find(std::string(name)), s = shared.find(std::string(name));
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

std::string_view sharing_sql() {
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

}  // namespace orch::tables
