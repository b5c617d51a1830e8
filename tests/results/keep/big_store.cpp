#include "results/keep/big_store.hpp"

#include "bench/record/record_reader.hpp"
#include "results/store/core.hpp"
#include "results/store/run_rows.hpp"
#include "results/store/sample.hpp"
#include "results/tables/ingest.hpp"

#include <optional>
#include <random>

namespace orch::keep {

namespace {

using nlohmann::json;

constexpr int k_requests = 10, k_repeats = 10;
constexpr int k_lengths[] = {32, 64, 128, 256, 512};
constexpr int k_batches[] = {1, 2, 4, 8};
constexpr int k_loads = 50;

json distribution(double mean) {
  return {{"mean", mean},      {"sd", mean / 10},    {"min", mean / 2},
          {"max", mean * 3},   {"p50", mean * 0.98}, {"p90", mean * 1.3},
          {"p95", mean * 1.5}, {"p99", mean * 2},    {"n", k_requests}};
}

// The record of which every measurement is a copy with other figures.
record::Record pattern(system::Files& files) {
  const fakes::TempFolder folder;
  json measured = sample::measurement(10, 100);
  measured["metrics"] = json::object();
  for (const char* name : {"ttft_ms", "itl_ms", "tpot_ms", "request_latency_ms", "event_gap_ms"})
    measured["metrics"][name] = distribution(10);
  for (const char* name :
       {"output_tps", "input_tps", "requests_per_s", "error_rate", "osl_counted", "isl_counted"})
    measured["metrics"][name] = 1.5;
  std::vector<json> lines;
  for (int i = 0; i < k_requests; ++i) {
    json line = sample::requests()[1];
    line["index"] = i;
    line.erase("answer");
    lines.push_back(std::move(line));
  }
  sample::write_record(folder.path(), measured, lines);
  return record::read_record(files, folder.path()).value();
}

std::string point_name(const std::string& precision, int length, int batch, int load) {
  const std::string label =
      fmt::format("tiny_{0}_isl{1}_osl{1}_bs{2}_c{3}", precision, length, batch, load);
  return label + "-" + sha256(label).hex().substr(0, 6);
}

}  // namespace

struct BigStore::Parts {
  explicit Parts(const std::string& folder)
      : store(sample::open_store(folder)), core(store.core()), record(pattern(core.host.files)) {}

  // The plan of EXPERIMENT: a point for each precision, length, batch and load, with as many
  // measure stages as there are repeats.
  store::PlanRecord plan_of(const std::string& experiment, int loads) {
    store::PlanRecord plan;
    const auto add = [&](const std::string& name, const std::string& key) {
      const std::string digest = sha256(experiment + key).hex();
      plan.stages.push_back({.id = name + "-" + digest.substr(0, 12),
                             .digest = digest,
                             .planned = "run",
                             .why = "nothing on record",
                             .needs = {}});
      return plan.stages.back().id;
    };
    const std::string build = add("build", "build");
    for (const std::string precision : {"f16", "q8_0"})
      for (const int length : k_lengths)
        for (const int batch : k_batches)
          for (int load = 1; load <= loads; ++load) {
            store::PointRecord point{.name = point_name(precision, length, batch, load),
                                     .status = "run",
                                     .why = {},
                                     .parameters = json{{"model", "tiny"},
                                                        {"precision", precision},
                                                        {"isl", length},
                                                        {"osl", length},
                                                        {"batch_size", batch},
                                                        {"concurrency", load}}
                                                       .dump(),
                                     .stages = {build}};
            for (int repeat = 0; repeat < k_repeats; ++repeat)
              point.stages.push_back(add("bench", fmt::format("{} {}", point.name, repeat)));
            plan.points.push_back(std::move(point));
          }
    plan.content = [this](std::size_t i) -> Result<store::StageContent> {
      return store::StageContent{.name = i == 0 ? "build" : "bench",
                                 .kind = i == 0 ? "task" : "measure",
                                 .parameters = "{}",
                                 .components = "[]",
                                 .argv = "[\"/usr/bin/bench\"]",
                                 .env = "{}",
                                 .rendered = "{}",
                                 .repeat = static_cast<std::int64_t>(i % k_repeats)};
    };
    return plan;
  }

  Status begin(const std::string& experiment, int loads) {
    ORCH_ASSIGN(const std::string uid,
                core.database.query_text("SELECT lower(hex(randomblob(16)))"));
    store::RunInfo info = sample::run_info();
    info.started_at += 3600.0 * static_cast<double>(++runs);
    ORCH_ASSIGN(rows, store::RunRows::begin(core, {.id = 0,
                                                   .uid = uid,
                                                   .experiment = experiment,
                                                   .runner = "sample",
                                                   .info = info,
                                                   .pid = 1}));
    at = info.started_at;
    plan = plan_of(experiment, loads);
    ORCH_TRY(rows->write(plan, at));
    return {};
  }

  // One attempt and measurement of stage NTH of the plan.
  Status measure(std::size_t nth, int number) {
    const std::int64_t stage = rows->find(plan.stages[nth].id).value();
    const std::string token = fmt::format("t{}", ++tokens);
    ORCH_TRY(core.statements.run(
        "INSERT INTO attempt (run_id, stage_id, number, token, process, argv, env, work, log, "
        "ports, intended_at, spawned_at, ended_at, ok, wall_s) VALUES (?, ?, ?, ?, ?, "
        "'[\"/usr/bin/bench\"]', '{}', '', 'logs/x.log', '{}', ?, ?, ?, 1, 12.5)",
        rows->run_id(), stage, number, token, token, at, at, at));
    const std::int64_t attempt = core.database.last_insert_id();
    record::Record one = record;
    const double factor = 0.5 + static_cast<double>(tokens % 1000) / 1000;
    for (record::NamedMetric& metric : one.measurements[0].metrics)
      if (metric.mean) *metric.mean *= factor;
    return tables::ingest(core.host.files, core.statements, core.wide, std::move(one),
                          {.attempt_id = attempt,
                           .stage_id = stage,
                           .session_id = std::nullopt,
                           .session_order = 1,
                           .path = "artifacts/" + token,
                           .superseded = false,
                           .measured_at = at + static_cast<double>(nth)});
  }

  store::Store store;
  store::Core& core;
  record::Record record;
  store::PlanRecord plan;
  std::optional<store::RunRows> rows;
  double at = 0;
  std::int64_t runs = 0, tokens = 0;
  int written = 0;
};

BigStore::BigStore(const std::string& folder) : parts_(std::make_unique<Parts>(folder)) {
  std::random_device random;
  parts_->tokens = static_cast<std::int64_t>(random()) << 24;
}
BigStore::~BigStore() = default;

Status BigStore::fill(std::int64_t measurements) {
  Parts& parts = *parts_;
  ORCH_TRY(parts.core.database.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000"));
  for (std::int64_t done = 0, experiment = 0; done < measurements; ++experiment) {
    const std::string name = experiment == 0 ? "quickstart" : fmt::format("other-{}", experiment);
    ORCH_TRY(store::in_transaction(parts.core, [&]() -> Status {
      ORCH_TRY(parts.begin(name, k_loads));
      for (std::size_t i = 1; i < parts.plan.stages.size(); ++i) ORCH_TRY(parts.measure(i, 1));
      return parts.core.statements.run("UPDATE run_stage SET state = 'done' WHERE run_id = ?; ",
                                       parts.rows.run_id);
    }));
    done += static_cast<std::int64_t>(parts.plan.stages.size()) - 1;
    fmt::print(stderr, "\r{} measurements", done);
  }
  fmt::print(stderr, "\n");
  return parts.core.database.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL");
}

Status BigStore::write_one() {
  Parts& parts = *parts_;
  return store::in_transaction(parts.core, [&]() -> Status {
    if (parts.written == 0) {
      // A store that is used again has the stages of earlier writers.
      ORCH_TRY(parts.begin(fmt::format("written-{}", parts.tokens), 1));
    }
    const std::size_t nth = 1 + static_cast<std::size_t>(parts.written) % 10;
    return parts.measure(nth, 1 + parts.written++ / 10);
  });
}

}  // namespace orch::keep
