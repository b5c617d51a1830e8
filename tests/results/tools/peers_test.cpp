// The table of peers is complete, and its metrics and tools exist.
#include "bench/measure/metrics.hpp"
#include "results/tools/tool_figures.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace peers_test {

TEST(Peers, EveryMetricHasARowForGenaiPerf) {
  for (const MetricRow& row : metric_table())
    EXPECT_TRUE(std::any_of(peer_formulas().begin(), peer_formulas().end(),
                            [&](const PeerFormula& one) {
                              return one.metric == row.name && one.peer.starts_with("genai-perf");
                            }))
        << row.name;
}

TEST(Peers, EveryRowHasAKnownMetricAndPeerAndIsUnique) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const PeerFormula& one : peer_formulas()) {
    EXPECT_NE(find_metric(one.metric), nullptr) << one.metric;
    EXPECT_TRUE(std::any_of(peers().begin(), peers().end(), [&](const Peer& peer) {
      return peer.name == one.peer;
    })) << one.peer;
    EXPECT_FALSE(one.formula.empty()) << one.metric << " of " << one.peer;
    EXPECT_TRUE(seen.emplace(one.metric, one.peer).second)
        << one.metric << " of " << one.peer << " appears twice";
  }
}

TEST(Peers, EveryPeerDefinesItsThroughput) {
  for (const Peer& peer : peers())
    EXPECT_TRUE(std::any_of(peer_formulas().begin(), peer_formulas().end(),
                            [&](const PeerFormula& one) {
                              return one.metric == "output_tps" && one.peer == peer.name;
                            }))
        << peer.name;
}

TEST(Peers, RowsAreInTheOrderOfTheMetricTable) {
  std::vector<std::string_view> in_rows, in_table;
  for (const PeerFormula& one : peer_formulas())
    if (in_rows.empty() || in_rows.back() != one.metric) in_rows.push_back(one.metric);
  for (const MetricRow& row : metric_table()) in_table.push_back(row.name);
  EXPECT_EQ(in_rows, in_table);
}

}  // namespace peers_test
}  // namespace orch::measure
