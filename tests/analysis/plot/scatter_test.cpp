#include "analysis/plot/line_plot.hpp"
#include "analysis/plot/support.hpp"

namespace orch::plot {
namespace scatter_test {

using testing::ElementsAre;

Scatter sample() {
  return {.heading = {"f", "throughput", "three points"},
          .x = {.title = "latency, ms", .kind = ScaleKind::log},
          .y = {.title = "tokens/s", .kind = ScaleKind::log},
          .dots = {{.x = 10,
                    .y = 100,
                    .x_limits = {},
                    .y_limits = {},
                    .id = 7,
                    .name = "slow and small",
                    .on_front = true},
                   {.x = 20,
                    .y = 300,
                    .x_limits = {18, 22},
                    .y_limits = {},
                    .id = 8,
                    .name = "large",
                    .on_front = true},
                   {.x = 30, .y = 200, .x_limits = {}, .y_limits = {}, .id = 9, .name = "beaten"},
                   {.x = 25,
                    .y = 150,
                    .x_limits = {},
                    .y_limits = {},
                    .id = 10,
                    .name = "warned",
                    .doubtful = true},
                   {.x = 15,
                    .y = 400,
                    .x_limits = {},
                    .y_limits = {},
                    .id = 11,
                    .name = "not valid",
                    .invalid = true}}};
}

TEST(ScatterPlot, HasOnePathForTheDotsOfEachKind) {
  const Drawing drawing = draw(sample());
  expect_accessible(drawing);
  EXPECT_THAT(attributes(drawing.svg, "data-ids", "data-ids"), ElementsAre("9", "10", "11", "7 8"));
  EXPECT_EQ(count(drawing.svg, "<circle"), 0u);
}

TEST(ScatterPlot, NamesTheEndsOfTheFrontAndNoOtherDot) {
  const Drawing drawing = draw(sample());
  EXPECT_EQ(count(drawing.svg, "slow and small"), 1u);
  EXPECT_EQ(count(drawing.svg, "large"), 1u);
  EXPECT_EQ(count(drawing.svg, "beaten"), 0u);
}

TEST(ScatterPlot, TheFrontIsDrawnInSteps) {
  const Drawing drawing = draw(sample());
  const auto paths = attributes(drawing.svg, "stroke-width=\"1.5\"", "d");
  ASSERT_FALSE(paths.empty());
  EXPECT_EQ(count(paths.back(), "H"), 1u);
  EXPECT_EQ(count(paths.back(), "V"), 1u);
}

TEST(ScatterPlot, InvalidDotsAreCrossesAndDoubtfulOnesRings) {
  const Drawing drawing = draw(sample());
  EXPECT_EQ(count(attributes(drawing.svg, "data-ids=\"11\"", "d").at(0), "l6 6"), 1u);
  EXPECT_EQ(count(attributes(drawing.svg, "data-ids=\"10\"", "d").at(0), "a3 3"), 2u);
  EXPECT_EQ(count(attributes(drawing.svg, "data-ids=\"9\"", "d").at(0), "h0"), 1u);
}

TEST(ScatterPlot, TheTableHasTheFrontWithItsIntervals) {
  EXPECT_THAT(draw(sample()).rows, ElementsAre(ElementsAre("slow and small", "10", "100"),
                                               ElementsAre("large", "20 (18 to 22)", "300")));
}

TEST(ScatterPlot, AnUnboundedIntervalReachesTheEdge) {
  Scatter scatter = sample();
  scatter.dots[1].x_limits = {18, {}};
  const Drawing drawing = draw(scatter);
  EXPECT_EQ(drawing.rows[1][1], "20 (at least 18)");
  EXPECT_NE(attributes(drawing.svg, "opacity=\"0.7\"", "d").at(0).find("L"), std::string::npos);
}

TEST(ScatterPlot, HostileTextsStayText) {
  Scatter scatter = sample();
  scatter.heading = {"f", k_hostile, k_hostile};
  scatter.x.title = scatter.y.title = k_hostile;
  for (Dot& dot : scatter.dots) dot.name = k_hostile;
  const Drawing drawing = draw(scatter);
  expect_accessible(drawing);
  EXPECT_EQ(count(drawing.svg, "<script"), 0u);
  EXPECT_EQ(count(drawing.svg, "<img"), 0u);
  EXPECT_EQ(count(drawing.svg, "</svg>"), 1u);
}

TEST(ScatterPlot, WithoutDotsOrWithFiguresThatNoAxisShowsThereIsAPlot) {
  Scatter scatter = sample();
  for (Dot& dot : scatter.dots) dot.y = 0;
  expect_accessible(draw(scatter));
  scatter.dots.clear();
  expect_accessible(draw(scatter));
}

}  // namespace scatter_test
}  // namespace orch::plot
