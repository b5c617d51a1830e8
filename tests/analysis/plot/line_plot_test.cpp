#include "analysis/plot/line_plot.hpp"

#include "analysis/plot/support.hpp"

#include <cmath>

namespace orch::plot {
namespace line_plot_test {

using testing::ElementsAre;

Lines sample(std::size_t n) {
  Lines lines{.heading = {"l", "TTFT", "over load"},
              .x = {.title = "concurrency", .kind = ScaleKind::log},
              .y = {.title = "ms"},
              .lines = {}};
  for (std::size_t i = 0; i < n; ++i)
    lines.lines.push_back({"line " + std::to_string(i),
                           {{1, 10, 9, 11}, {2, 12, 11, 13}, {4, 20 + double(i), 19, 24}}});
  return lines;
}

TEST(LinePlot, HasALineABandAndANameForEachSeries) {
  const Drawing drawing = draw(sample(3));
  expect_accessible(drawing);
  EXPECT_EQ(count(drawing.svg, "opacity=\"0.18\""), 3u);
  EXPECT_EQ(count(drawing.svg, "stroke-linejoin"), 3u);
  for (const char* name : {">line 0<", ">line 1<", ">line 2<"})
    EXPECT_EQ(count(drawing.svg, name), 1u);
  EXPECT_EQ(drawing.rows.size(), 9u);
  EXPECT_THAT(drawing.rows[0], ElementsAre("line 0", "1", "10 (9 to 11)"));
}

TEST(LinePlot, ABandWhoseIntervalReachesZeroGoesToTheEdgeOfALogarithmicScale) {
  Lines lines = sample(1);
  lines.y.kind = ScaleKind::log;
  const auto corners = [&] {
    const std::string svg = draw(lines).svg;
    const std::string band = attributes(svg, "opacity=\"0.18\"", "d").at(0);
    return std::count(band.begin(), band.end(), 'L');
  };
  EXPECT_EQ(corners(), 5);
  lines.lines[0].points[1].low = 0;
  EXPECT_EQ(corners(), 5) << "the point is left out";
  lines.lines[0].points[0].low = -3;
  EXPECT_EQ(corners(), 5);
}

TEST(LinePlot, NamesAreAtLeast14PixelsApart) {
  Lines lines = sample(4);
  for (Line& line : lines.lines) line.points.back().y = 20;
  std::vector<double> places;
  const std::string svg = draw(lines).svg;
  for (std::size_t i = 0; i < 4; ++i)
    for (const std::string& y : attributes(svg, "class=\"f" + std::to_string(i) + "\"", "y"))
      places.push_back(std::stod(y));
  std::sort(places.begin(), places.end());
  ASSERT_EQ(places.size(), 4u);
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 13.9);
  EXPECT_LE(places.back(), 310);
}

TEST(LinePlot, TheFifthSeriesHasADash) {
  EXPECT_EQ(count(draw(sample(4)).svg, "stroke-dasharray"), 0u);
  EXPECT_EQ(count(draw(sample(5)).svg, "stroke-dasharray"), 1u);
}

TEST(LinePlot, PointsThatTheAxesCannotShowAreLeftOut) {
  Lines lines = sample(1);
  lines.lines[0].points.push_back({0, 5, {}, {}});
  lines.lines[0].points.push_back({8, NAN, {}, {}});
  const Drawing drawing = draw(lines);
  EXPECT_EQ(drawing.rows.size(), 3u);
  EXPECT_EQ(count(drawing.svg, "nan"), 0u);
  EXPECT_EQ(count(drawing.svg, "inf"), 0u);
}

TEST(DistributionPlot, EndsAtWhatTheRequestsShow) {
  Distribution distribution{
      .heading = {"d", "latency", ""}, .value = {.title = "ms"}, .samples = {{"a", {}}}};
  for (int i = 1; i <= 100; ++i) distribution.samples[0].values.push_back(101 - i);
  const Drawing drawing = draw(distribution);
  expect_accessible(drawing);
  EXPECT_EQ(count(drawing.svg, ">p99<"), 1u);
  EXPECT_EQ(count(drawing.svg, ">p99.9<"), 0u);
  EXPECT_THAT(drawing.rows, ElementsAre(ElementsAre("a", "100", "50.5", "90.1", "99.01")));
}

TEST(DistributionPlot, OneRequestOrNoneIsNoError) {
  Distribution distribution{
      .heading = {"d", "", ""}, .value = {.title = "ms"}, .samples = {{"one", {5}}, {"none", {}}}};
  const Drawing drawing = draw(distribution);
  expect_accessible(drawing);
  EXPECT_EQ(drawing.rows.size(), 1u);
}

}  // namespace line_plot_test
}  // namespace orch::plot
