// run_bench() for tests, which ask for all measurements at once.
#pragma once

#include <stdexcept>

#include "load/bench.hpp"

namespace orch::load {

inline Result<std::vector<Measurement>> bench_all(const BenchOptions& options, const PromptSet& prompts) {
  const std::atomic<bool> never_stopped = false;
  std::vector<Measurement> all;
  ORCH_TRY(run_bench(options, prompts, never_stopped, {}, [&](Measurement one) { all.push_back(std::move(one)); }));
  return all;
}

// The first of them.
inline Measurement bench_one(const BenchOptions& options, const PromptSet& prompts) {
  auto result = bench_all(options, prompts);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result->front());
}

// One request at a time to the server at URL, with answers of four tokens.
inline BenchOptions one_at_a_time(const std::string& url, std::int64_t requests) {
  BenchOptions out;
  out.urls = {url};
  out.model = "ensemble";
  out.loads = {{.kind = Load::Kind::closed, .concurrency = 1}};
  out.requests = requests;
  out.prompts_name = "p.jsonl";
  out.osl = 4;
  out.timeout_s = 20;
  return out;
}

inline std::vector<std::string> errors_of(const Measurement& measurement) {
  std::vector<std::string> out;
  for (const measure::RequestRecord& record : measurement.records) out.push_back(record.error);
  return out;
}

}  // namespace orch::load
