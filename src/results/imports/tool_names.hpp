// Figures with the same names in genai-perf and aiperf: {unit, avg, min, max, std, pNN} under a
// name.
#pragma once

#include "bench/measure/metric_names.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/json_node.hpp"
#include "results/imports/tool_reading.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::imports {

// Our name for the figure that TOOL calls THEIRS in UNIT, and the factor to our unit.
struct OurName {
  std::string name;  // "": THEIRS is a time, and UNIT is not a unit of time
  double factor = 1;
};
OurName our_name(std::string_view tool, std::string_view theirs, std::string_view unit);

// Reads every figure among the members of ROOT; ignores other members.
void read_genai_figures(const Node& root, std::string_view tool, Figures& figures);

// How many requests succeeded and failed, as far as the report states it.
Outcome genai_outcome(const Node& root);

// Whether TEXT, which is JSON, has keys that occur in aiperf's report but not in genai-perf's.
bool has_marks_of_aiperf(std::string_view text);

// "avg" -> "mean", "std" -> "sd", "p99" unchanged; "" if it is not a statistic.
std::string_view statistic_of(std::string_view word);

// The figures that a report of genai-perf or aiperf usually has.
std::vector<std::string_view> genai_expected(bool streamed);

// What perf_analyzer's files have in common.

inline constexpr std::string_view k_perf_analyzer = "perf_analyzer";

// The figures that are expected of a load: those that perf_analyzer's reports may have, and those
// of a language model, which they always lack.
inline std::vector<std::string_view> perf_analyzer_expected() {
  return {metric::requests_per_s,   metric::request_latency_ms,
          "request_latency_ms_p99", metric::ttft_ms,
          metric::itl_ms,           metric::output_tps};
}

// Whether TEXT, which is JSON, was written by SGLang's bench_serving, not by a script that it is a
// copy of or that was copied from it.
bool has_marks_of_sglang(std::string_view text);

}  // namespace orch::imports
