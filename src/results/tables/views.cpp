#include "results/tables/views.hpp"

#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/tables/results.hpp"

namespace orch::tables {

namespace {

// The rank of METRIC among the columns: metrics of the window in the order of their table, then
// metrics of earlier stages, then others, by name.
std::size_t metric_rank(std::string_view metric) {
  const std::size_t known = measure::metric_table().size() + measure::derived_metrics().size();
  const auto ours = measure::all_metrics().first(known);
  const auto row = std::ranges::find(ours, metric, &measure::MetricRow::name);
  return static_cast<std::size_t>(row - ours.begin());
}

struct Columns {
  std::vector<WideColumn> parameters, values, statistics;
};

Columns sorted(const Wide& wide) {
  Columns columns;
  for (const auto& [name, column] : wide.columns()) {
    auto& list = column.parameter           ? columns.parameters
                 : column.statistic.empty() ? columns.values
                                            : columns.statistics;
    list.push_back(column);
  }
  const auto before = [](const WideColumn& a, const WideColumn& b) {
    return std::tuple(metric_rank(a.metric), a.metric, parse_name<Statistic>(a.statistic)) <
           std::tuple(metric_rank(b.metric), b.metric, parse_name<Statistic>(b.statistic));
  };
  std::ranges::sort(columns.values, before);
  std::ranges::sort(columns.statistics, before);
  return columns;
}

// Builds the column list of a view. A parameter replaces a built-in column of the same name.
class SelectList {
 public:
  explicit SelectList(const Wide& wide) : wide_(wide) {}

  void own(std::string_view name, std::string_view expression) {
    const auto known = wide_.columns().find(std::string(name));
    if (known != wide_.columns().end()) return;
    add(expression, name);
  }
  void parameters(const std::vector<WideColumn>& columns,
                  std::initializer_list<std::string_view> but) {
    for (const WideColumn& column : columns)
      if (std::ranges::find(but, column.name) == but.end())
        add("w." + sql::quote_name(column.name), column.name);
  }
  void metrics(const std::vector<WideColumn>& columns) {
    for (const WideColumn& column : columns) add("v." + sql::quote_name(column.name), column.name);
  }
  // The goodput is computed with the expression of the requesting run; without one, it is the load
  // generator's value.
  void metrics_of_measurement(const std::vector<WideColumn>& columns) {
    for (const WideColumn& column : columns) add(value_of(column), column.name);
  }
  // The tool that made the measurement. If the point has a parameter of that name, its value is the
  // same.
  void tool() { add(states("tool") ? "coalesce(w.tool, m.tool)" : "m.tool", "tool"); }
  // Points of a matrix with several runners state their runner; other points have the runner of the
  // run.
  void runner() {
    add(states("runner") ? "coalesce(w.runner, asks.runner)" : "asks.runner", "runner");
  }
  // The version stated in the tool's files takes precedence over the parameter of the point.
  void tool_version() {
    add(states("tool_version") ? "coalesce(m.tool_version, w.tool_version)" : "m.tool_version",
        "tool_version");
  }
  const std::string& text() const { return text_; }

 private:
  bool states(const std::string& parameter) const {
    const auto known = wide_.columns().find(parameter);
    return known != wide_.columns().end() && known->second.parameter;
  }
  static std::string value_of(const WideColumn& column) {
    const std::string value = "v." + sql::quote_name(column.name);
    if (column.metric != metric::goodput_rps) return value;
    return fmt::format("CASE WHEN asks.goodput IS NULL THEN {}{} END", value,
                       column.statistic.empty() ? " ELSE g.requests_per_s" : "");
  }
  void add(std::string_view expression, std::string_view name) {
    text_ +=
        fmt::format("{}{} AS {}", text_.empty() ? "" : ",\n  ", expression, sql::quote_name(name));
  }

  const Wide& wide_;
  std::string text_;
};

// Warnings about the measurement, about inputs that changed during it, and about values derived
// from it for the requesting run.
constexpr std::string_view k_warnings =
    "coalesce((SELECT f.not_cacheable || iif(m.warnings <> '' OR coalesce(g.left_out, '') <> '', "
    "'; ', '') FROM artifact f WHERE f.attempt_id = m.attempt_id AND f.not_cacheable IS NOT NULL "
    "LIMIT 1), '') || m.warnings || iif(m.warnings <> '' AND coalesce(g.left_out, '') <> '', '; ', "
    "'') || coalesce(g.left_out, '')";
constexpr std::string_view k_goodput =
    "LEFT JOIN goodput g ON g.measurement_id = m.id AND g.expression = asks.goodput";

constexpr std::string_view k_time = "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')";

// The URL of the stage `server` if it was already running, else 'own'. NULL: the measurement had no
// server of a plan. (With an untrusted schema, json_each is the only JSON function that a view may
// call.)
constexpr std::string_view k_service =
    R"(CASE WHEN server.id IS NOT NULL THEN coalesce((SELECT n.value
  FROM json_each(server.components) c, json_each(c.value, '$[1]') n
  WHERE c.value LIKE '["service.url",%'), 'own') END)";

// The views `results` and `results_by_tool`, whose rows derive_results() derives.
std::string results_sql(const Wide& wide, std::string_view shown) {
  const Columns columns = sorted(wide);
  SelectList list(wide);
  list.own("experiment", "m.experiment");
  list.own("run", "p.run_id");
  list.own("point", "m.point");
  list.runner();
  list.tool();
  list.parameters(columns.parameters, {"runner", "tool"});
  list.metrics(columns.values);
  list.own("repeats", "m.repeats");
  list.own("serve_repeats", "m.serve_repeats");
  list.metrics(columns.statistics);
  for (const char* text : {"unsupported", "prefix_cache", "runner_version", "service", "isolation",
                           "warnings", "measured_run"})
    list.own(text, fmt::format("m.{}", text));
  list.own("measured_at", fmt::format(k_time, "m.measured_at"));
  return fmt::format(R"(SELECT {}
FROM point_result m
JOIN point p ON p.id = m.point_id
JOIN point_wide w ON w.point_id = m.point_id
JOIN result_wide v ON v.result_id = m.id
JOIN run asks ON asks.id = p.run_id
WHERE m.{} = 1)",
                     list.text(), shown);
}

// The index, from 0, of the server among `repeats.serve` and of its build among `repeats.build`.
// Only indices above 0 are in the components of the digest. NULL: the measurement had no server of
// the plan.
constexpr std::string_view k_serve_repeat =
    R"((SELECT (SELECT coalesce(max(CAST(n.value AS INTEGER)), 0)
  FROM json_each(served.components) c, json_each(c.value, '$[1]') n
  WHERE c.value LIKE '["serve_repeat",%')
  FROM service_session ss JOIN attempt server ON server.id = ss.attempt_id
    JOIN stage served ON served.id = server.stage_id WHERE ss.id = m.session_id))";
constexpr std::string_view k_build_repeat = R"((WITH RECURSIVE above(id) AS (
    VALUES (m.stage_id) UNION SELECT n.needs_id FROM above
      JOIN stage_need n ON n.stage_id = above.id
  ) SELECT coalesce(max(CAST(n.value AS INTEGER)), 0) FROM above
    JOIN stage made ON made.id = above.id, json_each(made.components) c,
    json_each(c.value, '$[1]') n
    WHERE c.value LIKE '["build_repeat",%'))";

std::string results_all_sql(const Wide& wide) {
  const Columns columns = sorted(wide);
  SelectList list(wide);
  list.own("experiment", "mp.experiment");
  list.own("run", "mp.run");
  list.own("point", "mp.point");
  list.own("valid", "m.valid");
  list.own("reasons", "m.reasons");
  list.runner();
  list.tool();
  list.own("definition", "m.definition");
  list.parameters(columns.parameters, {"runner", "tool", "tool_version"});
  list.own("repeat", "s.repeat");
  list.own("serve_repeat", k_serve_repeat);
  list.own("build_repeat", k_build_repeat);
  list.own("attempt", "a.number");
  list.metrics_of_measurement(columns.values);
  list.metrics_of_measurement(columns.statistics);
  list.own("unsupported", "m.unsupported");
  list.own("prefix_cache", "m.prefix_cache");
  list.own("runner_version",
           "(SELECT server.tool_version FROM service_session ss JOIN attempt server ON server.id = "
           "ss.attempt_id WHERE ss.id = m.session_id)");
  list.own("service",
           fmt::format("(SELECT {} FROM service_session ss JOIN attempt served ON served.id = "
                       "ss.attempt_id JOIN stage server ON server.id = served.stage_id WHERE ss.id "
                       "= m.session_id)",
                       k_service));
  list.own("isolation", "m.isolation");
  list.own("neighbours", "m.neighbours");
  list.own("warnings", k_warnings);
  list.own("session", "m.session_id");
  list.own("session_order", "m.session_order");
  list.own("measured_run", "a.run_id");
  list.own("measured_at", fmt::format(k_time, "m.measured_at"));
  list.own("measurement", "m.id");
  list.own("steady", "m.steady");
  list.tool_version();
  list.own("origin", "m.origin");
  list.own("origin_sha256", "m.origin_sha256");
  list.own("missing", "m.missing");
  return fmt::format(R"(SELECT {}
FROM measurement_point mp
JOIN measurement m ON m.id = mp.measurement
JOIN stage s ON s.id = m.stage_id
JOIN attempt a ON a.id = m.attempt_id
JOIN point_wide w ON w.point_id = mp.point_id
JOIN metric_wide v ON v.measurement_id = m.id
JOIN point newest ON newest.id = mp.newest_point_id JOIN run asks ON asks.id = newest.run_id
{})",
                     list.text(), k_goodput);
}

// The final failure of a stage is that of its last attempt. It also explains an invalid measurement
// during which the server died.
constexpr std::string_view k_failures = R"(WITH last AS (
  SELECT rs.run_id AS run_id, rs.stage_id AS stage_id, max(a.number) AS number,
    substr(rs.state_why, 1, instr(rs.state_why, ': ') - 1) AS class,
    substr(rs.state_why, instr(rs.state_why, ': ') + 2) AS message
  FROM run_stage rs JOIN attempt a ON a.run_id = rs.run_id AND a.stage_id = rs.stage_id
  WHERE rs.state = 'failed' GROUP BY rs.run_id, rs.stage_id
), bad(attempt_id, reasons) AS (
  SELECT id, '' FROM attempt WHERE ok = 0 AND failure_class NOT IN ('interrupted', 'lost')
  UNION ALL
  SELECT m.attempt_id, m.reasons FROM measurement m JOIN attempt a ON a.id = m.attempt_id
  WHERE m.valid = 0 AND m.definition = m.tool
    AND (a.ok = 0 AND a.failure_class NOT IN ('interrupted', 'lost')) IS NOT TRUE
)
SELECT r.experiment AS experiment, a.run_id AS run, rs.plan_id AS stage, s.kind AS kind,
  a.number AS attempt,
  CASE WHEN a.ok = 0 THEN a.failure_class
    ELSE coalesce(nullif(last.class, ''), 'invalid_measurement') END AS class,
  CASE WHEN a.ok = 0 THEN a.message WHEN last.class NOT IN ('', 'invalid_measurement')
    THEN last.message ELSE bad.reasons END AS message,
  last.number IS NOT NULL AS final,
  (SELECT count(*) FROM point_stage ps JOIN point p ON p.id = ps.point_id WHERE ps.stage_id = s.id
    AND p.run_id = a.run_id) AS points,
  a.exit_code AS exit_code, a.signal AS signal, a.log AS log,
  strftime('%Y-%m-%dT%H:%M:%SZ', a.ended_at, 'unixepoch') AS ended_at
FROM bad JOIN attempt a ON a.id = bad.attempt_id
JOIN run r ON r.id = a.run_id JOIN stage s ON s.id = a.stage_id
JOIN run_stage rs ON rs.run_id = a.run_id AND rs.stage_id = a.stage_id
LEFT JOIN last ON last.run_id = a.run_id AND last.stage_id = a.stage_id AND last.number = a.number
UNION ALL
SELECT r.experiment, rs.run_id, rs.plan_id, s.kind, NULL,
  iif(coalesce(nullif(rs.state_why, ''), rs.planned_why) LIKE 'pruned: %', 'pruned', ''),
  coalesce(nullif(rs.state_why, ''), rs.planned_why), 1,
  (SELECT count(*) FROM point_stage ps JOIN point p ON p.id = ps.point_id WHERE ps.stage_id = s.id
    AND p.run_id = rs.run_id),
  NULL, NULL, NULL, strftime('%Y-%m-%dT%H:%M:%SZ', rs.changed_at, 'unixepoch')
FROM run_stage rs JOIN run r ON r.id = rs.run_id JOIN stage s ON s.id = rs.stage_id
WHERE rs.state = 'failed' AND NOT EXISTS (SELECT 1 FROM attempt WHERE stage_id = rs.stage_id
  AND run_id = rs.run_id))";

constexpr std::string_view k_stages =
    R"(SELECT r.experiment AS experiment, rs.run_id AS run, rs.plan_id AS stage, s.name AS name,
  s.kind AS kind, s.repeat AS repeat,
  rs.planned AS planned, rs.state AS state, CASE WHEN rs.state_why <> '' THEN rs.state_why
    ELSE rs.planned_why END AS why,
  (SELECT count(*) FROM attempt WHERE stage_id = s.id AND run_id = rs.run_id) AS attempts,
  (SELECT count(*) FROM point_stage ps JOIN point p ON p.id = ps.point_id WHERE ps.stage_id = s.id
    AND p.run_id = rs.run_id) AS points,
  strftime('%Y-%m-%dT%H:%M:%SZ', a.spawned_at, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%SZ', a.ended_at, 'unixepoch') AS ended_at,
  a.wall_s AS wall_s, a.cpu_s AS cpu_s, a.max_rss_bytes AS max_rss_bytes, a.exit_code AS exit_code,
    a.signal AS signal,
  a.failure_class AS class, f.path AS artifact, f.bytes AS artifact_bytes, a.log AS log,
    coalesce(a.argv, s.argv) AS command, s.digest AS digest
FROM run_stage rs JOIN run r ON r.id = rs.run_id JOIN stage s ON s.id = rs.stage_id
LEFT JOIN attempt a ON a.id = (SELECT id FROM attempt WHERE stage_id = s.id AND run_id = rs.run_id
  ORDER BY number DESC LIMIT 1)
LEFT JOIN artifact f ON f.id = (SELECT id FROM artifact WHERE stage_id = s.id AND removed_at IS NULL
  ORDER BY id DESC LIMIT 1))";

// A stage is represented by one attempt: for a measurement and its server, the attempt that
// `results` shows; otherwise the newest successful attempt.
constexpr std::string_view k_provenance =
    R"(SELECT asked.experiment AS experiment, p.run_id AS run, p.name AS point, rs.plan_id AS stage,
  s.name AS name, s.kind AS kind,
  coalesce(a.argv, s.argv) AS command, coalesce(a.env, s.env) AS env,
    a.tool_version AS tool_version, a.gpus AS gpus, a.cpus AS cpus, a.node AS node, a.job AS job,
    s.digest AS digest,
  f.path AS artifact, f.digest AS artifact_digest, f.bytes AS artifact_bytes,
    f.files AS artifact_files,
  a.run_id AS made_by_run, a.number AS attempt,
    strftime('%Y-%m-%dT%H:%M:%SZ', a.spawned_at, 'unixepoch') AS started_at, a.wall_s AS wall_s,
  made.version AS orchestrate_version, h.facts AS machine
FROM (SELECT r.experiment AS experiment, max(p.id) AS point_id FROM point p
  JOIN run r ON r.id = p.run_id GROUP BY r.experiment, p.name) AS asked
JOIN point p ON p.id = asked.point_id
JOIN point_stage ps ON ps.point_id = p.id JOIN stage s ON s.id = ps.stage_id
JOIN run_stage rs ON rs.run_id = p.run_id AND rs.stage_id = s.id
LEFT JOIN attempt a ON a.id = coalesce(
  (SELECT m.attempt_id FROM measurement m WHERE m.stage_id = s.id AND m.valid = 1
    AND m.superseded = 0 ORDER BY m.id DESC LIMIT 1),
  (SELECT ss.attempt_id FROM point_stage near JOIN measurement m ON m.stage_id = near.stage_id
    JOIN service_session ss ON ss.id = m.session_id
    JOIN attempt server ON server.id = ss.attempt_id
    WHERE near.point_id = p.id AND server.stage_id = s.id AND m.valid = 1 AND m.superseded = 0
      ORDER BY m.id DESC LIMIT 1),
  (SELECT id FROM attempt WHERE stage_id = s.id ORDER BY coalesce(ok, 0) DESC, id DESC LIMIT 1))
LEFT JOIN artifact f ON f.attempt_id = a.id
LEFT JOIN run made ON made.id = a.run_id
LEFT JOIN machine h ON h.id = made.machine_id
ORDER BY p.id, ps.place)";

// The columns equal the per-request metrics of the same names (bench/measure/metric_table.cpp): an
// unstreamed answer has no first token, a closed loop no schedule, and a failed request no latency;
// ITL needs two events and is rounded to whole nanoseconds, halves to even. The mode of a
// measurement is in its load, which is read once for all its requests.
constexpr std::string_view k_requests =
    R"(SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point,
  q.measurement_id AS measurement, q.valid AS valid, q.idx AS idx, q.warmup AS warmup,
  q.sent_ns / 1e9 AS sent_s, CASE WHEN q.ok AND q.streamed
    THEN (q.first_ns - q.sent_ns) / 1e6 END AS ttft_ms,
  CASE WHEN q.ok THEN (q.last_ns - q.sent_ns) / 1e6 END AS request_latency_ms,
  CASE WHEN q.ok THEN (round(q.itl_ns) - (round(q.itl_ns) - q.itl_ns = 0.5
    AND round(q.itl_ns) % 2 = 1)) / 1e6 END AS itl_ms,
  q.isl AS isl_counted, q.isl_reported AS isl_reported, q.osl_requested AS osl_requested,
    q.osl_counted AS osl_counted, q.osl_reported AS osl_reported,
  (q.sent_ns - q.due_ns) / 1e6 AS send_lag_ms, (q.end_ns - q.sent_ns) / 1e6 AS end_ms,
    q.coalesced AS coalesced, q.status AS status, q.error AS error, q.block AS block,
  CASE WHEN q.ok AND q.open_loop AND q.streamed
    THEN (q.first_ns - q.due_ns) / 1e6 END AS ttft_ms_intended,
  CASE WHEN q.ok AND q.open_loop THEN (q.last_ns - q.due_ns) / 1e6 END
    AS request_latency_ms_intended,
  q.server AS server, q.sequences AS sequences, q.stopped AS stopped,
  CASE WHEN q.ok THEN q.scheduled_ns / 1e6 END AS server_queue_ms,
  CASE WHEN q.ok THEN q.first_token_ns / 1e6 END AS server_ttft_ms,
  CASE WHEN q.ok THEN q.last_token_ns / 1e6 END AS server_latency_ms,
  q.isl_cached AS isl_cached,
  CASE WHEN q.ok THEN (q.first_reasoning_ns - q.sent_ns) / 1e6 END AS ttfr_ms,
  CASE WHEN q.ok THEN (q.first_visible_ns - q.sent_ns) / 1e6 END AS ttfo_ms
FROM (
  SELECT r.*, coalesce(r.error, '') = '' AS ok, l.valid AS valid, l.streamed AS streamed,
    l.open_loop AS open_loop,
    CASE WHEN l.streamed AND (length(r.gaps) > 0 OR r.last_ns > r.first_ns)
      AND r.osl_counted > coalesce(r.sequences, 1)
      THEN (r.last_ns - r.first_ns)
        / (r.osl_counted * 1.0 / coalesce(r.sequences, 1) - 1) END AS itl_ns
  FROM request r JOIN (
    SELECT m.id AS id, m.valid AS valid,
      coalesce((SELECT min(e.key <> 'stream' OR e.type <> 'false') FROM json_each(m.load) e), 1)
        AS streamed,
      coalesce((SELECT max(e.key = 'arrival') FROM json_each(m.load) e), 0) AS open_loop
    FROM measurement m
  ) l ON l.id = r.measurement_id
) q JOIN measurement_point mp ON mp.measurement = q.measurement_id)";

// CROSS JOIN fixes the order of the tables; in another order each block would be unpacked once per
// request.
constexpr std::string_view k_answers =
    R"(SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point,
  q.measurement_id AS measurement, q.idx AS idx, q.warmup AS warmup,
  t.value AS answer
FROM measurement_point mp CROSS JOIN answer_block b ON b.measurement_id = mp.measurement
  CROSS JOIN json_each(packed_text(b.texts)) t
CROSS JOIN request q ON q.measurement_id = b.measurement_id AND q.line = CAST(t.key AS INTEGER))";

constexpr std::string_view k_scores =
    R"(SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point,
  s.measurement_id AS measurement, s.scorer AS scorer, m.mean AS score,
  m.interval_low AS score_low, m.interval_high AS score_high, s.prompts AS prompts,
  s.without_reference AS without_reference, s.without_score AS without_score,
  s.unanswered AS unanswered, s.version AS scorer_version, s.digest AS scorer_digest,
  s.references_file AS references_file, s.references_sha256 AS references_sha256,
  s.answers_sha256 AS answers_sha256,
  strftime('%Y-%m-%dT%H:%M:%SZ', s.scored_at, 'unixepoch') AS scored_at
FROM score s JOIN measurement_point mp ON mp.measurement = s.measurement_id
  JOIN metric m ON m.measurement_id = s.measurement_id AND m.name = 'score_' || s.scorer)";

constexpr std::string_view k_answer_scores =
    R"(SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point,
  q.measurement_id AS measurement, q.idx AS idx, s.scorer AS scorer, t.value AS score
FROM measurement_point mp CROSS JOIN score s ON s.measurement_id = mp.measurement
  CROSS JOIN json_each(packed_text(s.scores)) t
CROSS JOIN request q ON q.measurement_id = s.measurement_id AND q.line = CAST(t.key AS INTEGER))";

template <const std::string_view& Text> std::string fixed(const Wide&) { return std::string(Text); }

// In display order, with each view after the views that it reads.
constexpr View k_views[] = {
    {"results",
     "one row per experiment and point: its valid measurements, as the mean over server sessions "
     "with its 95 % interval; of orchestrate's own load generator, unless a query reads `tool`",
     [](const Wide& wide) { return results_sql(wide, "native"); }},
    {"results_by_tool",
     "the rows of 'results' for every tool; figures of other tools follow those tools' definitions",
     [](const Wide& wide) { return results_sql(wide, "by_tool"); }},
    {"results_all", "one row per measurement, experiment and point, with valid and reasons",
     results_all_sql},
    {"sharing",
     "one row per figure of a point that was also measured alone: what its neighbours cost it",
     sharing_sql},
    {"side_by_side",
     "one row per point, other tool and figure: the tools' figures at points that differ only in "
     "their tool, and why they differ",
     side_by_side_sql},
    {"llm_perf",
     "the rows of results_by_tool as llm_perf.py prints them, with its names: rates are tokens "
     "over the sum of latencies, times are in seconds",
     llm_perf_sql},
    {"lmdeploy",
     "the rows of results_by_tool as LMDeploy's profile_serving.py writes them: requests per "
     "minute beside requests per second, times in seconds",
     lmdeploy_sql},
    {"failures", "one row per failed attempt, invalid measurement, or stage that could not start",
     fixed<k_failures>},
    {"stages", "one row per run and stage: state, attempts, times, artifact, command",
     fixed<k_stages>},
    {"provenance", "one row per experiment, point and stage: command, machine and artifact",
     fixed<k_provenance>},
    {"requests",
     "one row per request of a measurement: times, token counts, status, and whether its "
     "measurement is valid",
     fixed<k_requests>},
    {"answers",
     "one row per request: the text that the model returned; only `orchestrate query` can read it",
     fixed<k_answers>},
    {"scores",
     "one row per measurement and scorer: the score of its answers, and what produced that score",
     fixed<k_scores>},
    {"answer_scores",
     "one row per answer and scorer: its score; only `orchestrate query` can read it",
     fixed<k_answer_scores>},
    {"server_metrics",
     "one row per measurement and series of its server's metrics page: increase of a counter, "
     "range of a gauge",
     server_metrics_sql},
    {"model_times",
     "one row per measurement and model of its server: requests, and time per request in queue and "
     "compute",
     model_times_sql},
    {"gpus",
     "one row per measurement and GPU of its server: memory, power, clocks, throttle reasons",
     gpus_sql},
};

}  // namespace

std::span<const View> public_views() { return k_views; }

std::vector<std::string> names_of_views() {
  std::vector<std::string> names;
  for (const View& view : k_views) names.emplace_back(view.name);
  return names;
}

Status refresh_views(Statements& statements, Wide& wide) {
  for (const View& view : k_views) {
    const std::string name(view.name);
    const std::string wanted = fmt::format("CREATE VIEW {} AS {}", name, view.sql(wide));
    ORCH_ASSIGN(
        const auto present,
        statements.text("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?", name));
    if (present == wanted) continue;
    ORCH_TRY(statements.database().execute("DROP VIEW IF EXISTS " + name));
    ORCH_TRY(statements.database().execute(wanted));
  }
  wide.views_made();
  return {};
}

}  // namespace orch::tables
