// Reads perf_analyzer's profile export (genai-perf's raw input) into request records, so that the
// metrics here can be compared with genai-perf's report over the same requests. Opens no file and
// does not tokenise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "bench/measure/metrics.hpp"

namespace orch::measure {

struct TokenCounts {
  std::vector<std::int64_t> input;   // per request, in the export's order
  std::vector<std::int64_t> output;  // of the joined text of a request's responses
};

struct ProfileExperiment {
  std::string mode;  // "concurrency" or "request_rate"
  double value = 0;
  std::vector<RequestRecord> records;  // empty responses included
};

// The experiments of a profile export of kserve/triton requests (response_outputs with
// text_output). COUNTS have one entry per request, in the order of the experiments. Errors: JSON
// that is not such an export, or too few or too many counts.
Result<std::vector<ProfileExperiment>> read_profile_export(std::string_view json,
                                                           const TokenCounts& counts);

// The window for which metrics_of returns the values of genai-perf 0.0.8. EXPERIMENT must outlive
// it.
Window genai_perf_window(const ProfileExperiment& experiment);

}  // namespace orch::measure
