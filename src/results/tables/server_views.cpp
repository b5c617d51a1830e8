#include "results/tables/server_views.hpp"

#include <string_view>

namespace orch::tables {

namespace {

// A series that was absent before began at zero; one that decreased belongs to a restarted server.
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

}  // namespace

std::string server_metrics_sql() { return std::string(k_server_metrics); }

std::string model_times_sql() { return std::string(k_model_times); }

std::string gpus_sql() { return std::string(k_gpus); }

std::string_view node_migration() {
  return R"sql(ALTER TABLE gpu_window ADD COLUMN temperature_c_max REAL;
ALTER TABLE attempt ADD COLUMN node TEXT;                    -- of a cluster; NULL: the run's own host
ALTER TABLE attempt ADD COLUMN job TEXT;                     -- its id there
)sql";
}

}  // namespace orch::tables
