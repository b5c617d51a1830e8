// Explains a figure of another tool to a person: "genai-perf.itl_ms". Measures nothing.
#pragma once

#include <string>
#include <string_view>

namespace orch::cli {

// Whether NAME is TOOL.FIGURE with the name of a tool.
bool names_tool(std::string_view name);

// NAME is TOOL.FIGURE, where FIGURE is a figure, alone or with a statistic, or a word that begins
// one: "genai-perf.itl". "" for a figure that the tool does not have.
std::string explain_tool(std::string_view name);

// "genai-perf has: ttft_ms, ...", for an error.
std::string figures_of_tool(std::string_view name);

}  // namespace orch::cli
