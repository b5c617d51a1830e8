#include "analysis/page/page.hpp"
#include "analysis/page/sample.hpp"
#include "analysis/plot/support.hpp"

namespace orch::page {
namespace sections_test {

using plot::count;

TEST(Sections, InvalidDisturbedAndUnsupportedFiguresLookSo) {
  const std::string table = points_table(sample::report());
  EXPECT_EQ(count(table, "<tr class=\"x\">"), 1u);
  EXPECT_EQ(count(table, "<tr class=\"w\">"), 1u);
  EXPECT_EQ(count(table, "<td class=\"u\">"), 8u);
  EXPECT_EQ(count(table, "invalid"), 1u) << "not by colour alone";
  EXPECT_EQ(count(table, "disturbed"), 1u);
}

TEST(Sections, APanelSaysWhyAPointIsInvalid) {
  const std::string panels = point_panels(sample::report());
  EXPECT_EQ(count(panels, "Invalid: the client was the bottleneck"), 1u);
  EXPECT_EQ(count(panels, "Warning: other programs used 1.4"), 1u);
}

StageFacts bench(std::string id, std::string load) {
  StageFacts facts;
  facts.id = std::move(id);
  facts.name = "bench";
  facts.kind = "measure";
  facts.command = {"bench", "--load", std::move(load)};
  return facts;
}

TEST(Sections, WordsThatCommandsShareAreWrittenOnce) {
  Report report;
  report.stages = {bench("bench-1", "4"), bench("bench-2", "8 16")};
  const std::string text = provenance(report, 10'000);
  EXPECT_EQ(count(text, "<pre>bench --load ⟨1⟩</pre>"), 1u);
  EXPECT_EQ(count(text, "<code> ⟨1⟩ 4</code>"), 1u);
  EXPECT_EQ(count(text, "<code> ⟨1⟩ &#39;8 16&#39;</code>"), 1u) << "quoted for a shell";
}

TEST(Sections, WhatTakesTooManyBytesIsLeftOutAndSaidSo) {
  Report report;
  for (int i = 0; i < 100; ++i)
    report.stages.push_back(bench(fmt::format("bench-{}", i), fmt::format("{:0100}", i)));
  const std::string text = provenance(report, 1500);
  EXPECT_EQ(count(text, "<code> "), 13u);
  EXPECT_EQ(count(text, "left out for 87 stages"), 1u);
  EXPECT_EQ(count(text, "<li id=\"s"), 100u);
}

TEST(Sections, ALargeReportSharesListsOfStages) {
  const std::string panels = point_panels(sample::report({.points = 500}));
  EXPECT_EQ(count(panels, "<p id=\"c"), 1u);
  EXPECT_EQ(count(panels, "href=\"#c0\""), 500u);
}

}  // namespace sections_test
}  // namespace orch::page
