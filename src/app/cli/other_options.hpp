// Options of other load generators (perf_analyzer, genai-perf, vLLM's and SGLang's benchmarks) and
// what they are called here.
#pragma once

#include <string_view>

namespace orch::cli {

// The option of `orchestrate bench` that does what OPTION ("--input-file", "-u") does elsewhere,
// with the form of its value; "" when there is none.
std::string_view option_here(std::string_view option);

}  // namespace orch::cli
