// How other tools compute what our metrics name: what a figure of theirs has to be read as before
// it is held against ours. A table of sentences; nothing is computed here.
#pragma once

#include <span>
#include <string_view>

namespace orch::measure {

// A tool that measures servers of language models.
struct Peer {
  std::string_view name;
  std::string_view read;  // which release, and what holds for all its figures
};
std::span<const Peer> peers();

struct PeerFormula {
  std::string_view metric;  // ours
  std::string_view peer;
  std::string_view formula;  // "same", "none", or what it computes in its place
};
// In the order of our metrics, and of the peers in each. A peer without a row for a metric has none
// that its sources show.
std::span<const PeerFormula> peer_formulas();

}  // namespace orch::measure
