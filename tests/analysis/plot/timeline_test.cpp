#include "analysis/plot/bars.hpp"
#include "analysis/plot/support.hpp"

namespace orch::plot {
namespace timeline_test {

using testing::ElementsAre;

Timeline sample(std::vector<Span> spans) {
  return {.heading = {"t", "run", ""}, .series = {"task", "service"}, .spans = std::move(spans)};
}

// Without those of the key.
std::size_t spans_in(const Drawing& drawing) { return count(drawing.svg, "<rect") - 2; }

TEST(TimelinePlot, SpansThatOverlapGetLanesOfTheirOwn) {
  const Drawing apart = draw(sample({{"a", 0, 10}, {"a", 20, 30}}));
  const Drawing over = draw(sample({{"a", 0, 10}, {"a", 5, 30}}));
  expect_accessible(apart);
  const auto lanes = [](const Drawing& drawing) {
    const auto y = attributes(drawing.svg, "<rect", "y");
    return std::set<std::string>(y.begin() + 2, y.end()).size();
  };
  EXPECT_EQ(lanes(apart), 1u);
  EXPECT_EQ(lanes(over), 2u);
  EXPECT_THAT(over.rows, ElementsAre(ElementsAre("a", "2", "0", "35")));
}

TEST(TimelinePlot, NeighboursThatTouchAreOneRectangle) {
  std::vector<Span> spans;
  for (int i = 0; i < 1000; ++i) spans.push_back({"a", i * 1.0, i + 1.0});
  EXPECT_EQ(spans_in(draw(sample(spans))), 1u);
  spans[500].failed = true;
  EXPECT_EQ(spans_in(draw(sample(spans))), 3u) << "the failed one stays visible";
}

TEST(TimelinePlot, AFailedSpanHasTheColourOfWhatIsBad) {
  const Drawing drawing = draw(sample({{"a", 0, 10}, {"a", 20, 30, 1, true}}));
  EXPECT_EQ(count(drawing.svg, "class=\"fb\""), 1u);
  EXPECT_THAT(drawing.rows, ElementsAre(ElementsAre("a", "2", "1", "20")));
}

TEST(TimelinePlot, WithoutSpansThereIsAPlot) { expect_accessible(draw(sample({}))); }

}  // namespace timeline_test
}  // namespace orch::plot
