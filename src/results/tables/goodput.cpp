#include "results/tables/goodput.hpp"

#include "bench/measure/goodput.hpp"
#include "bench/record/request_fields.hpp"
#include "results/tables/record_columns.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace orch::tables {

namespace {

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

Status count_good(Statements& statements, std::int64_t measurement, const std::string& expression) {
  ORCH_ASSIGN(const auto stored,
              statements.text("SELECT load FROM measurement WHERE id = ?", measurement));
  const auto load = nlohmann::json::parse(stored.value_or(""), nullptr, false);
  const auto stream = load.is_object() ? load.find("stream") : load.end();
  const bool streamed = stream == load.end() || *stream != false;
  ORCH_ASSIGN(const auto records, requests_of(statements, measurement, streamed));
  const auto counted = measure::goodput(
      expression,
      {.records = records, .server = {}, .client = {}, .open_loop = load.contains("arrival")});
  if (!counted)  // stored without a value: the measurement itself stays valid
    return statements.run(
        "INSERT INTO goodput (measurement_id, expression, left_out) VALUES (?, ?, ?)", measurement,
        expression, counted.error().text());
  return statements.run(
      "INSERT INTO goodput (measurement_id, expression, requests_per_s, good, of, left_out) VALUES "
      "(?, ?, ?, ?, ?, ?)",
      measurement, expression, counted->requests_per_s, counted->good, counted->of,
      fmt::format("{}", fmt::join(counted->left_out, "; ")));
}

}  // namespace

Status derive_goodput(Statements& statements, Wide& wide, std::int64_t measurement,
                      const std::string& expression) {
  ORCH_ASSIGN(
      const auto there,
      statements.integer("SELECT 1 FROM goodput WHERE measurement_id = ? AND expression = ?",
                         measurement, expression));
  if (there) return {};
  ORCH_TRY(wide.have_metric("goodput_rps"));
  return count_good(statements, measurement, expression);
}

}  // namespace orch::tables
