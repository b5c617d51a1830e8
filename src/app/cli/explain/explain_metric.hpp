// Explains a metric for people: unit, formula, origin of the definition, differences in other
// tools. Measures nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::cli {

// NAME is a metric, alone or with a statistic: "ttft_ms", "ttft_ms_p99". "" for an unknown metric
// or statistic.
std::string explain_metric(std::string_view name);

// The names of all metrics, for completion and suggestions.
std::vector<std::string> metric_names();

// The metrics that WORD probably means, case-insensitively: those that begin with it ("ttft",
// "TTFT"), else those that contain it as a word ("latency"). Empty for a complete name.
std::vector<std::string> metrics_matching(std::string_view word);

// Explains a figure of another tool for people: "genai-perf.itl_ms". Measures nothing.

// Whether NAME is TOOL.FIGURE with the name of a tool.
bool names_tool(std::string_view name);

// NAME is TOOL.FIGURE, where FIGURE is a figure, alone or with a statistic, or a word that begins
// one: "genai-perf.itl". "" for a figure that the tool does not have.
std::string explain_tool(std::string_view name);

// "genai-perf has: ttft_ms, ...", for an error.
std::string figures_of_tool(std::string_view name);

}  // namespace orch::cli
