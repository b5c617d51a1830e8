#include "analysis/plot/canvas.hpp"

#include "analysis/plot/support.hpp"

namespace orch::plot {
namespace canvas_test {

TEST(Canvas, ALongNameKeepsItsBeginningAndItsEnd) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("abcdefghijklmnop", 10), "abcdef…nop");
  EXPECT_EQ(shortened("ééééééééééééééé", 5), "ééé…é");
}

TEST(Canvas, LimitsAreWritten) {
  EXPECT_EQ(with_limits(12, 10, 14), "12 (10 to 14)");
  EXPECT_EQ(with_limits(12, 10, {}), "12 (at least 10)");
  EXPECT_EQ(with_limits(12, {}, 14), "12 (at most 14)");
  EXPECT_EQ(with_limits(12, {}, {}), "12");
}

TEST(Canvas, LabelsOfAnAxisDoNotTouch) {
  Canvas canvas({"c", "", ""}, Size{});
  canvas.axes({.title = "x"}, {1'000'000, 1'000'006}, {.title = "y"}, {0, 1});
  const std::string svg = canvas.take();
  std::vector<double> at;
  for (const std::string& x : attributes(svg, "text-anchor=\"middle\"", "x"))
    at.push_back(std::stod(x));
  ASSERT_GE(at.size(), 2u);
  for (std::size_t i = 1; i < at.size(); ++i) EXPECT_GT(at[i] - at[i - 1], 9 * 6);
}

}  // namespace canvas_test
}  // namespace orch::plot
