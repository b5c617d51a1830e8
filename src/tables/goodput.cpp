#include "tables/goodput.hpp"

#include "measure/goodput.hpp"
#include "record/request_fields.hpp"
#include "tables/record_columns.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace orch::tables {

namespace {

// A measurement whose good requests have not been counted by the expression of a run that shows it.
struct Missing {
  std::int64_t measurement = 0;
  std::string expression, load;
};

constexpr std::string_view k_missing = R"(
SELECT DISTINCT m.id, r.goodput, m.load
FROM run r JOIN point p ON p.run_id = r.id JOIN point_stage ps ON ps.point_id = p.id
  JOIN measurement m ON m.stage_id = ps.stage_id
WHERE {} = ? AND r.goodput IS NOT NULL AND p.status <> 'reject' AND m.superseded = 0
  AND m.definition = 'native'
  AND NOT EXISTS (SELECT 1 FROM goodput WHERE measurement_id = m.id AND expression = r.goodput))";

Result<std::vector<Missing>> missing_where(Statements& statements, std::string_view column,
                                           std::int64_t id) {
  std::vector<Missing> missing;
  const auto take = [&](sql::Statement& row) {
    missing.push_back({row.column_int(0), row.column_text(1), row.column_text(2)});
  };
  ORCH_TRY(statements.rows(fmt::format(k_missing, column), take, id));
  return missing;
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
  ORCH_TRY(statements.rows(k_select, take, measurement));
  return requests;
}

Status derive(Statements& statements, const Missing& missing) {
  const auto load = nlohmann::json::parse(missing.load, nullptr, false);
  const auto stream = load.is_object() ? load.find("stream") : load.end();
  const bool streamed = stream == load.end() || *stream != false;
  ORCH_ASSIGN(const auto records, requests_of(statements, missing.measurement, streamed));
  const auto counted = measure::goodput(
      missing.expression,
      {.records = records, .server = {}, .client = {}, .open_loop = load.contains("arrival")});
  if (!counted)  // stored without a value: the measurement itself stays valid
    return statements.run(
        "INSERT INTO goodput (measurement_id, expression, left_out) VALUES (?, ?, ?)",
        missing.measurement, missing.expression, counted.error().text());
  return statements.run(
      "INSERT INTO goodput (measurement_id, expression, requests_per_s, good, of, left_out) VALUES "
      "(?, ?, ?, ?, ?, ?)",
      missing.measurement, missing.expression, counted->requests_per_s, counted->good, counted->of,
      fmt::format("{}", fmt::join(counted->left_out, "; ")));
}

Status derive_all(Statements& statements, Wide& wide, const std::vector<Missing>& missing) {
  if (missing.empty()) return {};
  ORCH_TRY(wide.have_metric("goodput_rps"));
  for (const Missing& one : missing) ORCH_TRY(derive(statements, one));
  return {};
}

}  // namespace

Status derive_goodput_of_run(Statements& statements, Wide& wide, std::int64_t run_id) {
  ORCH_ASSIGN(const auto missing, missing_where(statements, "r.id", run_id));
  return derive_all(statements, wide, missing);
}

Status derive_goodput_of_stage(Statements& statements, Wide& wide, std::int64_t stage_id) {
  ORCH_ASSIGN(const auto missing, missing_where(statements, "ps.stage_id", stage_id));
  return derive_all(statements, wide, missing);
}

}  // namespace orch::tables
