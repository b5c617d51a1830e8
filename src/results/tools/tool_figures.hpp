// What the figures of other tools mean that stand in the store under their names: the tools, and
// for each figure its formula and the difference from ours. A table of sentences; computes nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::measure {

// How other tools define the metrics of the metric table, for comparing their figures with ours. A
// table of sentences; computes nothing.

// A tool that measures servers of language models.
struct Peer {
  std::string_view name;
  std::string_view release;  // that was examined, with remarks about all its figures
};
std::span<const Peer> peers();

struct PeerFormula {
  std::string_view metric;  // name in the metric table
  std::string_view peer;
  std::string_view formula;  // "same", "none", or its own definition
};
// In the order of the metric table, then of the peers. A peer without a row for a metric has no
// such metric in its sources.
std::span<const PeerFormula> peer_formulas();

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
