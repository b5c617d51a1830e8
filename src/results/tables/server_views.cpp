#include "bench/measure/metrics.hpp"
#include "core/sql/database.hpp"
#include "results/tables/results.hpp"
#include "results/tables/views.hpp"
#include "results/tools/tool_figures.hpp"

namespace orch::tables {

namespace {

// A series that was absent before the window is assumed to begin at zero; a series that decreased
// belongs to a server that was restarted.
constexpr std::string_view k_server_metrics =
    R"(SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point,
  c.measurement_id AS measurement,
  c.family AS family, c.model AS model, c.label AS label, c.kind AS kind, c.before AS before,
    c.after AS after,
  CASE WHEN coalesce(c.kind, 'counter') = 'counter'
    AND c.after >= coalesce(c.before, 0) THEN c.after - coalesce(c.before, 0) END AS delta,
  c.min AS min, c.max AS max, c.mean AS mean, c.n AS n, c.name AS series
FROM server_counter c JOIN measurement_point mp ON mp.measurement = c.measurement_id)";

constexpr std::string_view k_model_times =
    R"(SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point,
  t.measurement_id AS measurement, t.model AS model, t.version AS version,
  t.requests AS requests, t.failed AS failed, t.inferences AS inferences,
    t.executions AS executions, t.request_ms AS request_ms, t.queue_ms AS queue_ms,
  t.compute_input_ms AS compute_input_ms, t.compute_infer_ms AS compute_infer_ms,
    t.compute_output_ms AS compute_output_ms,
  t.cache_hits AS cache_hits, t.cache_misses AS cache_misses, t.restarted AS restarted
FROM model_time t JOIN measurement_point mp ON mp.measurement = t.measurement_id)";

constexpr std::string_view k_gpus =
    R"(SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point,
  g.measurement_id AS measurement, g.gpu AS gpu, g.uuid AS uuid, g.model AS gpu_model,
  g.memory_gib AS memory_gib, g.used_gib_peak AS used_gib_peak, g.power_w AS power_w,
    g.energy_j AS energy_j,
  g.sm_clock_mhz_min AS sm_clock_mhz_min, g.sm_clock_mhz_mean AS sm_clock_mhz_mean,
    g.sm_clock_mhz_max AS sm_clock_mhz_max, g.temperature_c_max AS temperature_c_max,
    g.busy_share AS busy_share, g.throttled AS throttled
FROM gpu_window g JOIN measurement_point mp ON mp.measurement = g.measurement_id)";

// SQL rows such as ('genai-perf', 'itl_ms', 'the same formula; ...').
std::string words_of_differences() {
  std::string rows;
  for (const measure::Tool& tool : measure::tools())
    for (const measure::MetricRow& metric : measure::metric_table()) {
      const measure::Definition one = measure::definition_of(tool, metric.name);
      if (one.difference.empty()) continue;
      rows += fmt::format("{}({}, {}, {})", rows.empty() ? "" : ",\n  ", sql::quote_text(tool.name),
                          sql::quote_text(metric.name), sql::quote_text(one.difference));
    }
  return rows;
}

// The names of our metrics, for SQL.
std::string our_metrics() {
  std::vector<std::string> names;
  for (const measure::MetricRow& metric : measure::metric_table())
    names.push_back(sql::quote_text(metric.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// newest: the newest valid measurement of every measure stage, ordinal and definition. point_key:
// the parameters of a point except its tool and the parameters of the tool (tool_version, ...).
// round: a figure in one repeat, at one start of the server. pair: two tools in the same round.
constexpr std::string_view k_sql =
    R"(-- own: by the tool's definition; recomputed: by ours, from the tool's own requests.
-- definition_percent: what the definitions alone make. between_percent: the rest, against the
-- native tool in the same round, as the mean over rounds with Student's 95 % interval.
WITH words(tool, metric, why) AS (VALUES
  {0}
), newest AS (
  SELECT stage_id, max(id) AS id FROM measurement
  WHERE valid = 1 AND superseded = 0 GROUP BY stage_id, ordinal, tool, definition
), asked AS (
  SELECT r.experiment AS experiment, max(p.id) AS point_id
  FROM point p JOIN run r ON r.id = p.run_id WHERE p.status <> 'reject'
  GROUP BY r.experiment, p.name
), point_key AS (
  SELECT asked.experiment AS experiment, asked.point_id AS point_id, p.name AS name,
    (SELECT coalesce(group_concat(k || '=' || v, char(31)), '') FROM (
      SELECT j.key AS k, coalesce(j.value, '') AS v FROM json_each(p.parameters) j
      WHERE j.key <> 'tool' AND j.key NOT GLOB 'tool_*' ORDER BY j.key)) AS key
  FROM asked JOIN point p ON p.id = asked.point_id
), round AS (
  SELECT pk.experiment AS experiment, pk.key AS key, pk.name AS name, m.tool AS tool,
    m.definition AS definition, s.repeat AS repeat, coalesce(served.stage_id, 0) AS served,
    f.name AS base, f.name || u.suffix AS metric,
    CASE u.suffix WHEN '' THEN f.mean WHEN '_p50' THEN f.p50 WHEN '_p90' THEN f.p90
      ELSE f.p99 END AS value
  FROM newest JOIN measurement m ON m.id = newest.id
  JOIN point_stage ps ON ps.stage_id = m.stage_id JOIN point_key pk ON pk.point_id = ps.point_id
  JOIN stage s ON s.id = m.stage_id
  LEFT JOIN service_session ss ON ss.id = m.session_id
  LEFT JOIN attempt served ON served.id = ss.attempt_id
  JOIN metric f ON f.measurement_id = m.id
  JOIN (SELECT '' AS suffix UNION ALL SELECT '_p50' UNION ALL SELECT '_p90' UNION ALL SELECT '_p99')
    u
  WHERE f.name IN ({1})
), side AS (
  SELECT experiment, key, tool, base, metric, repeat, served, min(name) AS name,
    avg(CASE WHEN definition = tool THEN value END) AS own,
    avg(CASE WHEN definition <> tool THEN value END) AS recomputed
  FROM round WHERE value IS NOT NULL GROUP BY experiment, key, tool, metric, repeat, served
), pair AS (
  SELECT t.experiment AS experiment, coalesce(n.name, t.name) AS point, t.tool AS tool,
    t.base AS base, t.metric AS metric, n.own AS native, t.own AS own, t.recomputed AS recomputed,
    100.0 * (coalesce(t.recomputed, t.own) / nullif(n.own, 0) - 1) AS between_tools
  FROM side t LEFT JOIN side n ON n.tool = 'native' AND n.experiment = t.experiment
    AND n.key = t.key AND n.metric = t.metric AND n.repeat = t.repeat AND n.served = t.served
  WHERE t.tool <> 'native'
)
SELECT pair.experiment AS experiment, pair.point AS point, pair.tool AS tool, pair.metric AS metric,
  avg(native) AS native, avg(own) AS own, avg(recomputed) AS recomputed,
  100.0 * (avg(own) / nullif(avg(recomputed), 0) - 1) AS definition_percent,
  avg(between_tools) AS between_percent,
  CASE WHEN count(between_tools) > 1 THEN avg(between_tools) - {2} END AS between_low,
  CASE WHEN count(between_tools) > 1 THEN avg(between_tools) + {2} END AS between_high,
  count(*) AS rounds, coalesce(words.why, '') AS why
FROM pair LEFT JOIN words ON words.tool = pair.tool AND words.metric = pair.base
GROUP BY pair.experiment, pair.point, pair.tool, pair.metric)";

struct Column {
  std::string_view name;
  std::string_view expression;  // with the names of columns in braces
};

// The rates are tokens of all requests over the sum of their latencies; times are in seconds.
constexpr Column k_llm_perf[] = {
    {"concurrency", "{concurrency}"},
    {"average_input_token_per_sec",
     "coalesce({llm_perf_average_input_token_per_sec}, 1000.0 * {isl_counted} / "
     "nullif({request_latency_ms}, 0))"},
    {"average_output_token_per_sec",
     "coalesce({llm_perf_average_output_token_per_sec}, 1000.0 * {osl_counted} / "
     "nullif({request_latency_ms}, 0))"},
    {"average_ttft", "{ttft_ms} / 1000.0"},
    {"average_latency", "{request_latency_ms} / 1000.0"},
    {"p99_ttft", "{ttft_ms_p99} / 1000.0"},
    {"p99_latency", "{request_latency_ms_p99} / 1000.0"},
    {"throughput", "{requests_per_s}"},
};

// The names are those of the CSV that LMDeploy's profile_serving.py writes.
constexpr Column k_lmdeploy[] = {
    {"batch", "{concurrency}"},
    {"num_prompts", "coalesce({num_prompts}, {request_latency_ms_n})"},
    {"RPS", "{requests_per_s}"},
    {"RPM", "coalesce({lmdeploy_requests_per_minute}, 60.0 * {requests_per_s})"},
    {"FTL(ave)(s)", "{ttft_ms} / 1000.0"},
    {"FTL(min)(s)", "{ttft_ms_min} / 1000.0"},
    {"FTL(max)(s)", "{ttft_ms_max} / 1000.0"},
    {"throughput(out tok/s)", "{output_tps}"},
    {"throughput(total tok/s)", "coalesce({lmdeploy_total_tps}, {input_tps} + {output_tps})"},
};

// EXPRESSION with the column of results_by_tool in place of each {name}, or NULL if there is no
// such column.
std::string of_columns(const Wide& wide, std::string_view expression) {
  std::string out;
  while (true) {
    const std::size_t begin = std::min(expression.find('{'), expression.size());
    out += expression.substr(0, begin);
    if (begin == expression.size()) return out;
    const std::size_t end = expression.find('}', begin);
    const std::string name(expression.substr(begin + 1, end - begin - 1));
    out += wide.columns().contains(name) ? "r." + sql::quote_name(name) : "NULL";
    expression.remove_prefix(end + 1);
  }
}

std::string table_sql(const Wide& wide, std::span<const Column> columns) {
  std::string list;
  for (const Column& column : columns)
    list += fmt::format(",\n  {} AS {}", of_columns(wide, column.expression),
                        sql::quote_name(column.name));
  return fmt::format(
      "SELECT r.experiment AS experiment, r.run AS run, r.point AS point, r.tool AS tool{}\n"
      "FROM results_by_tool r",
      list);
}

}  // namespace

std::string server_metrics_sql(const Wide&) { return std::string(k_server_metrics); }

std::string model_times_sql(const Wide&) { return std::string(k_model_times); }

std::string gpus_sql(const Wide&) { return std::string(k_gpus); }

std::string_view node_migration() {
  return R"sql(ALTER TABLE gpu_window ADD COLUMN temperature_c_max REAL;
ALTER TABLE attempt ADD COLUMN node TEXT;                    -- of a cluster; NULL: the run's own host
ALTER TABLE attempt ADD COLUMN job TEXT;                     -- its id there
)sql";
}

std::string side_by_side_sql(const Wide&) {
  return fmt::format(k_sql, words_of_differences(), our_metrics(),
                     half_width_of_mean("between_tools"));
}

std::string llm_perf_sql(const Wide& wide) { return table_sql(wide, k_llm_perf); }

std::string lmdeploy_sql(const Wide& wide) { return table_sql(wide, k_lmdeploy); }

}  // namespace orch::tables
