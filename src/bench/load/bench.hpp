// A benchmark of one endpoint, or of several that share the load. Each load has a warm-up, a scrape
// of the metrics page, a measured window, another scrape and a verdict. Opens no files and prints
// nothing.
#pragma once

#include "bench/observe/gpu_window.hpp"
#include "bench/prompt/prompts.hpp"
#include "bench/protocol/triton_value.hpp"
#include "bench/record/measurement.hpp"
#include "bench/record/record_json.hpp"
#include "core/base/result.hpp"
#include "core/secret/redact.hpp"
#include "os/system/topology/cpus.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::load {

// What the user requested: the spec that a record repeats, and settings that a record leaves out.
struct BenchOptions : record::BenchSpec {
  std::string prompts_name;          // source of the prompts, for errors
  std::string authorization;         // header of each request; "" for none
  std::vector<std::string> headers;  // additional ones, "NAME: VALUE"
  std::string ca_file;               // over TLS: trusted certificates; "" for the system's
  bool insecure = false;             // over TLS: accept any certificate
  // Secrets to redact in texts from a server; null: only the token of `authorization`, verbatim.
  std::shared_ptr<const secret::Secrets> secrets;
  // Sends one request to each server alone before the first load; see bench_target.hpp.
  bool first_request = false;
  // The weights and the configuration of a LoRA adapter, sent with the first request.
  std::vector<protocol::NamedArray> adapter = {};
  bool keep_answers = true;
  bool keep_values = false;  // log probabilities and logits that requests ask for
  // Borrowed. Takes answers and values, and redacts them; null: they stay in the records.
  record::AnswerSpool* answers = nullptr;
  // Keeps the end offset of each event's text, for exports; needs keep_answers.
  bool keep_text_ends = false;
  double metrics_interval_s = 1;  // between samples of the gauges in a window; 0: none
  bool statistics = false;        // query a Triton server for its statistics per model
  // GPUs of the servers, by index or UUID; empty: detected from the servers' processes.
  std::vector<std::string> gpus;
  int gpu_clock_mhz = 0;  // at which the GPUs are locked; 0: they are not
  observe::GpuSources gpu_sources = {};
  // Borrowed. During a load, the client is moved to CPUs that servers of this host leave free;
  // null: it is not moved.
  system::Cpus* host_cpus = nullptr;
  system::CpuSet cpus;  // CPUs to use instead; empty: none were requested
  // Counts the tokens of texts: of answers that have no other count, and to check other counts.
  // Called between loads; needs keep_answers. Empty without a tokenizer.
  std::function<Result<std::vector<std::int64_t>>(std::span<const std::string_view>)> count_texts;
};

// Progress messages for a terminal.
struct Progress {
  std::function<void(std::string_view)> line;  // before each step
  // The state of the running phase, every second, from another thread; "" at the end of the phase.
  std::function<void(std::string_view)> status;
};

// Receives each completed measurement, in the order of the loads. Nothing is measured meanwhile.
using Keep = std::function<void(record::Measurement)>;

// Fails if a load cannot be measured at all (prompts missing, server unreachable), and once STOPPED
// is true. The measurements made so far have been passed to KEEP, including the invalid one of the
// interrupted load. Failures of single requests are part of the measurements.
Status run_bench(const BenchOptions& options, const prompt::PromptSet& prompts,
                 const std::atomic<bool>& stopped, const Progress& progress, const Keep& keep);

// Checks a benchmark's options before anything is sent. Contacts no server.

// Each error names the option, its value and what to give instead.
Status check_options(const BenchOptions& options);
// The same except for osl, which the prompts may set.
Status check_before_prompts(const BenchOptions& options);

// The number of requests of KIND ("measured", "warm-up") for each load: REQUESTED, or with a
// duration, a trace or --reuse-prompts at most an equal share of the AVAILABLE prompts. Fails if
// there are too few.
Result<std::int64_t> share_per_load(const BenchOptions& options, std::string_view kind,
                                    std::int64_t requested, std::size_t available);

}  // namespace orch::load
