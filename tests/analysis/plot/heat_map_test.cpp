#include "analysis/plot/bars.hpp"
#include "analysis/plot/support.hpp"

namespace orch::plot {
namespace heat_map_test {

using testing::ElementsAre;

TEST(HeatMapPlot, ACellHasItsNumberAndAColourByItsRank) {
  const Drawing drawing = draw(HeatMap{.heading = {"h", "best", ""},
                                       .x_title = "isl",
                                       .y_title = "osl",
                                       .columns = {"32", "128"},
                                       .rows = {"32", "64"},
                                       .cells = {{100, 200}, {std::nullopt, 800}}});
  expect_accessible(drawing);
  EXPECT_EQ(count(drawing.svg, "<rect"), 3u);
  EXPECT_THAT(attributes(drawing.svg, "<rect", "class"), ElementsAre("h0", "h1", "h6"));
  for (const char* text : {">100<", ">200<", ">800<"}) EXPECT_EQ(count(drawing.svg, text), 1u);
  EXPECT_THAT(drawing.rows,
              ElementsAre(ElementsAre("32", "100", "200"), ElementsAre("64", "-", "800")));
}

TEST(HeatMapPlot, WithoutOrWithOneValueThereIsAPlot) {
  expect_accessible(draw(HeatMap{.heading = {"h", "", ""},
                                 .x_title = "",
                                 .y_title = "osl",
                                 .columns = {"1"},
                                 .rows = {"1"},
                                 .cells = {{std::nullopt}}}));
  expect_accessible(draw(HeatMap{.heading = {"h", "", ""},
                                 .x_title = "",
                                 .y_title = "osl",
                                 .columns = {"1"},
                                 .rows = {"1"},
                                 .cells = {{7}}}));
}

}  // namespace heat_map_test
}  // namespace orch::plot
