// Shared by all plots: a title and a description for screen readers, axes, and names at the ends of
// lines.
#pragma once

#include "analysis/plot/markup.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::plot {

// Scales map values to pixels, with ticks at 1, 2 and 5 times powers of ten.

enum class ScaleKind {
  linear,
  log,
  // A fraction F below 1 is at -log10(1 - F), so that p90, p99 and p99.9 are equally far apart.
  nines,
};

struct Tick {
  double value = 0;
  std::string label;
};

struct Range {
  double low = 0, high = 0;
};

// From the least to the largest of VALUES, with room on both sides, so that no mark is on an axis.
// A linear range of values of one sign begins at 0. Ignores values that the scale cannot show (not
// finite; not above 0 on a log scale); if no values are left, returns a range around 1.
Range range_of(std::span<const double> values, ScaleKind kind);

class Scale {
 public:
  // The low end of RANGE is at the low end of PIXELS, the high end at the high end.
  Scale(ScaleKind kind, Range range, Range pixels);

  double operator()(double value) const;
  bool shows(double value) const;
  // At most MOST ticks; at least two if the range contains two round numbers.
  std::vector<Tick> ticks(std::size_t most) const;
  Range range() const { return range_; }

 private:
  ScaleKind kind_;
  Range range_, pixels_;
};

// A number on an axis or in a cell, with at most DIGITS significant digits: "1,250", "0.02".
std::string number(double value, int digits = 4);

// ID is unique in the page and consists of letters, digits and '-'.
struct Heading {
  std::string id, title, description;
};

struct Axis {
  std::string title;  // with its unit and, for a metric, which direction is better
  ScaleKind kind = ScaleKind::linear;
  std::optional<Range> range{};  // nullopt: from the data
};

// A drawing, and its content as a table for readers who cannot see it.
struct Drawing {
  std::string svg = {};
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows = {};
};

struct Size {
  double width = 500, height = 310;
};

struct Margins {
  double left = 56, right = 92, top = 26, bottom = 40;
};

// A name at the right end of a line.
struct EndName {
  double y = 0;
  std::string text;
  Colour colour;
};

// Margins that leave room for the names to the right of a plot.
Margins margins_for(const std::vector<std::string>& names);

class Canvas {
 public:
  Canvas(const Heading& heading, Size size, Margins margins = {});

  // Draws both axes with ticks and grid. x() and y() may be called only after this.
  void axes(const Axis& x, Range x_range, const Axis& y, Range y_range);
  const Scale& x() const { return *x_; }
  const Scale& y() const { return *y_; }
  // The area between the axes.
  Range columns() const { return {margins_.left, size_.width - margins_.right}; }
  Range rows() const { return {margins_.top, size_.height - margins_.bottom}; }

  void text(double x, double y, std::string_view text, const Attributes& attributes);
  // Draws names to the right of the area, moved apart if they would overlap, each with a line to
  // its point.
  void end_names(std::vector<EndName> names);
  // Draws the legend of the colours, in one line at the top.
  void key(const std::vector<std::string>& names);
  Markup& markup() { return markup_; }
  std::string take() { return markup_.take(); }

 private:
  Size size_;
  Margins margins_;
  Markup markup_;
  std::optional<Scale> x_, y_;
};

// TEXT in at most MOST characters; a longer text keeps its beginning and end.
std::string shortened(const std::string& text, std::size_t most);
// A line from (X1, Y1) to (X2, Y2) as path commands.
std::string line_path(double x1, double y1, double x2, double y2);
// "12 (10 to 14)"; a nullopt limit is unbounded: "12 (at least 10)".
std::string with_limits(double value, std::optional<double> low, std::optional<double> high);

}  // namespace orch::plot
