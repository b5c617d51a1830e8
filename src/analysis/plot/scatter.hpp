// A scatter plot: grey dots, and in colour the front, whose ends have names. Does not know what is
// plotted, nor which dots are on the front.
#pragma once

#include "analysis/plot/canvas.hpp"

#include <cstdint>

namespace orch::plot {

struct Limits {
  std::optional<double> low, high;  // empty: unbounded
};

struct Dot {
  double x = 0, y = 0;
  Limits x_limits{}, y_limits{};
  std::int64_t id = 0;  // with which a page finds the dot again
  std::string name{};
  bool on_front = false;
  // Drawn as a ring: the figure is there, but something may explain it.
  bool doubtful = false;
  // Drawn as a cross: the figure does not count.
  bool invalid = false;
};

struct Scatter {
  Heading heading;
  Axis x, y;
  bool larger_x_is_better = false, larger_y_is_better = true;
  std::vector<Dot> dots;
};

Drawing draw(const Scatter& scatter);

}  // namespace orch::plot
