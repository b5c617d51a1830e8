// The specification of a benchmark and its results, as values. They contain no secret, and do not
// depend on how requests are sent or files are written.
#pragma once

#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/measure/validity.hpp"
#include "bench/observe/server_watch.hpp"
#include "bench/prompt/prompts.hpp"
#include "bench/protocol/protocol.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::record {

// A metric by name, with its statistics, regardless of what computed it.

// Records of other versions and programs contain metrics that this one does not compute.
struct NamedMetric {
  std::string name;
  std::optional<double> mean = {};  // or the single value
  StatisticValues statistics = {};
};

// The program that measured, and the one whose formulas the figures follow.

// The name of orchestrate's own load generator and of its formulas.
inline constexpr char k_native[] = "native";

struct MeasuredBy {
  std::string tool = k_native;
  std::optional<std::string> version;
  std::string definition = k_native;  // the tool whose formulas the figures follow
  std::optional<std::string> origin;  // the file from which the figures were read
  std::optional<std::string> origin_sha256;
  Texts missing = {};  // columns that files of this tool may contain and `origin` lacks

  // For another tool: its figures, by its own formulas, and the load as stated in its files.
  std::vector<NamedMetric> figures = {};
  std::vector<std::pair<std::string, Value>> load;

  bool is_native() const { return tool == k_native; }
};

// Whether NAME is a valid name of a tool: [a-z0-9][a-z0-9._-]*, at most 64 characters.
bool is_tool_name(std::string_view name);

// One load of a benchmark: how many requests are kept open, or at which rate they are sent.

enum class Arrival {
  constant,  // gaps of 1 / rate
  poisson,   // exponential gaps
  gamma,     // gamma gaps of shape `burstiness`: 1 is Poisson, less is burstier, more is steadier
  trace,     // the timestamps of the prompts
};

struct Load {
  enum class Kind {
    closed,  // a fixed number of requests is kept open; when one ends, the next is sent
    open,    // requests are sent on a schedule, regardless of what is in flight
    max,     // all requests are due at once: client and server run at full speed
  };
  Kind kind = Kind::closed;
  // Closed: requests kept open. Open and max: the limit of requests in flight; 0 (open only): no
  // limit.
  std::int64_t concurrency = 0;
  double request_rate = 0;  // requests per second; open loop without a trace
  Arrival arrival = Arrival::poisson;
  double burstiness = 1;  // shape of gamma arrivals

  bool is_trace() const { return kind == Kind::open && arrival == Arrival::trace; }
  // "concurrency 8", "10 requests/s (poisson)", "as fast as possible (512 open)".
  std::string text() const;
};

// The value of --arrival. Errors list the known names.
Result<Arrival> parse_arrival(std::string_view name);
std::string_view name_of(Arrival arrival);

// Attached to each measurement of a server that was already running.
inline constexpr std::string_view k_running_server_warning =
    "the server ran already: its cache of prefixes, its other users and the parameters that it was "
    "started with are not under control";

// A load stops once the 95 % interval of METRIC's mean, or of a throughput, lies within PERCENT of
// the value on both sides.
struct PrecisionTarget {
  std::string metric;
  double percent = 0;
};

struct PromptOrigin {
  std::string file;       // "": synthetic prompts
  std::string tokenizer;  // "": none
  double shared_prefix = 0;
};

// The requested settings that a record repeats, so that a run can be reproduced from it.
struct BenchSpec {
  std::vector<std::string> urls;  // the servers; each load is spread evenly over them
  std::string protocol = "triton-http";
  std::string model;
  bool stream = true;
  std::vector<Load> loads;  // measured one after another
  // Measured requests per load. With a duration: their upper limit, 0 for no limit.
  std::int64_t requests = 0;
  double duration_s = 0;                 // sending stops after this time; 0: after `requests`
  std::optional<PrecisionTarget> until;  // sending also stops once this is reached
  std::int64_t warmup = 0;               // requests per load
  std::uint64_t seed = 0;                // random seed of arrivals
  PromptOrigin prompts;
  int block = 0;
  // If there are fewer prompts than requests, the prompts are sent again in the same order.
  bool reuse_prompts = false;
  bool prefix_cache_off = false;  // the servers have no KV prefix cache
  // The servers were not started for this measurement, so their state is not under control.
  bool running_server = false;
  std::int64_t osl = 0;    // for prompts without their own
  bool eos = false;        // the model's end token may end an answer before osl
  std::int64_t batch = 1;  // prompts per request
  bool send_ids = false;   // send prompts as token ids if the protocol supports both
  protocol::Sampling sampling;
  double stop_after_ms = 0;      // the client ends each request after this time; 0: never
  bool stop_by_request = false;  // by a stop request to the server, not by closing the stream
  std::string goodput;           // SQL over the metrics of a request; "" for none
  // Tokens per event; 0: variable (accepted draft tokens); an answer of forced length then counts
  // as that long.
  std::int64_t tokens_per_event = 1;
  std::vector<std::string> metrics_urls;                    // empty, or at least one per server
  double timeout_s = 300;                                   // per request
  std::vector<std::pair<std::string, std::string>> inputs;  // additional inputs by name
  measure::ValidityLimits limits;
};

// One server's part of a window.
struct ServerShare {
  std::string url;
  std::int64_t requests = 0;
  std::int64_t failed = 0;
  std::int64_t lost = 0;  // of these: because the server was lost
};

// The request that each server received alone before the first load.
struct FirstRequest {
  std::string url;
  int status = 0;  // HTTP status, or 1000 + the gRPC status; 0 without an answer
  double latency_ms = 0;
  std::string error;  // "": it succeeded
};

// The measured prompts used by the requests of one load: from FIRST on, one batch per request, and
// from FIRST again after REQUESTS requests.
struct PromptShare {
  std::size_t first = 0;
  std::size_t requests = 0;
};

struct Measurement {
  MeasuredBy by;
  Load load;
  PromptShare prompts;
  std::int64_t wall_start_ns = 0;  // start of the window, since the epoch
  double duration_s = 0;           // first send to last response or failure
  bool stopped_early = false;      // the precision target was reached
  // The distance from the mean to the farther limit of its interval, in percent, for the metric of
  // the precision target; nullopt without an interval.
  std::optional<double> known_percent;
  std::string stopped;       // why the load stopped early, for users
  bool interrupted = false;  // the run was interrupted; the measurement is invalid
  // Open loop: due times, from the start of the window, of requests that were never sent, or were
  // cut off by the interruption. They have no record.
  std::vector<std::int64_t> unsent_due_ns;
  std::vector<std::int64_t> cut_off_due_ns;
  std::string counting_osl;  // how output tokens were counted
  std::string counting_isl;
  std::optional<prompt::Length> isl_requested;  // of synthetic prompts
  bool ids = false;                             // prompts were sent as token ids
  // "warm": prompts share or repeat prefixes, which the servers may cache; "unknown": otherwise, if
  // the servers were already running; "cold": otherwise. nullopt for another tool.
  std::optional<std::string> prefix_cache;
  // Warm-up first; times are relative to the start of the window.
  std::vector<measure::RequestRecord> records;
  std::vector<measure::Metric> metrics;
  std::vector<std::string> unsupported;  // percentiles for which n is too small
  std::vector<ServerShare> servers;
  // Sent once, before the first load; not part of any figure. Empty if not requested.
  std::vector<FirstRequest> first_requests;
  measure::ClientHealth client;
  measure::Verdict verdict;
  observe::ServerReport server;
};

}  // namespace orch::record
