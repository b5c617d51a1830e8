// A heat map: a cell for each pair of categories, with its number in it. Does not know what is
// plotted.
#pragma once

#include "analysis/plot/canvas.hpp"

namespace orch::plot {

struct HeatMap {
  Heading heading;
  std::string x_title, y_title;
  std::vector<std::string> columns, rows;                 // the categories, in order
  std::vector<std::vector<std::optional<double>>> cells;  // by row, then by column
};

Drawing draw(const HeatMap& map);

}  // namespace orch::plot
