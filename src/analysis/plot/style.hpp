// The colours, dashes and shapes of plots. Light colours are attributes of the drawing, so that it
// stays whole where a policy forbids style sheets; dark ones are rules for the same elements'
// classes.
#pragma once

#include "analysis/plot/markup.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace orch::plot {

// Series that can be told apart by colour alone, in normal vision and in the three dichromacies;
// further ones repeat the colours with a dash.
inline constexpr std::size_t k_colours = 4;

// A colour has a class for lines ("s" and its name) and one for areas ("f" and its name).
struct Colour {
  std::string name;
  std::string_view light;
};

Colour series_colour(std::size_t series);
// The value of stroke-dasharray; "" is a solid line.
std::string_view series_dash(std::size_t series);

extern const Colour k_ink, k_faint, k_grid, k_dot, k_paper, k_bad;

Attributes stroke(const Colour& colour);
Attributes fill(const Colour& colour);

// Steps of a heat map, from the least to the most.
inline constexpr std::size_t k_heat_steps = 7;
Attributes heat_fill(std::size_t step);
Attributes heat_ink(std::size_t step);

// Rules for the classes of every drawing, to be used under a condition such as a dark theme.
std::string dark_rules();

}  // namespace orch::plot
