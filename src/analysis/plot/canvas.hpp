// What every plot has: a title and a description for screen readers, axes, and names at the ends of
// lines. Knows no kind of plot.
#pragma once

#include "analysis/plot/markup.hpp"
#include "analysis/plot/scale.hpp"
#include "analysis/plot/style.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::plot {

// ID is unique in the page, of letters, digits and '-'.
struct Heading {
  std::string id, title, description;
};

struct Axis {
  std::string title;  // with unit and, of a figure, which direction is better
  ScaleKind kind = ScaleKind::linear;
  std::optional<Range> range{};  // empty: from the data
};

// The drawing, and what it shows as a table, for readers who do not see it.
struct Drawing {
  std::string svg;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
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

// The margins that give the names right of a plot their room.
Margins margins_for(const std::vector<std::string>& names);

class Canvas {
 public:
  Canvas(const Heading& heading, Size size, Margins margins = {});

  // Draws both axes with ticks and grid. X and Y are valid from then on.
  void axes(const Axis& x, Range x_range, const Axis& y, Range y_range);
  const Scale& x() const { return *x_; }
  const Scale& y() const { return *y_; }
  // The area between the axes.
  Range columns() const { return {margins_.left, size_.width - margins_.right}; }
  Range rows() const { return {margins_.top, size_.height - margins_.bottom}; }

  void text(double x, double y, std::string_view text, const Attributes& attributes);
  // The names right of the area, moved apart where they would overlap, each with a line to its
  // place.
  void end_names(std::vector<EndName> names);
  // What the colours stand for, in one line at the top.
  void key(const std::vector<std::string>& names);
  Markup& markup() { return markup_; }
  std::string take() { return markup_.take(); }

 private:
  Size size_;
  Margins margins_;
  Markup markup_;
  std::optional<Scale> x_, y_;
};

// At most MOST characters of TEXT; a longer one keeps its beginning and its end.
std::string shortened(const std::string& text, std::size_t most);
// A line from A to B as the commands of a path.
std::string line_path(double x1, double y1, double x2, double y2);
// "12 (10 to 14)"; an empty limit is unbounded: "12 (at least 10)".
std::string with_limits(double value, std::optional<double> low, std::optional<double> high);

}  // namespace orch::plot
