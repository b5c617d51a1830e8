// A report with N points of two precisions, four lengths and many loads, with every part that a
// page can have. Every text of it can be replaced by a hostile one.
#pragma once

#include "analysis/page/report.hpp"

#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace orch::page::sample {

struct Options {
  std::size_t points = 16;
  std::size_t repeats = 1;  // measure stages of a point
  // What is put in the place of every text that comes from a user, a server or a file.
  std::function<std::string(std::string)> text = [](std::string same) { return same; };
};

inline Figure figure(double value, double share, bool supported = true) {
  return {.value = value,
          .low = value * (1 - share),
          .high = value * (1 + share),
          .supported = supported};
}

inline std::vector<Metric> metrics() {
  const auto metric = [](std::string name, std::string family, std::string statistic, Better better,
                         bool in_table) {
    return Metric{std::move(name),
                  std::move(family),
                  std::move(statistic),
                  better == Better::higher ? "tokens/s" : "ms",
                  better,
                  in_table};
  };
  return {metric("output_tps", "output throughput", "", Better::higher, true),
          metric("ttft_ms", "TTFT", "", Better::lower, true),
          metric("ttft_ms_p50", "TTFT", "p50", Better::lower, false),
          metric("ttft_ms_p99", "TTFT", "p99", Better::lower, true),
          metric("itl_ms", "ITL", "", Better::lower, true),
          metric("itl_ms_p50", "ITL", "p50", Better::lower, false),
          metric("itl_ms_p99", "ITL", "p99", Better::lower, false),
          metric("request_latency_ms", "request latency", "", Better::lower, true),
          metric("request_latency_ms_p50", "request latency", "p50", Better::lower, false),
          metric("request_latency_ms_p99", "request latency", "p99", Better::lower, true)};
}

struct Point {
  double speed = 1, load = 1;
  std::size_t length = 0, index = 0;
};

inline Row row(const Options& options, const Point& point) {
  static constexpr double k_isl[] = {128, 1024, 2048, 8192}, k_osl[] = {64, 128, 512, 1024};
  const bool quick = point.index % 2 == 1;
  const double wobble = 1 + 0.04 * std::sin(static_cast<double>(point.index) * 12.9898);
  const double itl =
      (6 + 0.02 * point.load * k_osl[point.length] / 100) * (quick ? 0.8 : 1) * wobble;
  const double ttft = (10 + k_isl[point.length] / 40 + point.load) * (quick ? 0.9 : 1) * wobble;
  const double latency = ttft + itl * (k_osl[point.length] - 1);
  const double tps = point.load * k_osl[point.length] * 1000 / latency;
  Row row;
  row.experiment = options.text("sweep");
  row.point = options.text(fmt::format(
      "llama-3_{}_isl{}_osl{}_bs{}_c{}-{:06x}", quick ? "fp8" : "fp16", k_isl[point.length],
      k_osl[point.length], 8 << point.index % 4, point.load, point.index * 7919));
  row.parameters = {options.text(quick ? "fp8" : "fp16"), fmt::format("{}", k_isl[point.length]),
                    fmt::format("{}", k_osl[point.length]), fmt::format("{}", 8 << point.index % 4),
                    fmt::format("{}", point.load)};
  const bool few = point.index % 5 == 0;
  row.figures = {figure(tps, 0.03),
                 figure(ttft, 0.05),
                 figure(ttft * 0.97, 0.04),
                 Figure{ttft * 1.7, ttft * 1.4, {}, !few},
                 figure(itl, 0.02),
                 figure(itl * 0.98, 0.02),
                 figure(itl * 1.5, 0.2),
                 figure(latency, 0.03),
                 figure(latency * 0.98, 0.03),
                 Figure{latency * 1.3, latency * 1.2, {}, !few}};
  row.repeats = static_cast<std::int64_t>(options.repeats);
  row.sessions = row.repeats;
  if (point.index % 7 == 3) {
    row.state = State::warned;
    row.warnings = {options.text(fmt::format(
        "request_latency_ms did not settle: {} on average over the first quarter of 100, {} over "
        "the last; measure longer, or with less load",
        100 + point.index, 120 + point.index))};
  }
  if (point.index % 31 == 8) {
    row.state = State::disturbed;
    row.warnings = {
        options.text("other programs used 1.4 of 2 cores of this host during the window")};
  }
  if (point.index % 53 == 12) {
    row.state = State::invalid;
    row.reasons = options.text("the client was the bottleneck: a thread was busy for 91 %");
  }
  return row;
}

// Shared stages first, then those of each point.
inline void add_stages(Report& report, const Options& options) {
  const auto stage = [&](std::string name, std::string kind, std::size_t number) {
    return StageFacts{
        .id = options.text(fmt::format("{}-{:012x}", name, number * 104729)),
        .name = options.text(std::move(name)),
        .kind = std::move(kind),
        .tool_version = options.text("server 2.5.1, tokenizers 0.23.3"),
        .digest = std::string(64, 'a'),
        .artifact = options.text(fmt::format("artifacts/stage-{}", number)),
        .artifact_digest = std::string(64, 'b'),
        .machine = options.text("cpu_model Xeon, cpus 2, system Debian GNU/Linux 12"),
        .version = "0.1.0",
        .command = {options.text("/usr/bin/tool"), options.text("--option"),
                    options.text(fmt::format("STORE/artifacts/prompts-{:012x}/out", number)),
                    "--port", std::to_string(20000 + number % 9), "--protocol", "triton-http"},
        .environment = {options.text("PYTHONUNBUFFERED=1")}};
  };
  for (std::size_t i = 0; i < 6; ++i)
    report.stages.push_back(stage(fmt::format("build_{}", i), "task", i));
  for (Row& row : report.rows) {
    for (std::size_t i = 0; i < 6; ++i) row.stages.push_back(i);
    for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
      row.stages.push_back(report.stages.size());
      report.stages.push_back(stage("bench", "measure", report.stages.size()));
    }
  }
}

inline void add_events(Report& report, const Options& options) {
  report.requests_of = options.text("isl 128, osl 64, concurrency 8");
  for (const char* name : {"fp16", "fp8"}) {
    Requests requests{options.text(name), {}};
    for (int i = 1; i <= 1000; ++i)
      requests.values.push_back((name == std::string_view("fp8") ? 40 : 60) + 900.0 / (1001 - i) +
                                0.01 * i);
    report.latencies.push_back(requests);
    report.model_times.push_back(
        {options.text(fmt::format("engine, {}", name)), 0.4, 0.1, 4.2, 0.3});
  }
  report.timeline_of = "Run 3";
  for (int i = 0; i < 60; ++i)
    report.spans.push_back({.stage = options.text(i % 9 == 0 ? "serve" : "bench"),
                            .kind = i % 9 == 0 ? "service" : "measure",
                            .begin_s = i * 4.0,
                            .end_s = i * 4.0 + (i % 9 == 0 ? 30 : 3.5),
                            .failed = i == 20});
  report.trends.push_back({"server CPU", "cores", {{options.text("engine"), {}}}});
  for (int i = 0; i < 40; ++i)
    report.trends.back().series[0].points.emplace_back(i * 0.1, 1 + 0.2 * std::sin(i));
  report.failures.push_back({options.text("bench-7"), options.text("out_of_memory"),
                             options.text("the server was killed: 24 GiB asked for"), 2});
}

// By comparing every pair.
inline void mark_front(Report& report) {
  for (const Group& group : report.groups)
    for (const std::size_t i : group.rows) {
      Row& row = report.rows[i];
      row.on_front = row.state != State::invalid;
      for (const std::size_t j : group.rows) {
        const Row& other = report.rows[j];
        const bool beats = other.state != State::invalid &&
                           other.figures[*report.y]->value > row.figures[*report.y]->value &&
                           other.figures[*report.x]->value < row.figures[*report.x]->value;
        row.on_front = row.on_front && !beats;
      }
    }
}

inline Report report(const Options& options = {}) {
  Report report;
  report.title = options.text("sweep");
  report.store = options.text("/data/results");
  report.selection = options.text("run 3");
  report.made_at = "2026-11-26 12:00 UTC";
  report.version = "0.1.0";
  report.constants = {{options.text("model"), options.text("llama-3")}};
  report.implied = {options.text("weights")};
  report.parameters = {{options.text("precision"), Role::choice},
                       {"isl", Role::length},
                       {"osl", Role::length},
                       {"batch_size", Role::choice},
                       {"concurrency", Role::load}};
  report.metrics = metrics();
  report.y = 0;
  report.x = 7;
  const std::size_t groups = options.points < 100 ? 2 : 4;
  for (std::size_t i = 0; i < groups; ++i)
    report.groups.push_back({options.text(fmt::format("length {}", i)), {}});
  for (std::size_t i = 0; i < options.points; ++i) {
    const std::size_t step = i / groups / 2;
    const double load = options.points < 100 ? std::pow(2, static_cast<double>(step % 4))
                                             : 1 + static_cast<double>(step);
    report.groups[i / 2 % groups].rows.push_back(i);
    report.rows.push_back(row(options, {.load = load, .length = i / 2 % groups, .index = i}));
  }
  mark_front(report);
  add_stages(report, options);
  add_events(report, options);
  return report;
}

}  // namespace orch::page::sample
