// What of a benchmark's options makes no sense, said before anything is sent. It asks no server.
#pragma once

#include "load/bench.hpp"

namespace orch::load {

// Each error names the option, its value and what to give instead.
Status check_options(const BenchOptions& options);
// The same but for osl, which the prompts may say.
Status check_before_prompts(const BenchOptions& options);

// How many requests of KIND ("measured") each load can have: as many as asked, or for loads that
// end by themselves an equal share of HAS prompts. Fails when the prompts do not suffice.
Result<std::int64_t> share_of_prompts(const BenchOptions& options, std::string_view kind,
                                      std::int64_t asked, std::size_t has);

}  // namespace orch::load
