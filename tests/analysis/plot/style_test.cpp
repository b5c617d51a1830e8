#include "analysis/plot/markup.hpp"
#include "analysis/plot/support.hpp"

#include <set>

namespace orch::plot {
namespace style_test {

TEST(Style, EveryClassOfADrawingHasADarkRule) {
  const std::string rules = dark_rules();
  for (const Colour& colour : {k_ink, k_faint, k_grid, k_dot, k_paper, k_bad, series_colour(0),
                               series_colour(1), series_colour(2), series_colour(3)}) {
    EXPECT_EQ(count(rules, ".s" + colour.name + "{stroke:"), 1u);
    EXPECT_EQ(count(rules, ".f" + colour.name + "{fill:"), 1u);
    EXPECT_EQ(stroke(colour)[0].value, "s" + colour.name);
    EXPECT_EQ(fill(colour)[0].value, "f" + colour.name);
  }
  for (std::size_t i = 0; i < k_heat_steps; ++i) {
    EXPECT_EQ(count(rules, "." + heat_fill(i)[0].value + "{"), 1u);
    EXPECT_EQ(count(rules, "." + heat_ink(i)[0].value + "{"), 1u);
  }
}

TEST(Style, SeriesBeyondTheColoursRepeatThemWithAnotherDash) {
  std::set<std::pair<std::string, std::string_view>> looks;
  for (std::size_t i = 0; i < 3 * k_colours; ++i)
    looks.emplace(series_colour(i).name, series_dash(i));
  EXPECT_EQ(looks.size(), 3 * k_colours);
}

double luminance(std::string_view colour) {
  double out = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (int i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    out += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return out;
}

double contrast(std::string_view a, std::string_view b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Style, LinesAndTextsHaveTheContrastThatWcagAsks) {
  for (std::size_t i = 0; i < k_colours; ++i)
    EXPECT_GE(contrast(series_colour(i).light, k_paper.light), 4.4) << i;
  for (const Colour& colour : {k_ink, k_faint, k_bad})
    EXPECT_GE(contrast(colour.light, k_paper.light), 4.5) << colour.name;
  for (std::size_t i = 0; i < k_heat_steps; ++i)
    EXPECT_GE(contrast(heat_fill(i)[1].value, heat_ink(i)[1].value), 4.5) << "step " << i;
}

}  // namespace style_test
}  // namespace orch::plot
