// The views that `query` lists, with one line on each.
#include "results/tables/views.hpp"

namespace orch::tables {

namespace {

constexpr View k_views[] = {
    {"results",
     "one row per experiment and point: its valid measurements, as the mean over server sessions "
     "with its 95 % interval; of orchestrate's own load generator, unless a query reads `tool`"},
    {"results_by_tool",
     "the same for every tool: figures of other tools follow their own definitions"},
    {"results_all", "one row per measurement, experiment and point, with valid and reasons"},
    {"sharing",
     "one row per point that was measured alone as well, and figure: what its neighbours cost it"},
    {"side_by_side",
     "one row per point, other tool and figure: what the tools say at points that differ in their "
     "tool alone, and why they differ"},
    {"llm_perf",
     "the rows of results_by_tool as llm_perf.py prints them, with its names: rates are tokens "
     "over "
     "the sum of latencies, times are in seconds"},
    {"lmdeploy",
     "the rows of results_by_tool as LMDeploy's profile_serving.py writes them: requests per "
     "minute "
     "beside requests per second, times in seconds"},
    {"failures", "one row per failed attempt, invalid measurement, or stage that could not start"},
    {"stages", "one row per run and stage: state, attempts, times, artifact, command"},
    {"provenance", "one row per experiment, point and stage: command, machine and artifact"},
    {"requests",
     "one row per request of a measurement: times, token counts, status, and whether its "
     "measurement "
     "is valid"},
    {"answers",
     "one row per request: the text that the model returned; only `orchestrate query` can read it"},
    {"scores",
     "one row per measurement and scorer: the score of its answers, and by what it was scored"},
    {"answer_scores",
     "one row per answer and scorer: its score; only `orchestrate query` can read it"},
    {"server_metrics",
     "one row per measurement and series of its server's metrics page: increase of a counter, "
     "range of a gauge"},
    {"model_times",
     "one row per measurement and model of its server: requests, and time per request in queue and "
     "compute"},
    {"gpus",
     "one row per measurement and GPU of its server: memory, power, clocks, throttle reasons"},
};

}  // namespace

std::span<const View> public_views() { return k_views; }

}  // namespace orch::tables
