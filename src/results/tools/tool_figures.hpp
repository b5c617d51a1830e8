// The meaning of other tools' figures that the store has under the tools' names: the tools, and for
// each figure its formula and the difference from ours. A table of sentences.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::measure {

// A tool that measures servers of language models.
struct Peer {
  std::string_view name;
  std::string_view release;  // the release that was examined, with remarks about all its figures
};
std::span<const Peer> peers();

struct PeerFormula {
  std::string_view metric;  // name in the metric table
  std::string_view peer;
  std::string_view formula;  // "same" or "none", perhaps with remarks, or its own definition
};
// In the order of the metric table, then of the peers. If a peer has no row for a metric, its
// sources do not have the metric.
std::span<const PeerFormula> peer_formulas();

// A tool whose files the program reads, by its name in the store's rows.
struct Tool {
  std::string_view name;
  std::string_view peer;  // whose formulas its figures under our names follow; "" if none
  std::string_view what;  // in one line
};
std::span<const Tool> tools();
// Null if there is no tool of this name.
const Tool* find_tool(std::string_view name);

// The formula of a tool's figure that is not in the metric table, or that no peer defines.
struct ToolFigure {
  std::string_view tool, figure, formula;
};
std::span<const ToolFigure> tool_figures();

struct Definition {
  std::string formula;     // the formula of the tool
  std::string difference;  // from ours; "" if we have no such figure
};
// FIGURE is one of our metrics or a figure of the tool, without its statistic. Both texts are "" if
// nothing is known about FIGURE.
Definition definition_of(const Tool& tool, std::string_view figure);

// The figures that the tool has, ours first.
std::vector<std::string_view> figures_of(const Tool& tool);

}  // namespace orch::measure
