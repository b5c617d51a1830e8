#include "tables/ingest.hpp"

#include "measure/metrics.hpp"
#include "measure/series.hpp"
#include "tables/answers.hpp"
#include "tables/token_gaps.hpp"

#include <fmt/ranges.h>

namespace orch::tables {

namespace {

// The newest published `build` among the direct and indirect dependencies of stage ?1.
constexpr std::string_view k_build = R"(
WITH RECURSIVE above(id) AS (
  VALUES (?1) UNION SELECT n.needs_id FROM above JOIN stage_need n ON n.stage_id = above.id
)
SELECT {} FROM above JOIN stage s ON s.id = above.id JOIN artifact f ON f.stage_id = s.id JOIN attempt a ON a.id = f.attempt_id
WHERE s.name = 'build' ORDER BY f.id DESC LIMIT 1)";

void add_derived(std::vector<Metric>& metrics, std::string_view name, std::optional<double> value) {
  const bool known = std::any_of(metrics.begin(), metrics.end(),
                                 [&](const Metric& metric) { return metric.name == name; });
  if (value && !known) metrics.push_back({.name = std::string(name), .mean = value});
}

Status derive(Statements& statements, std::vector<Metric>& metrics, const MeasurementKeys& keys) {
  static const std::string k_wall = fmt::format(k_build, "a.wall_s");
  static const std::string k_bytes = fmt::format(k_build, "f.bytes");
  if (keys.session_id) {
    ORCH_ASSIGN(
        const auto start,
        statements.real("SELECT start_s FROM service_session WHERE id = ?", *keys.session_id));
    add_derived(metrics, "server_start_s", start);
  }
  ORCH_ASSIGN(const auto build, statements.real(k_wall, keys.stage_id));
  add_derived(metrics, "build_s", build);
  ORCH_ASSIGN(const auto bytes, statements.real(k_bytes, keys.stage_id));
  add_derived(metrics, "engine_gib", bytes ? std::optional(*bytes / (1 << 30)) : std::nullopt);
  return {};
}

Status put_metric_rows(Statements& statements, std::int64_t id,
                       const std::vector<Metric>& metrics) {
  for (const Metric& metric : metrics) {
    const auto& s = metric.statistics;
    const std::optional<std::int64_t> n =
        s[k_statistic_n] ? std::optional(static_cast<std::int64_t>(*s[k_statistic_n]))
                         : std::nullopt;
    ORCH_TRY(
        statements.run("INSERT INTO metric (measurement_id, name, mean, sd, min, max, p50, p90, "
                       "p95, p99, p999, n, interval_low, interval_high) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       id, metric.name, metric.mean, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7],
                       n, s[9], s[10]));
  }
  return {};
}

Status put_request(Statements& statements, std::int64_t id, const Request& r) {
  ORCH_ASSIGN(
      sql::Statement * row,
      statements.get(
          "INSERT INTO request (measurement_id, line, idx, warmup, block, due_ns, sent_ns, "
          "first_ns, last_ns, end_ns, isl, isl_reported, osl_requested, "
          "osl_counted, osl_reported, coalesced, status, error, gaps, server, sequences, stopped, "
          "scheduled_ns, first_token_ns, last_token_ns, first_event_tokens) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  const auto gaps = encode_gaps(r.gaps_ns);
  ORCH_TRY(row->bind_blob(19, gaps));
  int index = 0;
  const auto bind = [&](const auto&... values) -> Status {
    Status status;
    static_cast<void>(((status = row->bind(++index, values), status.ok()) && ...));
    return status;
  };
  ORCH_TRY(bind(id, r.line, r.index, r.warmup, r.block, r.due_ns, r.sent_ns, r.first_ns, r.last_ns,
                r.end_ns, r.isl, r.isl_reported, r.osl_requested, r.osl_counted, r.osl_reported,
                r.coalesced, r.status, r.error));
  index = 19;
  ORCH_TRY(bind(r.server, r.sequences, r.stopped, r.scheduled_ns, r.first_token_ns, r.last_token_ns,
                r.first_event_tokens));
  return row->run();
}

Status put_server_side(Statements& statements, std::int64_t id, const Measured& measured) {
  for (const ModelTime& m : measured.models)
    ORCH_TRY(
        statements.run("INSERT INTO model_time (measurement_id, model, version, requests, failed, "
                       "inferences, executions, cache_hits, cache_misses, request_ms, queue_ms, "
                       "compute_input_ms, compute_infer_ms, compute_output_ms, restarted) VALUES "
                       "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       id, m.model, m.version, m.requests, m.failed, m.inferences, m.executions,
                       m.cache_hits, m.cache_misses, m.request_ms, m.queue_ms, m.compute_input_ms,
                       m.compute_infer_ms, m.compute_output_ms, m.restarted));
  for (const GpuWindow& g : measured.gpus)
    ORCH_TRY(statements.run(
        "INSERT INTO gpu_window (measurement_id, gpu, uuid, model, memory_gib, used_gib_peak, "
        "power_w, energy_j, sm_clock_mhz_min, sm_clock_mhz_mean, "
        "sm_clock_mhz_max, busy_share, throttled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id, g.index, g.uuid, g.model, g.memory_gib, g.used_gib_peak, g.power_w, g.energy_j,
        g.sm_clock_mhz_min, g.sm_clock_mhz_mean, g.sm_clock_mhz_max, g.busy_share, g.throttled));
  return {};
}

// The values of all labels but those that have columns of their own or say nothing.
std::string label_of(const measure::SeriesName& series) {
  std::vector<std::string_view> values;
  for (const auto& [label, value] : series.labels)
    if (label != "model" && label != "version") values.push_back(value);
  return fmt::format("{}", fmt::join(values, " "));
}

Status put_counter(Statements& statements, std::int64_t id, const Counter& counter) {
  std::size_t end = 0;
  const auto series = measure::read_series_name(counter.name, end);
  std::optional<std::string> family, model, label;
  if (series) {
    family = series->family;
    label = label_of(*series);
    if (const auto found = series->labels.find("model"); found != series->labels.end())
      model = found->second;
  }
  const std::optional<std::int64_t> n =
      counter.n ? std::optional(static_cast<std::int64_t>(std::clamp(*counter.n, 0.0, 1e15)))
                : std::nullopt;
  return statements.run(
      "INSERT INTO server_counter (measurement_id, name, before, after, family, model, label, "
      "kind, min, max, mean, n) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      id, counter.name, counter.before, counter.after, family, model, label, counter.kind,
      counter.min, counter.max, counter.mean, n);
}

// Returns the new row; empty when the measurement is stored already.
Result<std::optional<std::int64_t>> put_measurement(Statements& statements, Wide& wide,
                                                    Measured& measured, int ordinal,
                                                    const std::string& sha256,
                                                    const MeasurementKeys& keys) {
  ORCH_ASSIGN(const auto there,
              statements.integer("SELECT id FROM measurement WHERE attempt_id = ? AND ordinal = ?",
                                 keys.attempt_id, ordinal));
  if (there) return std::optional<std::int64_t>();
  ORCH_TRY(derive(statements, measured.metrics, keys));
  ORCH_TRY(statements.run(
      "INSERT INTO measurement (attempt_id, ordinal, stage_id, session_id, session_order, valid, "
      "reasons, warnings, unsupported, load, "
      "counting, client, window_start_ns, window_s, path, record_sha256, metric_version, "
      "superseded, measured_at) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      keys.attempt_id, ordinal, keys.stage_id, keys.session_id, keys.session_order, measured.valid,
      fmt::format("{}", fmt::join(measured.reasons, "; ")),
      fmt::format("{}", fmt::join(measured.unsupported, " ")), measured.load, measured.counting,
      measured.client, measured.window_start_ns, measured.window_s, keys.path, sha256,
      measure::k_metric_version, keys.superseded, keys.measured_at));
  const std::int64_t id = statements.database().last_insert_id();
  ORCH_TRY(put_metric_rows(statements, id, measured.metrics));
  ORCH_TRY(wide.put_metrics(id, measured.metrics, measured.warnings));
  ORCH_TRY(statements.run("UPDATE measurement SET warnings = ?, notes = ? WHERE id = ?",
                          fmt::format("{}", fmt::join(measured.warnings, "; ")),
                          fmt::format("{}", fmt::join(measured.notes, "; ")), id));
  for (const Request& request : measured.requests) ORCH_TRY(put_request(statements, id, request));
  ORCH_TRY(put_server_side(statements, id, measured));
  for (const Counter& counter : measured.counters) ORCH_TRY(put_counter(statements, id, counter));
  return std::optional(id);
}

}  // namespace

Status ingest(system::Files& files, Statements& statements, Wide& wide, Record record,
              const MeasurementKeys& keys) {
  std::vector<std::optional<std::int64_t>> ids;
  for (Measured& measured : record.measurements) {
    ORCH_ASSIGN(const auto id, put_measurement(statements, wide, measured,
                                               static_cast<int>(ids.size()), record.sha256, keys));
    ids.push_back(id);
  }
  return put_answers(files, statements, record, ids);
}

}  // namespace orch::tables
