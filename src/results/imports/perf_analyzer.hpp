// What perf_analyzer's files have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::imports {

inline constexpr std::string_view k_perf_analyzer = "perf_analyzer";

// The figures of a load that its reports may have, and those of a language model, which they lack.
inline std::vector<std::string> perf_analyzer_expected() {
  return {"requests_per_s", "request_latency_ms", "request_latency_ms_p99", "ttft_ms",
          "itl_ms",         "output_tps"};
}

}  // namespace orch::imports
