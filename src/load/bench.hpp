// A benchmark of one endpoint, or of several that share the load: for each load, warm-up, metrics
// page, measured window, metrics page, verdict. It opens no files and prints nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "prompt/prompts.hpp"
#include "record/measurement.hpp"

namespace orch::load {

// What was asked for, and what no record repeats.
struct BenchOptions : record::BenchSpec {
  std::string prompts_name;   // where the prompts came from, for errors
  std::string authorization;  // header of each request; "" for none
  std::string ca_file;        // over TLS: trusted certificates; "" for the system's
  bool insecure = false;      // over TLS: accept any certificate
  bool keep_answers = true;
  // Keep where the text of each event ends, for exports that need it; needs the answers.
  bool keep_text_ends = false;
  double metrics_interval_s = 1;  // between two samples of the gauges during a window; 0: none
  bool statistics = false;        // ask a Triton server for its statistics per model
  // GPUs of the servers, by index or UUID; empty: those that their processes are seen to use.
  std::vector<std::string> gpus;
  // Counts the tokens of answers that nothing else counts; called between loads, and needs the
  // answers. Empty: there is no tokenizer.
  std::function<Result<std::vector<std::int64_t>>(std::span<const std::string_view>)> count_texts;
};

// What a human is told.
struct Progress {
  std::function<void(std::string_view)> line;  // before each step
  std::function<void(std::string_view)>
      standing;  // how far a load is, each second, from another thread; "" when it has ended
};

// Gets each measurement as soon as it is whole, in the order of the loads. Nothing is measured
// while it works.
using Keep = std::function<void(record::Measurement)>;

// Fails when a load cannot be measured at all (prompts missing, server not reachable), and once
// STOPPED is true; what was measured until then is kept, that of the interrupted load as not valid.
// Whatever happens once requests are on their way is in the measurements.
Status run_bench(const BenchOptions& options, const prompt::PromptSet& prompts,
                 const std::atomic<bool>& stopped, const Progress& progress, const Keep& keep);

}  // namespace orch::load
