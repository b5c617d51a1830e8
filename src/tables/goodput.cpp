#include "tables/goodput.hpp"

#include "measure/goodput.hpp"
#include "tables/token_gaps.hpp"

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
FROM run r JOIN point p ON p.run_id = r.id JOIN point_stage ps ON ps.point_id = p.id JOIN measurement m ON m.stage_id = ps.stage_id
WHERE {} = ? AND r.goodput IS NOT NULL AND p.status <> 'reject' AND m.superseded = 0
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

// The timestamps of the token events. Without stored gaps only the first and the last are known.
std::vector<std::int64_t> stamps_of(std::int64_t first_ns, std::int64_t last_ns,
                                    std::string_view gaps) {
  std::vector<std::int64_t> stamps = {first_ns};
  for (const std::uint64_t gap : decode_gaps(gaps).value_or(std::vector<std::uint64_t>{}))
    stamps.push_back(stamps.back() + static_cast<std::int64_t>(gap));
  if (stamps.size() == 1 && last_ns > first_ns) stamps.push_back(last_ns);
  return stamps;
}

measure::RequestRecord record_of(sql::Statement& row, bool streamed) {
  measure::RequestRecord record;
  record.streamed = streamed;
  record.due_ns = row.column_optional_int(0);
  record.sent_ns = row.column_int(1);
  if (const auto first = row.column_optional_int(2))
    record.event_ns = stamps_of(*first, row.column_int(3), row.column_blob(4));
  record.isl = row.column_optional_int(5);
  record.isl_reported = row.column_optional_int(6);
  record.osl_counted = row.column_optional_int(7);
  record.osl_reported = row.column_optional_int(8);
  record.first_event_tokens = row.column_optional_int(9).value_or(1);
  record.sequences = std::max<std::int64_t>(1, row.column_optional_int(10).value_or(1));
  if (const auto scheduled = row.column_optional_int(11))
    record.server_times = {*scheduled, row.column_int(12), row.column_int(13)};
  record.error = row.column_text(14);
  record.end_ns = row.column_optional_int(15).value_or(record.sent_ns);
  return record;
}

Result<std::vector<measure::RequestRecord>> requests_of(Statements& statements,
                                                        std::int64_t measurement, bool streamed) {
  std::vector<measure::RequestRecord> records;
  ORCH_TRY(statements.rows(
      "SELECT due_ns, sent_ns, first_ns, last_ns, gaps, isl, isl_reported, osl_counted, "
      "osl_reported, first_event_tokens, sequences, "
      "scheduled_ns, first_token_ns, last_token_ns, error, end_ns FROM request WHERE "
      "measurement_id = ? AND warmup = 0 AND sent_ns IS NOT NULL ORDER BY line",
      [&](sql::Statement& row) { records.push_back(record_of(row, streamed)); }, measurement));
  return records;
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
