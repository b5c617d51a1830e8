// Lines over an axis, with bands for intervals and names at the ends of lines.
#pragma once

#include "analysis/plot/canvas.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::plot {

struct LinePoint {
  double x = 0, y = 0;
  std::optional<double> low, high;  // the band, if both are known
};

struct Line {
  std::string name;
  std::vector<LinePoint> points;  // in order of x
};

struct Lines {
  Heading heading;
  Axis x, y;
  std::vector<Line> lines = {};
  bool has_marks = true;  // a dot at every point
};

Drawing draw(const Lines& lines);

// The cumulative distribution of each of SAMPLES on an axis where p90, p99 and p99.9 are equally
// far apart; samples need not be sorted.
struct Sample {
  std::string name;
  std::vector<double> values;
};

struct Distribution {
  Heading heading;
  Axis value;
  std::vector<Sample> samples = {};
};

Drawing draw(const Distribution& distribution);

// A scatter plot: grey dots, and in colour the front, whose ends have names. The caller decides
// which dots are on the front.

struct Limits {
  std::optional<double> low, high;  // nullopt: unbounded
};

struct Dot {
  double x = 0, y = 0;
  Limits x_limits{}, y_limits{};
  std::int64_t id = 0;  // by which a page identifies the dot
  std::string name{};
  bool on_front = false;
  // Drawn as a ring: the figure is valid, but may be due to a disturbance.
  bool doubtful = false;
  // Drawn as a cross: the figure is invalid.
  bool invalid = false;
};

struct Scatter {
  Heading heading;
  Axis x, y;
  bool larger_x_is_better = false, larger_y_is_better = true;
  std::vector<Dot> dots = {};
};

Drawing draw(const Scatter& scatter);

}  // namespace orch::plot
