// Two hand-written measurements, in which every field of a record differs from its default at least
// once and is absent at least once. Shared by the tests of the writer and of the reader.
#pragma once

#include "bench/record/measurement.hpp"

namespace orch::record {

inline measure::RequestRecord full_request() {
  measure::RequestRecord out;
  out.index = 3;
  out.block = 2;
  out.server = 1;
  out.due_ns = 900;
  out.sent_ns = 1'000;
  out.event_ns = {5'000, 7'500, 7'500, 12'000};
  out.end_ns = 12'345;
  out.coalesced = 1;
  out.first_reasoning_ns = 5'000;
  out.first_visible_ns = 7'500;
  out.isl = 32;
  out.isl_reported = 33;
  out.isl_cached = 16;
  out.osl_requested = 8;
  out.osl_counted = 7;
  out.osl_reported = 6;
  out.first_event_tokens = 2;
  out.sequences = 4;
  out.stopped = true;
  out.server_times = {.scheduled_ns = 100, .first_token_ns = 3'000, .last_token_ns = 9'000};
  out.status = 200;
  out.answer = "said \"so\"";
  return out;
}

inline measure::RequestRecord warmup_request() {
  measure::RequestRecord out;
  out.warmup = true;
  out.sent_ns = -2'000'000;
  out.event_ns = {-1'000'000};
  out.end_ns = -900'000;
  out.osl_requested = 8;
  out.status = 200;
  return out;
}

inline measure::RequestRecord failed_request() {
  measure::RequestRecord out;
  out.index = 4;
  out.sent_ns = 20'000;
  out.end_ns = 30'000;
  out.osl_requested = 8;
  out.status = 503;
  out.error = "HTTP 503: \xc3\xa4 \"no\"\n";
  return out;
}

inline BenchSpec spec() {
  BenchSpec out;
  out.urls = {"http://127.0.0.1:8000", "http://127.0.0.1:8001"};
  out.model = "m";
  out.requests = 3;
  out.warmup = 1;
  out.seed = 18'446'744'073'709'551'615U;
  out.osl = 8;
  out.block = 2;
  out.prompts = {.file = "/p.jsonl", .tokenizer = "", .shared_prefix = 0.25};
  out.until = PrecisionTarget{.metric = "ttft_ms", .percent = 5};
  out.sampling.temperature = 0.5;
  out.inputs = {{"top_k", "7"}};
  out.goodput = "ttft_ms < 500";
  out.metrics_urls = {"http://127.0.0.1:8002/metrics"};
  return out;
}

inline measure::ClientHealth client() {
  measure::ClientHealth out;
  out.scheduling = "real-time";
  out.cpus = "0-3";
  out.cpus_why = "the server is bound to CPU 4";
  out.cpu_share = 0.125;
  out.threads = {{.name = "load", .cpu_share = 0.125}};
  out.wake_lag.add(1'500'000);
  out.wake_lag.add(20'000);
  out.send_lag.add(7'000);
  out.worst_turn_ns = 250'000;
  out.reads = 5;
  out.events = 4;
  out.coalesced = 1;
  out.connections_opened = 2;
  out.resent = 1;
  return out;
}

inline observe::ServerReport server_report() {
  observe::ServerReport out;
  observe::MetricsPage page;
  page.series = {
      {"nv_inference_count{model=\"m\"}", {.value = 3, .kind = measure::SeriesKind::counter}},
      {"nv_gpu_power_usage", {.value = 350.5, .kind = measure::SeriesKind::gauge}}};
  out.before = page;
  page.series["nv_inference_count{model=\"m\"}"].value = 7;
  out.after = page;
  out.during = {{"nv_gpu_power_usage", {.min = 300, .max = 400, .sum = 700, .samples = 2}}};
  observe::ModelTimes model;
  model.model = "m";
  model.version = "1";
  model.requests = 4;
  model.failed = 1;
  model.inferences = 5;
  model.executions = 3;
  model.cache_hits = 2;
  model.cache_misses = 6;
  model.request_ms = 12.5;
  model.queue_ms = 0.5;
  model.compute_input_ms = 0.25;
  model.compute_infer_ms = 11;
  model.compute_output_ms = 0.75;
  model.restarted = true;
  observe::ModelTimes idle;
  idle.model = "idle";
  out.models = {model, idle};
  out.processes =
      system::ServerUse{.wall_s = 2.5, .cpu_s = 5, .rss_bytes_peak = 1 << 30, .processes = 3};
  out.host = system::HostUse{.cpus = 4, .wall_s = 2, .busy_s = 4, .steal_s = 0.5, .others_s = 1};
  observe::GpuWindow gpu;
  gpu.index = 1;
  gpu.uuid = "GPU-1";
  gpu.model = "H100";
  gpu.memory_gib = 80;
  gpu.used_gib_peak = 70.5;
  gpu.power_w = 350.5;
  gpu.energy_j = 900;
  gpu.energy_counted = true;
  gpu.sm_clock_mhz_min = 1'200;
  gpu.sm_clock_mhz_mean = 1'500;
  gpu.sm_clock_mhz_max = 1'755;
  gpu.temperature_c_max = 61;
  gpu.busy_share = 0.875;
  gpu.throttled = {{"sw_power_cap", 0.5}, {"hw_slowdown", 0.25}};
  gpu.looks = 4;
  out.gpus = {gpu, observe::GpuWindow{}};
  out.notes = {"a note", "another; note"};
  return out;
}

inline Measurement full_measurement() {
  Measurement out;
  out.load = {.kind = Load::Kind::closed, .concurrency = 8};
  out.wall_start_ns = 1'700'000'000'123'456'789;
  out.duration_s = 2.5;
  out.known_percent = 4.5;
  out.unsent_due_ns = {40'000, 50'000};
  out.cut_off_due_ns = {35'000};
  out.prefix_cache = "warm";
  out.counting_osl = "usage";
  out.counting_isl = "prompts";
  out.isl_requested = prompt::Length{.mean = 32, .sd = 0};
  out.records = {warmup_request(), full_request(), failed_request()};
  measure::Statistics ttft;
  ttft.mean = 4.5;
  ttft.sd = 0.25;
  ttft.min = 4;
  ttft.max = 5;
  ttft.p50 = 4.4;
  ttft.p90 = 4.6;
  ttft.p95 = 4.7;
  ttft.p99 = 4.8;
  ttft.p999 = 4.9;
  ttft.n = 2;
  out.metrics = {{.row = measure::find_metric("ttft_ms"),
                  .value = ttft,
                  .interval = measure::Interval{.low = 4.1, .high = 4.9},
                  .percentile_limits = {measure::PercentileLimits{.low = 4.3, .high = 4.5},
                                        {},
                                        {},
                                        measure::PercentileLimits{.low = 4.6, .high = {}},
                                        {}}},
                 {.row = measure::find_metric("output_tps"),
                  .value = 100.5,
                  .interval = measure::Interval{.low = 99, .high = 102}},
                 {.row = measure::find_metric("error_rate"), .value = 0.5}};
  out.unsupported = {"ttft_ms_p99", "ttft_ms_p999"};
  out.servers = {{.url = "http://127.0.0.1:8000", .requests = 1, .failed = 0, .lost = 0},
                 {.url = "http://127.0.0.1:8001", .requests = 1, .failed = 1, .lost = 1}};
  out.first_requests = {
      {.url = "http://127.0.0.1:8000", .status = 200, .latency_ms = 12.5, .error = ""},
      {.url = "http://127.0.0.1:8001", .status = 503, .latency_ms = 0.5, .error = "HTTP 503: no"}};
  out.client = client();
  out.verdict.valid = false;
  out.verdict.reasons = {"one reason", "another"};
  out.verdict.warnings = {"a warning"};
  out.verdict.steady = true;
  out.server = server_report();
  return out;
}

inline Measurement bare_measurement() {
  Measurement out;
  out.load = {.kind = Load::Kind::open, .request_rate = 2.5, .arrival = Arrival::gamma};
  out.records = {measure::RequestRecord{}};
  return out;
}

inline Measurement measurement_of_another_tool() {
  Measurement out;
  out.by = {.tool = "genai-perf",
            .version = "0.0.8",
            .definition = "genai-perf",
            .origin = "profile_export_genai_perf.json",
            .origin_sha256 = std::string(64, 'c'),
            .missing = {"itl_ms", "ttft_ms_p999"},
            .figures = {{.name = "output_tps", .mean = 12.5}, {.name = "ttft_ms", .mean = 4}},
            .load = {{"concurrency", Value(std::int64_t{8})}, {"stream", Value(true)}}};
  out.by.figures[1].statistics[Statistic::sd] = 0.5;
  return out;
}

inline std::vector<Measurement> measurements() {
  return {full_measurement(), bare_measurement(), measurement_of_another_tool()};
}

}  // namespace orch::record
