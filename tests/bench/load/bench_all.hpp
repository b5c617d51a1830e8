// run_bench() for tests that need all measurements at once.
#pragma once

#include "bench/load/bench.hpp"

#include <stdexcept>

namespace orch::load {

inline Result<std::vector<record::Measurement>> bench_all(const BenchOptions& options,
                                                          const prompt::PromptSet& prompts) {
  const std::atomic<bool> never_stopped = false;
  std::vector<record::Measurement> all;
  ORCH_TRY(run_bench(options, prompts, never_stopped, {},
                     [&](record::Measurement one) { all.push_back(std::move(one)); }));
  return all;
}

// The first measurement of bench_all().
inline record::Measurement bench_one(const BenchOptions& options,
                                     const prompt::PromptSet& prompts) {
  auto result = bench_all(options, prompts);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result->front());
}

// No limit on lags and CPU shares: verdicts in tests must not depend on other work on the machine.
constexpr measure::ValidityLimits k_any_machine = {
    .wake_lag_ms = 1e6, .send_lag_ms = 1e6, .client_cpu_share = 1e6, .others_share = 1e6};

// One request at a time to the server at URL, with answers of four tokens.
inline BenchOptions one_at_a_time(const std::string& url, std::int64_t requests) {
  BenchOptions out;
  out.urls = {url};
  out.model = "ensemble";
  out.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1}};
  out.requests = requests;
  out.prompts_name = "p.jsonl";
  out.osl = 4;
  out.timeout_s = 20;
  out.limits = k_any_machine;
  return out;
}

inline std::vector<std::string> errors_of(const record::Measurement& measurement) {
  std::vector<std::string> out;
  for (const measure::RequestRecord& record : measurement.records) out.push_back(record.error);
  return out;
}

}  // namespace orch::load
