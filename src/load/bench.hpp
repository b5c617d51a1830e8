// A benchmark of one endpoint, or of several that share the load: for each load, warm-up, metrics
// page, measured window, metrics page, verdict. It opens no files and prints nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "load/arrivals.hpp"
#include "load/metrics_page.hpp"
#include "load/prompts.hpp"
#include "load/protocol.hpp"
#include "load/server_watch.hpp"
#include "measure/metrics.hpp"
#include "measure/validity.hpp"

namespace orch::load {

// Enough is known once the 95 % interval of METRIC's mean, or of a throughput, is within PERCENT of
// it to either side.
struct StopAt {
  std::string metric;
  double percent = 0;
};

// Where the prompts came from, for the record.
struct PromptOrigin {
  std::string file;       // "": they were made up
  std::string tokenizer;  // "" where none was asked
  double shared_prefix = 0;
};

struct BenchOptions {
  std::vector<std::string> urls;  // the servers; each load is spread over them as evenly as it goes
  std::string protocol = "triton-http";
  std::string model;
  bool stream = true;
  std::vector<Load> loads;      // measured one after another
  std::int64_t requests = 0;    // measured, per load; with a duration the most, 0: no limit
  double duration_s = 0;        // sending stops then; 0: after `requests`
  std::optional<StopAt> until;  // sending stops then as well
  std::int64_t warmup = 0;      // requests per load
  std::uint64_t seed = 0;       // of arrivals
  std::string prompts_name;     // where the prompts came from, for errors
  PromptOrigin prompts;
  int block = 0;
  bool reuse_prompts =
      false;  // where there are fewer prompts than requests, they are sent again, in the same order
  std::int64_t osl = 0;    // of prompts that do not say
  bool eos = false;        // the model's end token may end an answer before osl
  std::int64_t batch = 1;  // prompts in one request
  bool send_ids = false;   // prompts go as token ids where the protocol leaves the choice
  Sampling sampling;
  double stop_after_ms = 0;  // each request is ended by us after this; 0: never
  bool stop_by_request =
      false;  // by a request that asks the server to, in place of closing its stream
  std::string authorization;  // header of each request; "" for none
  std::string
      ca_file;  // over TLS: certificates to trust in place of the system's; "" for the system's
  bool insecure = false;  // over TLS: any certificate will do
  std::string goodput;    // SQL over a request's metrics; "" for none
  bool keep_answers = true;
  bool keep_text_ends =
      false;  // of each event, for exports that tell them apart; needs the answers
  std::int64_t tokens_per_event = 1;      // 0: it differs (drafts are accepted); then an answer of
                                          // forced length counts as that long
  std::vector<std::string> metrics_urls;  // none, or at least one for each server
  double metrics_interval_s = 1;  // between two looks at the gauges while a window lasts; 0: none
  bool statistics = false;        // of a Triton server: ask what it counted of each model
  std::vector<std::string> gpus;  // the servers' GPUs, by index or uuid; empty: those that their
                                  // processes are seen to use
  double timeout_s = 300;         // per request
  std::vector<std::pair<std::string, std::string>> inputs;
  measure::ValidityLimits limits;
  // Tokens of answers that nothing else counts, between the loads; needs the answers. Empty: nobody
  // can.
  std::function<Result<std::vector<std::int64_t>>(std::span<const std::string_view>)> count_texts;
};

// What one of several servers had of the window.
struct ServerShare {
  std::string url;
  std::int64_t requests = 0;
  std::int64_t failed = 0;
  std::int64_t lost = 0;  // of these: it was gone
};

// The prompts of the requests of one load: from FIRST of the measured ones on, as many for each
// request as the batch has, and from FIRST again once REQUESTS were sent.
struct PromptShare {
  std::size_t first = 0;
  std::size_t requests = 0;
};

struct Measurement {
  Load load;
  PromptShare prompts;
  std::int64_t wall_start_ns = 0;       // when the window began, since the epoch
  double duration_s = 0;                // first send to last response or failure
  bool stopped_early = false;           // because --until was reached
  std::optional<double> known_percent;  // --until: how far the interval of its metric reaches;
                                        // empty where it has none
  std::string stopped;       // how well that is known where it stopped the load, for a human
  bool interrupted = false;  // by whoever stopped the run; then it is not valid
  // Of an open load's schedule, from the window's start: when requests were due that were never
  // sent, or cut off by the interruption; they have no record.
  std::vector<std::int64_t> unsent_due_ns;
  std::vector<std::int64_t> cut_off_due_ns;
  std::string counting_osl;  // how output tokens were counted
  std::string counting_isl;
  std::optional<Length> isl_requested;  // of prompts that were made up
  bool ids = false;                     // prompts went as ids
  std::vector<measure::RequestRecord>
      records;  // warm-up first; times relative to the window's start
  std::vector<measure::Metric> metrics;
  std::vector<std::string> unsupported;
  std::vector<ServerShare> servers;
  measure::ClientHealth client;
  measure::Verdict verdict;
  ServerReport server;
};

// What a human is told.
struct Progress {
  std::function<void(std::string_view)> line;  // before each step
  std::function<void(std::string_view)>
      standing;  // how far a load is, each second, from another thread; "" when it has ended
};

// Gets each measurement as soon as it is whole, in the order of the loads. Nothing is measured
// while it works.
using Keep = std::function<void(Measurement)>;

// Fails when a load cannot be measured at all (prompts missing, server not reachable), and once
// STOPPED is true; what was measured until then is kept, that of the interrupted load as not valid.
// Whatever happens once requests are on their way is in the measurements.
Status run_bench(const BenchOptions& options, const PromptSet& prompts,
                 const std::atomic<bool>& stopped, const Progress& progress, const Keep& keep);

}  // namespace orch::load
