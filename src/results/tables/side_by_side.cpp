#include "results/tables/side_by_side.hpp"

#include "bench/measure/metrics.hpp"
#include "results/tools/tool_figures.hpp"
#include "core/sql/database.hpp"
#include "results/tables/repeats_interval.hpp"

#include <fmt/ranges.h>

namespace orch::tables {

namespace {

// ('genai-perf', 'itl_ms', 'the same formula; ...'), ...
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

// The figures that tools can have in common.
std::string our_metrics() {
  std::vector<std::string> names;
  for (const measure::MetricRow& metric : measure::metric_table())
    names.push_back(sql::quote_text(metric.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// newest: the newest valid entry of every measure stage, place in its record and definition.
// point_key: the parameters of a point but for its tool and what belongs to it (tool_version, ...).
// round: a figure in one repeat, at one start of the server.
// pair: two tools in the same round.
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

}  // namespace

std::string side_by_side_sql() {
  return fmt::format(k_sql, words_of_differences(), our_metrics(),
                     half_width_of_mean("between_tools"));
}

}  // namespace orch::tables
