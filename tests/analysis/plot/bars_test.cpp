#include "analysis/plot/bars.hpp"

#include "analysis/plot/support.hpp"

namespace orch::plot {
namespace bars_test {

using testing::ElementsAre;

Bars sample(bool stacked) {
  return {.heading = {"b", "by precision", ""},
          .value_title = "tokens/s",
          .series = {"f16", "q8_0"},
          .groups = {{"c1", {Bar{100, 90, 110}, Bar{200, {}, {}}}},
                     {"c8", {std::nullopt, Bar{400, 390, 420}}}},
          .stacked = stacked};
}

TEST(BarPlot, HasABarForEachValueAndALineForEachInterval) {
  const Drawing drawing = draw(sample(false));
  expect_accessible(drawing);
  EXPECT_EQ(count(drawing.svg, "<rect"), 2u /* the key */ + 3u);
  EXPECT_EQ(count(drawing.svg, "stroke-width=\"2\""), 2u);
  EXPECT_THAT(drawing.columns, ElementsAre("", "f16", "q8_0"));
  EXPECT_THAT(drawing.rows, ElementsAre(ElementsAre("c1", "100 (90 to 110)", "200"),
                                        ElementsAre("c8", "-", "400 (390 to 420)")));
}

TEST(BarPlot, StackedBarsBeginWhereTheOneBeforeEnds) {
  const std::string svg = draw(sample(true)).svg;
  const auto x = attributes(svg, "height=\"10\"", "x"),
             width = attributes(svg, "height=\"10\"", "width");
  ASSERT_EQ(x.size(), 5u);
  EXPECT_NEAR(std::stod(x[2]) + std::stod(width[2]), std::stod(x[3]), 0.11);
  EXPECT_EQ(count(svg, ">300<"), 1u) << "the sum of the first group";
}

TEST(BarPlot, HostileTextsStayText) {
  Bars bars = sample(false);
  bars.series = {k_hostile, k_hostile};
  for (BarGroup& group : bars.groups) group.name = k_hostile;
  const Drawing drawing = draw(bars);
  expect_accessible(drawing);
  EXPECT_EQ(count(drawing.svg, "<script"), 0u);
}

}  // namespace bars_test
}  // namespace orch::plot
