#include "analysis/page/labels.hpp"
#include "analysis/page/page_reading.hpp"
#include "core/base/text.hpp"
#include "results/query/query.hpp"

#include <nlohmann/json.hpp>

namespace orch::report {

namespace {

using Json = nlohmann::json;

constexpr std::size_t k_most_lines = 4;
constexpr std::size_t k_most_model_times = 24;  // only complete configurations are added

// WORD without the parts that differ between attempts, so that equal commands look equal.
std::string without_places(std::string word, const std::string& root) {
  if (!root.empty())
    for (std::size_t at = 0; (at = word.find(root, at)) != std::string::npos;)
      word.replace(at, root.size(), "STORE");
  static constexpr std::string_view k_attempt_folders = "STORE/attempts/";
  for (std::size_t at = 0; (at = word.find(k_attempt_folders, at)) != std::string::npos;) {
    at += k_attempt_folders.size();
    const std::size_t end = std::min(word.find('/', at), word.size());
    word.replace(at, end - at, "TOKEN");
  }
  return word;
}

std::vector<std::string> words_of(const std::string& text, const std::string& root) {
  std::vector<std::string> out;
  const Json parsed = Json::parse(text, nullptr, false);
  if (!parsed.is_array()) return out;
  for (const Json& word : parsed)
    if (word.is_string()) out.push_back(without_places(word.get<std::string>(), root));
  return out;
}

// The members of a JSON object as "NAME=VALUE".
std::vector<std::string> members_of(const std::string& text, const std::string& root) {
  std::vector<std::string> out;
  const Json parsed = Json::parse(text, nullptr, false);
  if (!parsed.is_object()) return out;
  for (const auto& [name, value] : parsed.items())
    if (value.is_string())
      out.push_back(name + "=" + without_places(value.get<std::string>(), root));
  return out;
}

std::string machine_text(const std::string& facts) {
  const Json parsed = Json::parse(facts, nullptr, false);
  if (!parsed.is_object()) return facts;
  std::vector<std::string> parts;
  for (const auto& [name, value] : parsed.items())
    if (name != "boot_id")
      parts.push_back(name + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return join(parts, ", ");
}

using PointKey = std::pair<std::string, std::string>;  // experiment and name

std::map<PointKey, std::size_t> rows_by_name(const page::Report& report) {
  std::map<PointKey, std::size_t> out;
  for (std::size_t i = 0; i < report.rows.size(); ++i)
    out.emplace(PointKey{report.rows[i].experiment, report.rows[i].point}, i);
  return out;
}

std::string of_point(const page::Row& row) {
  return fmt::format("experiment = {} AND point = {}", sql::quote_text(row.experiment),
                     sql::quote_text(row.point));
}

// The valid rows of the first group that have the group's highest load, the fastest first.
std::vector<std::size_t> loaded_rows(const page::Report& report) {
  if (report.groups.empty()) return {};
  std::optional<std::size_t> load;
  for (std::size_t i = 0; i < report.parameters.size(); ++i)
    if (report.parameters[i].role == page::Role::load) load = i;
  std::optional<double> highest;
  std::vector<std::size_t> rows;
  const auto load_of = [&](std::size_t row) {
    return load ? to_real(report.rows[row].parameters[*load]).value_or(0) : 0;
  };
  for (const std::size_t row : report.groups.front().rows)
    if (report.rows[row].state != page::State::invalid)
      highest = std::max(highest.value_or(0), load_of(row));
  for (const std::size_t row : report.groups.front().rows)
    if (report.rows[row].state != page::State::invalid && load_of(row) == highest)
      rows.push_back(row);
  if (report.y)
    std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
      const auto value = [&](std::size_t row) {
        const auto& figure = report.rows[row].figures[*report.y];
        return figure ? figure->value : -1;
      };
      return value(a) > value(b);
    });
  return rows;
}

std::string name_of_load(const page::Report& report, const page::Row& row) {
  std::string out = report.groups.front().name;
  for (std::size_t i = 0; i < report.parameters.size(); ++i)
    if (report.parameters[i].role == page::Role::load && !row.parameters[i].empty())
      out += (out.empty() ? "" : ", ") + report.parameters[i].name + " " + row.parameters[i];
  return out;
}

Status add_failures(sql::Database& database, page::Report& report, std::int64_t run) {
  ORCH_ASSIGN(const Table table,
              select(database, fmt::format("SELECT stage, class, message, points FROM failures "
                                           "WHERE final = 1 AND run = {}",
                                           run)));
  const Columns columns(table);
  for (std::size_t row = 0; row < columns.rows(); ++row)
    report.failures.push_back({columns.text(row, "stage"), columns.text(row, "class"),
                               columns.text(row, "message"),
                               static_cast<std::int64_t>(columns.real(row, "points").value_or(0))});
  return {};
}

// The seconds in which neither a task nor a measurement ran.
double idle_s(std::vector<page::WorkSpan> spans, double end) {
  std::erase_if(spans, [](const auto& span) { return span.kind == "service"; });
  std::ranges::sort(spans, [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; });
  double idle = 0, busy_until = 0;
  for (const page::WorkSpan& span : spans) {
    idle += std::max(0.0, span.begin_s - busy_until);
    busy_until = std::max(busy_until, span.end_s);
  }
  return idle + std::max(0.0, end - busy_until);
}

Status add_spans(sql::Database& database, page::Report& report, std::int64_t run, double now) {
  // Reads tables, because the views have times in whole seconds, which are too coarse for many
  // stages.
  ORCH_ASSIGN(const Table table,
              select(database,
                     fmt::format("SELECT s.name AS name, s.kind AS kind, a.spawned_at - "
                                 "r.started_at AS start, coalesce(a.ended_at, r.ended_at, {}) - "
                                 "r.started_at AS stop, a.ok AS ok FROM attempt a JOIN stage s ON "
                                 "s.id = a.stage_id JOIN run r ON r.id = a.run_id WHERE a.run_id = "
                                 "{} AND a.spawned_at IS NOT NULL ORDER BY a.spawned_at",
                                 now, run)));
  const Columns columns(table);
  double end = 0;
  std::size_t failed = 0;
  for (std::size_t row = 0; row < columns.rows(); ++row) {
    report.spans.push_back({.stage = columns.text(row, "name"),
                            .kind = columns.text(row, "kind"),
                            .begin_s = std::max(0.0, columns.real(row, "start").value_or(0)),
                            .end_s = columns.real(row, "stop").value_or(0),
                            .failed = columns.real(row, "ok").value_or(1) == 0});
    end = std::max(end, report.spans.back().end_s);
    failed += report.spans.back().failed;
  }
  if (report.spans.empty()) return {};
  report.timeline_of = fmt::format(
      "Run {}: {} attempts in {}, of which {} without a task or measurement", run,
      report.spans.size(), human_duration(end), human_duration(idle_s(report.spans, end)));
  return {};
}

struct WantedTrend {
  std::string_view column, title, unit;
};

void add_trends(page::Report& report, const Columns& columns, std::string_view series,
                std::span<const WantedTrend> wanted) {
  std::optional<double> start;
  for (std::size_t row = 0; row < columns.rows(); ++row)
    if (const auto at = columns.real(row, "at")) start = std::min(start.value_or(*at), *at);
  for (const WantedTrend& one : wanted) {
    page::Trend trend{std::string(one.title), std::string(one.unit), {}};
    std::map<std::string, page::Trend::Series> by_name;
    for (std::size_t row = 0; row < columns.rows(); ++row) {
      const auto value = columns.real(row, one.column), at = columns.real(row, "at");
      if (!value || !at) continue;
      auto& of = by_name[columns.text(row, series)];
      of.name = columns.text(row, series);
      of.points.emplace_back((*at - *start) / 60, *value);
    }
    for (auto& [name, one_series] : by_name) {
      std::ranges::sort(one_series.points);
      trend.series.push_back(std::move(one_series));
    }
    if (!trend.series.empty()) report.trends.push_back(std::move(trend));
  }
}

Status add_host(sql::Database& database, page::Report& report, std::int64_t run) {
  static constexpr WantedTrend k_host[] = {
      {"server_cpu_share", "server CPU", "cores"},
      {"server_memory_gib_peak", "server memory", "GiB"},
      {"client_cpu_share", "busiest thread of the client", "share of a core"}};
  ORCH_ASSIGN(
      const Table host,
      select(database,
             fmt::format("SELECT runner, CAST(strftime('%s', measured_at) AS REAL) AS at, * "
                         "FROM results_all WHERE measured_run = {}",
                         run)));
  add_trends(report, Columns(host), "runner", k_host);
  static constexpr WantedTrend k_gpu[] = {{"power_w", "GPU power", "W"},
                                          {"sm_clock_mhz_mean", "GPU clock", "MHz"},
                                          {"used_gib_peak", "GPU memory", "GiB"},
                                          {"busy_share", "GPU busy", "share"}};
  ORCH_ASSIGN(const Table gpus,
              select(database, fmt::format("SELECT 'GPU ' || g.gpu AS name, CAST(strftime('%s', "
                                           "a.measured_at) AS REAL) AS at, g.* FROM gpus g JOIN "
                                           "results_all a ON a.measurement = g.measurement WHERE "
                                           "a.measured_run = {}",
                                           run)));
  add_trends(report, Columns(gpus), "name", k_gpu);
  return {};
}

}  // namespace

Status add_stages(sql::Database& database, page::Report& report, const std::string& root) {
  ORCH_ASSIGN(const Table table, select(database, "SELECT * FROM provenance"));
  const Columns columns(table);
  const auto rows = rows_by_name(report);
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    const auto row = rows.find({columns.text(i, "experiment"), columns.text(i, "point")});
    if (row == rows.end()) continue;
    const std::string id = columns.text(i, "stage");
    const auto [at, is_new] = known.emplace(id, report.stages.size());
    report.rows[row->second].stages.push_back(at->second);
    if (!is_new) continue;
    report.stages.push_back({.id = id,
                             .name = columns.text(i, "name"),
                             .kind = columns.text(i, "kind"),
                             .tool_version = columns.text(i, "tool_version"),
                             .digest = columns.text(i, "digest"),
                             .artifact = columns.text(i, "artifact"),
                             .artifact_digest = columns.text(i, "artifact_digest"),
                             .machine = machine_text(columns.text(i, "machine")),
                             .version = columns.text(i, "orchestrate_version"),
                             .command = words_of(columns.text(i, "command"), root),
                             .environment = members_of(columns.text(i, "env"), root)});
  }
  return {};
}

Status add_requests(sql::Database& database, page::Report& report) {
  const std::vector<std::size_t> rows = loaded_rows(report);
  if (rows.empty()) return {};
  report.requests_of = name_of_load(report, report.rows[rows.front()]);
  for (std::size_t i = 0; i < rows.size() && i < k_most_lines; ++i) {
    const page::Row& row = report.rows[rows[i]];
    const std::string name = page::label(report, row, false);
    ORCH_ASSIGN(const Table requests,
                select(database,
                       "SELECT request_latency_ms FROM requests WHERE NOT warmup AND "
                       "request_latency_ms IS NOT NULL AND " +
                           of_point(row)));
    page::Requests samples{name, {}};
    for (const auto& cells : requests.rows)
      if (const auto* value = std::get_if<double>(&cells[0])) samples.values.push_back(*value);
    if (!samples.values.empty()) report.latencies.push_back(std::move(samples));
    ORCH_ASSIGN(const Table times,
                select(database,
                       "SELECT model, avg(queue_ms) AS queue, avg(compute_input_ms) AS input, "
                       "avg(compute_infer_ms) AS infer, avg(compute_output_ms) AS output FROM "
                       "model_times WHERE " +
                           of_point(row) + " GROUP BY model ORDER BY model"));
    const Columns columns(times);
    if (report.model_times.size() + columns.rows() > k_most_model_times) continue;
    for (std::size_t model = 0; model < columns.rows(); ++model)
      report.model_times.push_back(
          {.name = columns.text(model, "model") + (name.empty() ? "" : ", " + name),
           .queue_ms = columns.real(model, "queue").value_or(0),
           .input_ms = columns.real(model, "input").value_or(0),
           .infer_ms = columns.real(model, "infer").value_or(0),
           .output_ms = columns.real(model, "output").value_or(0)});
  }
  return {};
}

Status add_run(sql::Database& database, page::Report& report, std::int64_t run, double now) {
  ORCH_TRY(add_failures(database, report, run));
  ORCH_TRY(add_spans(database, report, run, now));
  return add_host(database, report, run);
}

}  // namespace orch::report
