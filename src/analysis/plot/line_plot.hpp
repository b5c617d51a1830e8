// Lines over an axis, with bands for intervals and names at their ends. Does not know what is
// plotted.
#pragma once

#include "analysis/plot/canvas.hpp"

namespace orch::plot {

struct LinePoint {
  double x = 0, y = 0;
  std::optional<double> low, high;  // the band, where both are known
};

struct Line {
  std::string name;
  std::vector<LinePoint> points;  // in order of x
};

struct Lines {
  Heading heading;
  Axis x, y;
  std::vector<Line> lines;
  bool has_marks = true;  // a dot at every point
};

Drawing draw(const Lines& lines);

// The cumulative distribution of each of SAMPLES on an axis where p90, p99 and p99.9 are equally
// far apart; samples need no order.
struct Sample {
  std::string name;
  std::vector<double> values;
};

struct Distribution {
  Heading heading;
  Axis value;
  std::vector<Sample> samples;
};

Drawing draw(const Distribution& distribution);

}  // namespace orch::plot
