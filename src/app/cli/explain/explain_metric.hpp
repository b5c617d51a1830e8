// Explains a metric for people: unit, formula, origin of the definition, differences in other
// tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::cli {

// The explanation of NAME, a metric alone or with a statistic: "ttft_ms", "ttft_ms_p99". "" if the
// metric or statistic is unknown.
std::string explain_metric(std::string_view name);

// The names of all metrics, for completion and suggestions.
std::vector<std::string> metric_names();

// The metrics that WORD probably means, case-insensitively: metrics that begin with it ("ttft",
// "TTFT"), else metrics that contain it as a word ("latency").
std::vector<std::string> metrics_matching(std::string_view word);

// Explains a figure of another tool for people: "genai-perf.itl_ms".

// Whether NAME is TOOL.FIGURE with the name of a tool.
bool names_tool(std::string_view name);

// The explanation of NAME, TOOL.FIGURE, where FIGURE is a figure alone or with a statistic, or some
// of its words: "genai-perf.itl". "" if the tool does not have the figure.
std::string explain_tool(std::string_view name);

// The figures of the tool that NAME names, for an error: "genai-perf has: ttft_ms, ...".
std::string figures_of_tool(std::string_view name);

}  // namespace orch::cli
