// Horizontal bars in groups, with intervals, side by side or stacked.
#pragma once

#include "analysis/plot/canvas.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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
  std::vector<BarGroup> groups = {};
  bool stacked = false;
};

Drawing draw(const Bars& bars);

// A heat map: a cell for each pair of categories, with its number in it.

struct HeatMap {
  Heading heading;
  std::string x_title, y_title;
  std::vector<std::string> columns = {}, rows = {};            // the categories, in order
  std::vector<std::vector<std::optional<double>>> cells = {};  // by row, then by column
};

Drawing draw(const HeatMap& map);

// Spans of time in lanes; overlapping spans of a lane get additional lanes below it.

struct Span {
  std::string lane;
  double begin_s = 0, end_s = 0;
  std::size_t series = 0;  // index into Timeline::series
  bool failed = false;     // drawn in the colour for failures, and with a border
};

struct Timeline {
  Heading heading;
  std::vector<std::string> series = {};  // the meaning of the colours
  std::vector<Span> spans = {};          // lanes in the order of their first span
};

Drawing draw(const Timeline& timeline);

}  // namespace orch::plot
