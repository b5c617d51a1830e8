#include "results/tables/ingest.hpp"

#include "bench/measure/goodput.hpp"
#include "bench/measure/metrics.hpp"
#include "results/tables/answers.hpp"

#include <cassert>

namespace orch::tables {

namespace {

using record::k_gpu_fields;
using record::k_measurement_fields;
using record::k_model_fields;
using record::k_request_fields;
using record::MeasurementRow;
using record::NamedMetric;

// The newest published `build` among the direct and indirect dependencies of stage ?1.
constexpr std::string_view k_build = R"(
WITH RECURSIVE above(id) AS (
  VALUES (?1) UNION SELECT n.needs_id FROM above JOIN stage_need n ON n.stage_id = above.id
)
SELECT {} FROM above JOIN stage s ON s.id = above.id JOIN artifact f ON f.stage_id = s.id
  JOIN attempt a ON a.id = f.attempt_id
WHERE s.name = 'build' ORDER BY f.id DESC LIMIT 1)";

void add_derived(std::vector<NamedMetric>& metrics, std::string_view name,
                 std::optional<double> value) {
  const bool known =
      std::ranges::any_of(metrics, [&](const NamedMetric& metric) { return metric.name == name; });
  if (value && !known) metrics.push_back({.name = std::string(name), .mean = value});
}

// Adds the output tokens per second and GPU, with its interval, for the GPUs that were assigned to
// the server. Adds nothing if there are none.
Status derive_per_gpu(Statements& statements, std::vector<NamedMetric>& metrics,
                      std::int64_t session) {
  ORCH_ASSIGN(const auto gpus,
              statements.integer("SELECT json_array_length(coalesce(a.gpus, '[]')) FROM "
                                 "service_session ss JOIN attempt a ON a.id = ss.attempt_id "
                                 "WHERE ss.id = ?",
                                 session));
  const auto found = std::ranges::find(metrics, metric::output_tps, &NamedMetric::name);
  if (gpus.value_or(0) < 1 || found == metrics.end()) return {};
  NamedMetric one{.name = std::string(metric::output_tps_per_gpu), .mean = found->mean};
  for (const Statistic limit : {Statistic::interval_low, Statistic::interval_high})
    if (const auto& value = found->statistics[limit])
      one.statistics[limit] = *value / static_cast<double>(*gpus);
  if (one.mean) *one.mean /= static_cast<double>(*gpus);
  metrics.push_back(std::move(one));
  return {};
}

Status derive(Statements& statements, std::vector<NamedMetric>& metrics,
              const MeasurementKeys& keys) {
  static const std::string k_wall = fmt::format(k_build, "a.wall_s");
  static const std::string k_bytes = fmt::format(k_build, "f.bytes");
  if (keys.session_id) {
    ORCH_ASSIGN(
        const auto start,
        // Ignores servers that were already running: they were only checked for readiness.
        statements.real("SELECT ss.start_s FROM service_session ss JOIN attempt a ON a.id = "
                        "ss.attempt_id JOIN stage s ON s.id = a.stage_id WHERE ss.id = ? AND NOT "
                        "EXISTS (SELECT 1 FROM json_each(s.components) c WHERE c.value LIKE "
                        "'[\"service.url\",%')",
                        *keys.session_id));
    add_derived(metrics, metric::server_start_s, start);
    ORCH_TRY(derive_per_gpu(statements, metrics, *keys.session_id));
  }
  ORCH_ASSIGN(const auto build, statements.real(k_wall, keys.stage_id));
  add_derived(metrics, metric::build_s, build);
  ORCH_ASSIGN(const auto bytes, statements.real(k_bytes, keys.stage_id));
  add_derived(metrics, metric::engine_gib,
              bytes ? std::optional(*bytes / (1 << 30)) : std::nullopt);
  return {};
}

// INSERT is insert_of(TABLE, KEYS, FIELDS), computed once.
template <class Fields, class Values, class... Keys>
Status put_fields(Statements& statements, const std::string& insert, const Fields& fields,
                  const Values& values, const Keys&... keys) {
  ORCH_ASSIGN(sql::Statement * row, statements.get(insert));
  int index = 0;
  Status status;
  static_cast<void>(((status = row->bind(++index, keys), status.ok()) && ...));
  ORCH_TRY(status);
  ORCH_TRY(bind_fields(*row, index + 1, fields, values));
  return row->run();
}

Status put_requests(Statements& statements, std::int64_t id,
                    const std::vector<record::RequestRow>& requests) {
  static const std::string k_insert =
      insert_of("request", "measurement_id, line", k_request_fields);
  for (const record::RequestRow& request : requests)
    ORCH_TRY(put_fields(statements, k_insert, k_request_fields, request.values, id, request.line));
  return {};
}

Status put_server_side(Statements& statements, std::int64_t id, const MeasurementRow& measured) {
  static const std::string k_insert_model =
      insert_of("model_time", "measurement_id", k_model_fields);
  static const std::string k_insert_gpu = insert_of("gpu_window", "measurement_id", k_gpu_fields);
  for (const record::ModelValues& model : measured.models)
    ORCH_TRY(put_fields(statements, k_insert_model, k_model_fields, model, id));
  for (const record::GpuValues& gpu : measured.gpus)
    ORCH_TRY(put_fields(statements, k_insert_gpu, k_gpu_fields, gpu, id));
  return {};
}

// The values of all labels except those that have separate columns or are meaningless.
std::string label_of(const measure::SeriesName& series) {
  std::vector<std::string_view> values;
  for (const auto& [label, value] : series.labels)
    if (label != "model" && label != "version") values.push_back(value);
  return fmt::format("{}", fmt::join(values, " "));
}

Status put_counter(Statements& statements, std::int64_t id, const record::Counter& counter) {
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

struct Provenance {
  const MeasurementKeys& keys;
  const std::string& sha256;  // of the record
  int ordinal;                // of the measurement in its record
};

// Returns the new row; nullopt if the measurement is already stored.
Result<std::optional<std::int64_t>> put_measurement(Statements& statements, Wide& wide,
                                                    MeasurementRow& measured,
                                                    const Provenance& provenance) {
  const auto& [keys, sha256, ordinal] = provenance;
  static const std::string k_insert =
      insert_of("measurement",
                "attempt_id, ordinal, stage_id, session_id, session_order, path, record_sha256, "
                "metric_version, superseded, isolation, neighbours, measured_at",
                k_measurement_fields);
  ORCH_ASSIGN(const auto present,
              statements.integer("SELECT id FROM measurement WHERE attempt_id = ? AND ordinal = ?",
                                 keys.attempt_id, ordinal));
  if (present) return std::optional<std::int64_t>();
  ORCH_TRY(derive(statements, measured.metrics, keys));
  ORCH_TRY(put_fields(statements, k_insert, k_measurement_fields, measured.values, keys.attempt_id,
                      ordinal, keys.stage_id, keys.session_id, keys.session_order, keys.path,
                      sha256, measure::k_metric_version, keys.superseded, keys.isolation,
                      keys.neighbours, keys.measured_at));
  const std::int64_t id = statements.database().last_insert_id();
  ORCH_TRY(put_metric_rows(statements, id, measured.metrics));
  const std::size_t warnings = measured.warnings().size();
  ORCH_TRY(wide.put_metrics(id, measured.metrics, measured.warnings()));
  if (measured.warnings().size() > warnings)
    ORCH_TRY(statements.run("UPDATE measurement SET warnings = ? WHERE id = ?",
                            fmt::format("{}", fmt::join(measured.warnings(), "; ")), id));
  ORCH_TRY(put_requests(statements, id, measured.requests));
  ORCH_TRY(put_server_side(statements, id, measured));
  for (const record::Counter& counter : measured.counters)
    ORCH_TRY(put_counter(statements, id, counter));
  return std::optional(id);
}

}  // namespace

Status ingest(system::Files& files, Statements& statements, Wide& wide, record::Record record,
              const MeasurementKeys& keys) {
  std::vector<std::optional<std::int64_t>> ids;
  for (MeasurementRow& measured : record.measurements) {
    const Provenance provenance = {keys, record.sha256, static_cast<int>(ids.size())};
    ORCH_ASSIGN(const auto id, put_measurement(statements, wide, measured, provenance));
    ids.push_back(id);
  }
  return put_answers(files, statements, record, ids);
}

Status bind_value(sql::Statement& statement, int index, FieldType type, const Value& value) {
  switch (type) {
    case FieldType::flag:
    case FieldType::optional_flag:
      if (const auto* flag = std::get_if<bool>(&value)) return statement.bind(index, *flag);
      break;
    case FieldType::integer:
      if (const auto* number = std::get_if<std::int64_t>(&value))
        return statement.bind(index, *number);
      break;
    case FieldType::real:
      if (const auto* number = std::get_if<double>(&value)) return statement.bind(index, *number);
      break;
    case FieldType::text:
    case FieldType::object:
      if (const auto* text = std::get_if<std::string>(&value)) return statement.bind(index, *text);
      break;
    case FieldType::gaps:
      if (const auto* gaps = std::get_if<Gaps>(&value))
        return statement.bind_blob(index, encode_gaps(*gaps));
      break;
    case FieldType::sentences:
    case FieldType::words:
      if (const auto* texts = std::get_if<Texts>(&value))
        return statement.bind(
            index, fmt::format("{}", fmt::join(*texts, type == FieldType::words ? " " : "; ")));
      break;
    case FieldType::section: assert(!"a section fills no column"); break;
  }
  return statement.bind(index, nullptr);
}

Value value_at(sql::Statement& statement, int column, FieldType type) {
  if (statement.column_null(column)) return {};
  switch (type) {
    case FieldType::flag:
    case FieldType::optional_flag: return statement.column_int(column) != 0;
    case FieldType::integer: return statement.column_int(column);
    case FieldType::real: return statement.column_real(column);
    case FieldType::gaps: return decode_gaps(statement.column_blob(column)).value_or(Gaps{});
    case FieldType::text:
    case FieldType::object: return statement.column_text(column);
    case FieldType::sentences:
    case FieldType::words:
    case FieldType::section: break;  // not stored as a whole: no reader splits a joined list
  }
  return {};
}

std::string insert_of(std::string_view table, std::string_view keys, std::string_view columns) {
  const std::string all = fmt::format("{}, {}", keys, columns);
  std::string parameters = "?";
  for (auto commas = std::ranges::count(all, ','); commas > 0; --commas) parameters += ", ?";
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, all, parameters);
}

Status put_metric_rows(Statements& statements, std::int64_t id,
                       std::span<const record::NamedMetric> metrics) {
  static const std::string k_insert = insert_of(
      "metric", "measurement_id, name", fmt::format("{}", fmt::join(k_statistic_names, ", ")));
  for (const record::NamedMetric& metric : metrics) {
    ORCH_ASSIGN(sql::Statement * row, statements.get(k_insert));
    ORCH_TRY(row->bind(1, id));
    ORCH_TRY(row->bind(2, metric.name));
    ORCH_TRY(row->bind(3, metric.mean));
    int index = 3;
    for (const Statistic one : k_suffixed) {
      const auto& value = metric.statistics[one];
      ++index;
      ORCH_TRY(value && one == Statistic::n ? row->bind(index, static_cast<std::int64_t>(*value))
                                            : row->bind(index, value));
    }
    ORCH_TRY(row->run());
  }
  return {};
}

Result<std::vector<record::NamedMetric>> metric_rows(Statements& statements, std::int64_t id) {
  static const std::string k_select = fmt::format(
      "SELECT name, {} FROM metric WHERE measurement_id = ?", fmt::join(k_statistic_names, ", "));
  std::vector<record::NamedMetric> metrics;
  ORCH_TRY(statements.rows(k_select, id, [&](sql::Statement& row) {
    auto& one = metrics.emplace_back(
        record::NamedMetric{.name = row.column_text(0), .mean = row.column_optional_real(1)});
    int column = 1;
    for (const Statistic each : k_suffixed)
      one.statistics[each] = row.column_optional_real(++column);
  }));
  return metrics;
}

std::vector<std::byte> encode_gaps(std::span<const std::uint64_t> gaps_ns) {
  std::vector<std::byte> blob;
  blob.reserve(gaps_ns.size() * 4);
  for (std::uint64_t gap : gaps_ns) {
    for (; gap >= 0x80; gap >>= 7) blob.push_back(static_cast<std::byte>(gap | 0x80));
    blob.push_back(static_cast<std::byte>(gap));
  }
  return blob;
}

std::optional<std::vector<std::uint64_t>> decode_gaps(std::string_view blob) {
  std::vector<std::uint64_t> gaps;
  std::uint64_t gap = 0;
  int shift = 0;
  for (const char character : blob) {
    const auto bits = static_cast<std::uint8_t>(character);
    if (shift > 63 || (shift == 63 && (bits & 0x7f) > 1)) return std::nullopt;
    gap |= static_cast<std::uint64_t>(bits & 0x7f) << shift;
    shift += 7;
    if (bits & 0x80) continue;
    gaps.push_back(gap);
    gap = 0;
    shift = 0;
  }
  if (shift != 0) return std::nullopt;
  return gaps;
}

}  // namespace orch::tables
