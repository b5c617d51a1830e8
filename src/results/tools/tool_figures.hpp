// What the figures of other tools mean that stand in the store under their names: the tools, and
// for each figure its formula and the difference from ours. A table of sentences; computes nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::measure {

// A tool whose files the program reads, by its name on rows of the store.
struct Tool {
  std::string_view name;
  std::string_view peer;  // in peers.hpp, whose formulas its figures under our names follow; or ""
  std::string_view what;  // in one line
};
std::span<const Tool> tools();
// Null when there is no tool of this name.
const Tool* find_tool(std::string_view name);

// A figure that we do not have.
struct ToolFigure {
  std::string_view tool, figure, formula;
};
std::span<const ToolFigure> tool_figures();

struct Definition {
  std::string formula;     // the tool's
  std::string difference;  // from ours; "" where we have no such figure
};
// Of FIGURE, a metric of ours or a figure of the tool, without its statistic. Empty texts: nothing
// is known of it.
Definition definition_of(const Tool& tool, std::string_view figure);

// The figures that the tool has, ours first.
std::vector<std::string_view> figures_of(const Tool& tool);

}  // namespace orch::measure
