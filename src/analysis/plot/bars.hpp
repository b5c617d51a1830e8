// Horizontal bars in groups, with intervals, side by side or stacked. Does not know what is
// plotted.
#pragma once

#include "analysis/plot/canvas.hpp"

namespace orch::plot {

struct Bar {
  double value = 0;
  std::optional<double> low, high;  // not drawn on stacked bars
};

struct BarGroup {
  std::string name;
  std::vector<std::optional<Bar>> bars;  // one for each series
};

struct Bars {
  Heading heading;
  std::string value_title;
  std::vector<std::string> series;
  std::vector<BarGroup> groups;
  bool stacked = false;
};

Drawing draw(const Bars& bars);

}  // namespace orch::plot
