// Every figure of another tool has a definition.
#include "results/tools/tool_figures.hpp"

#include "bench/measure/metrics.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::measure {
namespace tool_figures_test {

TEST(ToolFigures, BelongToToolsWhosePeersExist) {
  std::set<std::string_view> peers_known = {""};
  for (const Peer& peer : peers()) peers_known.insert(peer.name);
  for (const Tool& tool : tools()) {
    EXPECT_TRUE(peers_known.contains(tool.peer)) << tool.name;
    EXPECT_FALSE(figures_of(tool).empty()) << tool.name;
  }
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const ToolFigure& figure : tool_figures()) {
    EXPECT_TRUE(find_tool(figure.tool)) << figure.tool;
    EXPECT_TRUE(known.emplace(figure.tool, figure.figure).second) << figure.figure;
  }
}

TEST(ToolFigures, UnderOurNamesSayHowTheyDiffer) {
  const Tool& vllm = *find_tool("vllm");
  const Definition rate = definition_of(vllm, "output_tps");
  EXPECT_EQ(rate.formula, "sum of osl / wall time of the whole run");
  EXPECT_THAT(rate.difference, testing::HasSubstr(find_metric("output_tps")->formula));
  const Definition same = definition_of(*find_tool("genai-perf"), "output_tps");
  EXPECT_EQ(same.formula, find_metric("output_tps")->formula);
  EXPECT_THAT(same.difference, testing::StartsWith("the same formula; "));
}

TEST(ToolFigures, ThatAToolDoesNotHaveHaveNoDefinition) {
  const Tool& perf_analyzer = *find_tool("perf_analyzer");
  EXPECT_EQ(definition_of(perf_analyzer, "ttft_ms").formula, "");
  EXPECT_EQ(definition_of(perf_analyzer, "nothing").formula, "");
  EXPECT_THAT(figures_of(perf_analyzer), testing::Contains("request_latency_ms"));
  EXPECT_THAT(figures_of(perf_analyzer), testing::Contains("perf_analyzer_server_queue_us"));
  EXPECT_EQ(find_tool("nothing"), nullptr);
}

}  // namespace tool_figures_test
}  // namespace orch::measure
