// The catalogue of metrics: name, unit and formula of each, how tables and reports show it, and its
// function over request records and two scrapes of the server. Does no I/O.
#pragma once

#include "bench/measure/interval.hpp"
#include "bench/measure/metric_names.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/measure/statistics.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace orch::measure {

// CPU time of a thread / wall time of the window.
struct ThreadShare {
  std::string name;
  double cpu_share = 0;
};

// The load generator's own behaviour during the measured window.
struct ClientHealth {
  std::string scheduling = "normal";  // of the load thread: "normal" or "real-time"
  std::string cpus;                   // the CPUs its thread may run on, as "0-3,7"
  std::string cpus_why;               // why these; "" if none were chosen
  std::optional<double> cpu_share;    // CPU time of its busiest thread / wall time of the window
  std::vector<ThreadShare> threads;   // busiest first
  Histogram wake_lag;                 // of a probe timer: real wake-up minus scheduled wake-up
  Histogram send_lag;                 // of requests: real send minus scheduled send
  std::int64_t worst_turn_ns = 0;     // the longest time spent on one batch of socket events
  std::int64_t reads = 0;             // recv calls that returned bytes
  std::int64_t events = 0;            // events that carried tokens
  std::int64_t coalesced = 0;  // of these: in the same read as an earlier event of their response
  std::int64_t connections_opened = 0;  // in the whole run, including warm-up
  std::int64_t resent = 0;              // requests sent a second time, over a new connection
  std::int64_t out_of_step = 0;         // connections closed after bytes that belong to no answer
};

// Growth of the server's counters over the window, from two scrapes; nullopt without such counters.
struct ServerCounts {
  std::optional<double> input_tokens;
  std::optional<double> input_requests;
  std::optional<double> output_tokens;
  std::optional<double> output_requests;
};

// Resources used by the servers' processes and GPUs during the window; nullopt if not observable.
struct ServerSide {
  std::optional<double> cpu_share;            // CPU time of all processes / wall time
  std::optional<double> memory_gib_peak;      // resident, of all processes
  std::optional<double> gpu_memory_gib_peak;  // of the GPU that used the most
  std::optional<double> power_w;              // of all GPUs together
  std::optional<double> energy_j;
};

// The input of the metrics of one measurement. The records are those of the measured phase, in
// sending order.
struct Window {
  std::span<const RequestRecord> records;
  ServerCounts server = {};
  ClientHealth client = {};
  ServerSide side = {};
  bool open_loop = false;        // requests follow a schedule, regardless of what is in flight
  std::int64_t concurrency = 0;  // closed loop: the number of open requests; 0 if unknown
  std::optional<double> goodput_rps{};  // nullopt without an expression (goodput.hpp)
  // As in genai-perf 0.0.8: the ITL of an answer of several tokens in one event is 0. False: it is
  // undefined, as in genai-perf from 0.0.13 on.
  bool single_event_itl_is_zero = false;
};

// The terms that a request adds to a numerator and a denominator.
struct Parts {
  double above = 0;
  double below = 0;

  static Parts sum_of(std::span<const Parts> parts);
};

// Statistics over requests or events, a single value, or undefined (monostate).
using MetricValue = std::variant<std::monostate, double, Statistics>;

// Which values of a metric are better; neither for a purely descriptive metric.
enum class Better { neither, higher, lower };

enum class Shows { nothing, mean, mean_and_p99 };

// The place of a metric in a list.
struct Slot {
  constexpr Slot(int in_order = 0, Shows what = Shows::mean) : place(in_order), shows(what) {}
  bool has(Statistic one) const {
    return (one == Statistic::mean && shows != Shows::nothing) ||
           (one == Statistic::p99 && shows == Shows::mean_and_p99);
  }

  int place;  // in ascending order; 0: not in the list
  Shows shows;
};

// A metric's place in each list.
struct Lists {
  Slot report{};      // most informative first; `shows`: its columns in the report's table
  Slot comparison{};  // compared by default; the only metrics in reports of many rows
  Slot sharing{};     // for which the cost of sharing a host is computed
  Slot point{};       // the table of a point's measurements
  Slot summary{};     // the table after a run
  Slot bench{};       // the table of bench, with a row per load
};

// How a metric is presented to users.
struct Shown {
  std::string_view family{};  // in reports, without its statistic: "TTFT"; "" if not in reports
  std::string_view unit{};    // in reports, if it differs from the row's
  std::string_view title{};   // of its column in the table of bench, if it differs from the name
  Better better = Better::neither;
  int digits = 0;  // after the decimal point, in the table after a run
  Lists in{};
};

struct MetricRow {
  std::string_view name;
  std::string_view unit;
  std::string_view formula;
  std::string_view source;  // the tool that defines it
  // The value of one request; divided by `scale` it is in `unit`. Null if the metric is not per
  // request.
  std::optional<double> (*each)(const Window&, const RequestRecord&) = nullptr;
  double scale = 1;
  bool failed_too = false;  // false: only requests that succeeded with at least one token
  // The term of a successful request in the sum that is divided by the window's length. Null if the
  // metric is not a rate.
  std::optional<double> (*adds)(const RequestRecord&) = nullptr;
  // The value of the window. If `each` is set too, used only if no request has a value.
  MetricValue (*whole)(const Window&) = nullptr;
  Shown shown{};

  std::string_view unit_of_reports() const;  // "" for a fraction

  // In an open loop, the same metric counted from the scheduled send, because a user waits from
  // then on. In a closed loop, or without such a metric, this row.
  const MetricRow& from_scheduled_send(bool open_loop) const;
  MetricValue compute(const Window& window) const;
  // The value of RECORD in the metric's unit; nullopt if undefined.
  std::optional<double> of(const Window& window, const RequestRecord& record) const;
  // The terms that RECORD adds to a mean or a rate. A mean: its value in the metric's unit, and 1;
  // zeros if the value is undefined. A rate in a closed loop: its work, and the time that it held
  // its slot / the concurrency. By Little's law these times add up to the window, except at its
  // ends, because the number of open requests is constant. nullopt for any other metric, or if
  // RECORD's work is unknown.
  std::optional<Parts> parts_of(const Window& window, const RequestRecord& record) const;
};

// Increases with every change of a formula, to distinguish values of different formulas.
inline constexpr int k_metric_version = 2;

// Every metric of a window, in printing order.
std::span<const MetricRow> metric_table();
// Metrics that the store derives from the stages underlying a measurement; they have no functions
// here.
std::span<const MetricRow> derived_metrics();
// The rows of metric_table(), then the derived ones, then the scores of the built-in scorers.
std::span<const MetricRow> all_metrics();
// Null if there is no window metric of this name.
const MetricRow* find_metric(std::string_view name);

// A metric, or one of its statistics, as a column of `results`.
struct Column {
  const MetricRow* metric;  // never null; lives as long as the program
  Statistic statistic = Statistic::mean;

  std::string name() const;
};

// The metrics of a list in its order, shown or not: metrics_in(&Lists::report).
std::vector<const MetricRow*> metrics_in(Slot Lists::*list);
// The columns that a list shows.
std::vector<Column> columns_in(Slot Lists::*list);
// The metric of COLUMN, whose name may end in a statistic, such as ttft_ms_p99. Null if reports
// have no such metric.
const MetricRow* reported_metric(std::string_view column);

struct Metric {
  const MetricRow* row;  // never null; lives as long as the program
  MetricValue value;     // never undefined
  // The 95 % interval of the mean, or of a closed loop's rate. nullopt if there is none, as for an
  // open loop's rate, which its schedule sets.
  std::optional<Interval> interval{};
  // The 95 % limits of the percentiles of a metric that has a value per request. nullopt for a
  // percentile that n does not support, and for metrics over events.
  LimitsOfPercentiles percentile_limits{};

  double mean() const;  // or the single value
};

// The interval of a mean or rate from the PARTS of all requests of WINDOW, in sending order.
std::optional<Interval> interval_of_parts(const Window& window, std::span<const Parts> parts);

// The metrics that WINDOW defines, in table order.
std::vector<Metric> metrics_of(const Window& window);
// The distance from the value of metric NAME to the farther limit of its interval, in percent of
// the value. nullopt without the metric or its interval.
std::optional<double> interval_percent(std::span<const Metric> metrics, std::string_view name);
// Percentiles for which n is too small, as "ttft_ms_p999" (see records_needed).
std::vector<std::string> unsupported_percentiles(std::span<const Metric> metrics);

// From the first send to the last response, or to the last failure if that is later, because
// failures at the end must not shorten the window. 0 without requests.
double duration_s(std::span<const RequestRecord> records);

}  // namespace orch::measure
