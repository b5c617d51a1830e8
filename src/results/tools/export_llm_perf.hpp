// A measurement as llm_perf.py prints it, for scripts that read that: with its names, units, lines
// and formulas. It opens no file.
#pragma once

#include <string>
#include <string_view>

#include "bench/record/measurement.hpp"

namespace orch::record {

// The first line of a run. PROTOCOL is "grpc" or "http".
std::string llm_perf_title(std::string_view url, std::string_view protocol, std::string_view model);

// The lines of one load. Rates of tokens are the tokens of all successful requests over the sum of
// their latencies; times are in seconds; the first response of an answer that was not streamed, or
// that has no text, is its end. A figure that no request has is left out.
std::string llm_perf_block(const Measurement& measurement);

}  // namespace orch::record
