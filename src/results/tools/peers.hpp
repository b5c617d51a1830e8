// How other tools define the metrics of the metric table, for comparing their figures with ours. A
// table of sentences; computes nothing.
#pragma once

#include <span>
#include <string_view>

namespace orch::measure {

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

}  // namespace orch::measure
