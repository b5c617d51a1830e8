// Checks of a benchmark's options before anything is sent. It asks no server.
#pragma once

#include "bench/load/bench.hpp"

namespace orch::load {

// Each error names the option, its value and what to give instead.
Status check_options(const BenchOptions& options);
// The same without osl, which the prompts may set.
Status check_before_prompts(const BenchOptions& options);

// The number of requests of KIND ("measured", "warm-up") that each load gets: REQUESTED, or for
// loads that end by themselves an equal share of the AVAILABLE prompts. Fails when there are too
// few.
Result<std::int64_t> share_per_load(const BenchOptions& options, std::string_view kind,
                                    std::int64_t requested, std::size_t available);

}  // namespace orch::load
