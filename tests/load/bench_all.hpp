// run_bench() for tests, which ask for all measurements at once.
#pragma once

#include "load/bench.hpp"

namespace orch::load {

inline Result<std::vector<Measurement>> bench_all(const BenchOptions& options, const PromptSet& prompts) {
  const std::atomic<bool> never_stopped = false;
  std::vector<Measurement> all;
  ORCH_TRY(run_bench(options, prompts, never_stopped, {}, [&](Measurement one) { all.push_back(std::move(one)); }));
  return all;
}

}  // namespace orch::load
