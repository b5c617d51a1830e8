// The metric table: name, unit, formula and function of every metric that request records and two
// scrapes of the server can give. It does no I/O and does not know how records were made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "measure/histogram.hpp"
#include "measure/interval.hpp"
#include "measure/request_record.hpp"
#include "measure/statistics.hpp"

namespace orch::measure {

// CPU time of a thread / wall time of the window.
struct ThreadShare {
  std::string name;
  double cpu_share = 0;
};

// How the generator itself fared during the measured window.
struct ClientHealth {
  std::string scheduling = "normal";  // of its thread; "real-time" where the system allowed it
  std::string cpus;                   // that its thread may run on, as "0-3,7"
  std::optional<double>
      cpu_share;  // CPU time of the client's busiest thread / wall time of the window
  std::vector<ThreadShare> threads;  // all of them, the busiest first
  Histogram wake_lag;                // of a probe timer: how late the thread ran after it was due
  Histogram send_lag;                // of requests: from when they were due to when they were sent
  std::int64_t worst_turn_ns =
      0;  // the longest time that the loop worked before it looked at its sockets again
  std::int64_t reads = 0;   // recv calls that returned bytes
  std::int64_t events = 0;  // events that carried tokens
  std::int64_t coalesced =
      0;  // of these, events that shared a read with an earlier one of the same response
  std::int64_t connections_opened = 0;  // since the loop was made, warm-up included
  std::int64_t resent = 0;              // requests that went a second time, over a fresh connection
  std::int64_t out_of_step =
      0;  // connections given up because bytes came on them that no request had asked for
};

// What the server says of the window, from two scrapes; empty where it has no such counters.
struct ServerCounts {
  std::optional<double> input_tokens;
  std::optional<double> input_requests;
  std::optional<double> output_tokens;
  std::optional<double> output_requests;
};

// What the servers' processes and GPUs took while the window lasted; empty where that could not be
// seen.
struct ServerSide {
  std::optional<double> cpu_share;            // CPU time / wall time of all processes: cores
  std::optional<double> memory_gib_peak;      // resident, of all processes
  std::optional<double> gpu_memory_gib_peak;  // of the GPU that used most
  std::optional<double> power_w;              // of all GPUs together
  std::optional<double> energy_j;
};

// Everything that the metrics of one measurement are computed from. The records are those of the
// measured phase alone, in the order of sending.
struct Window {
  std::span<const RequestRecord> records;
  ServerCounts server;
  ClientHealth client;
  ServerSide side = {};
  bool open_loop = false;  // requests were due by a schedule, whatever became of those before them
  std::int64_t concurrency =
      0;  // of a closed loop: requests that are always open; 0 where nobody said
  std::optional<double>
      goodput_rps{};  // where somebody said which requests are good (see goodput.hpp)
  // genai-perf 0.0.8 counts ITL 0 for an answer of several tokens that came in one event; we and
  // genai-perf from 0.0.13 on call it undefined.
  bool single_event_itl_is_zero = false;
};

// What a request adds to two sums of which one is divided by the other.
struct Parts {
  double above = 0;
  double below = 0;
};

// A statistic over requests or events, a single value, or undefined.
using MetricValue = std::variant<std::monostate, double, Statistics>;

struct MetricRow {
  std::string_view name;
  std::string_view unit;
  std::string_view formula;
  std::string_view source;  // whose definition this is
  // Of one request, in units of 1 / scale; null where the metric is not one of requests.
  std::optional<double> (*each)(const Window&, const RequestRecord&) = nullptr;
  double scale = 1;
  bool failed_too = false;  // else only requests that succeeded and brought a token
  // What a request that succeeded adds to a sum that is divided by the window's length; null where
  // the metric is no rate.
  std::optional<double> (*adds)(const RequestRecord&) = nullptr;
  // Of the window; with EACH as well, where no request has a value.
  MetricValue (*whole)(const Window&) = nullptr;

  // Itself; in an open loop, where a user waits from when a request was due, what it is from the
  // scheduled send, if that is a metric.
  const MetricRow& as_waited_for(bool open_loop) const;
  MetricValue compute(const Window& window) const;
  // Of RECORD, in the metric's unit; empty where it has none.
  std::optional<double> of(const Window& window, const RequestRecord& record) const;
  // What RECORD adds to the mean or the rate. Of a mean: its value in the metric's unit, and 1;
  // nothing to both where it has none. Of a closed loop's rate: what it did, and its slot's time /
  // the concurrency: the loop is never without its requests, so these times add up to the window's
  // but for its ends (Little's law). Empty where the metric has neither: it is no rate of a closed
  // loop and not of requests, or RECORD does not know.
  std::optional<Parts> parts_of(const Window& window, const RequestRecord& record) const;
};

// Rises when a formula changes, so that figures by different ones are never taken for the same.
inline constexpr int k_metric_version = 2;

// Every metric, in the order in which tables print them.
std::span<const MetricRow> metric_table();
// Null where there is none of this name.
const MetricRow* find_metric(std::string_view name);

struct Metric {
  const MetricRow* row;  // never null; lives as long as the program
  MetricValue value;     // never undefined
  // Of the mean, or of a closed loop's rate; 95 %. In an open loop the rate is that of the schedule
  // which we drew.
  std::optional<Interval> interval{};

  double mean() const;  // or the single value
};

// Of a mean or a rate of WINDOW's kind of load to which requests added PARTS, in the order of
// sending, none left out.
std::optional<Interval> interval_of_parts(const Window& window, std::span<const Parts> parts);

// The metrics that WINDOW defines, in the table's order.
std::vector<Metric> metrics_of(const Window& window);
// How far the interval of the metric NAME reaches to its farther side, in percent of it; empty
// where it has none.
std::optional<double> percent_known(std::span<const Metric> metrics, std::string_view name);
// Percentiles that n is too small for, as "ttft_ms_p999" (see records_needed).
std::vector<std::string> unsupported_percentiles(std::span<const Metric> metrics);

// First send to the last response, or to where the last failure was noticed if that is later: a
// server that fails at the end did not answer faster. 0 for no requests.
double duration_s(std::span<const RequestRecord> records);

}  // namespace orch::measure
