#include "analysis/plot/line_plot.hpp"

#include <cmath>

namespace orch::plot {

namespace {

std::string points_path(const Canvas& canvas, const std::vector<LinePoint>& points) {
  std::string path;
  for (const LinePoint& point : points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(canvas.x()(point.x)),
                        coordinate(canvas.y()(point.y)));
  return path;
}

// The path of the area between the limits. Leaves out points that lack a limit. A limit that the
// scale cannot show, such as 0 on a logarithmic scale, is drawn below the lower edge.
std::string band_path(const Canvas& canvas, const std::vector<LinePoint>& points) {
  std::string up, down;
  for (const LinePoint& point : points) {
    if (!point.low || !point.high) continue;
    const auto at = [&](double y) {
      const double row = canvas.y().shows(y) ? canvas.y()(y) : canvas.rows().high;
      return fmt::format("{} {}", coordinate(canvas.x()(point.x)),
                         coordinate(std::clamp(row, canvas.rows().low, canvas.rows().high)));
    };
    up += (up.empty() ? "M" : "L") + at(*point.high);
    down = "L" + at(*point.low) + down;
  }
  return up.find('L') == std::string::npos ? "" : up + down + "Z";
}

void draw_line(Canvas& canvas, const Line& line, std::size_t index, bool has_marks) {
  const Colour colour = series_colour(index);
  Attributes attributes = stroke(colour) + Attributes{{"d", points_path(canvas, line.points)},
                                                      {"fill", "none"},
                                                      {"stroke-width", "1.8"},
                                                      {"stroke-linejoin", "round"}};
  if (const auto dash = series_dash(index); !dash.empty())
    attributes.emplace_back("stroke-dasharray", dash);
  canvas.markup().leaf("path", attributes);
  if (!has_marks) return;
  std::string dots;
  for (const LinePoint& point : line.points)
    dots +=
        fmt::format("M{} {}h0", coordinate(canvas.x()(point.x)), coordinate(canvas.y()(point.y)));
  canvas.markup().leaf(
      "path",
      stroke(colour) + Attributes{{"d", dots}, {"stroke-width", "6"}, {"stroke-linecap", "round"}});
}

std::vector<std::vector<std::string>> table_of(const std::vector<Line>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const Line& line : lines)
    for (const LinePoint& point : line.points)
      rows.push_back({line.name, number(point.x), with_limits(point.y, point.low, point.high)});
  return rows;
}

// The points of LINES that the axes can show.
std::vector<Line> shown(const Lines& lines) {
  const Scale x(lines.x.kind, {1, 2}, {0, 1}), y(lines.y.kind, {1, 2}, {0, 1});
  std::vector<Line> out;
  for (Line line : lines.lines) {
    std::erase_if(line.points,
                  [&](const LinePoint& point) { return !x.shows(point.x) || !y.shows(point.y); });
    if (!line.points.empty()) out.push_back(std::move(line));
  }
  return out;
}

// The fractions at which a distribution of N values is drawn: dense near 1, but not closer to 1
// than N values can show.
std::vector<double> fractions_for(std::size_t n) {
  std::vector<double> out;
  const double end = std::log10(static_cast<double>(n));
  constexpr double k_step = 0.02;
  for (double nines = 0; nines < end; nines += k_step) out.push_back(1 - std::pow(10, -nines));
  out.push_back(1 - std::pow(10, -end));
  return out;
}

// The quantile by linear interpolation between order statistics.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

// If more dots than this are not on the front, they have no intervals: these would hide the dots.
constexpr std::size_t k_most_intervals = 40;

// The part of a dot in the path of all dots of its kind.
std::string mark(const Dot& dot, double x, double y) {
  const std::string at = fmt::format("M{} {}", coordinate(x), coordinate(y));
  if (dot.invalid) return at + "m-3 -3l6 6m-6 0l6 -6";
  if (dot.doubtful) return at + "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0";
  return at + "h0";
}

class ScatterPlot {
 public:
  explicit ScatterPlot(const Scatter& scatter)
      : scatter_(scatter),
        canvas_(scatter.heading, Size{}, margins_for(names_of(scatter))),
        shows_all_intervals_(scatter.dots.size() <= k_most_intervals) {}

  Drawing draw() {
    std::vector<double> xs, ys;
    for (const Dot& dot : scatter_.dots) {
      add_reach(xs, dot.x, dot.x_limits, dot);
      add_reach(ys, dot.y, dot.y_limits, dot);
    }
    canvas_.axes(scatter_.x, scatter_.x.range.value_or(range_of(xs, scatter_.x.kind)), scatter_.y,
                 scatter_.y.range.value_or(range_of(ys, scatter_.y.kind)));
    for (const Dot& dot : scatter_.dots)
      if (canvas_.x().shows(dot.x) && canvas_.y().shows(dot.y))
        (dot.on_front ? front_ : others_).push_back(&dot);
    sort_front();
    intervals();
    dots(others_, k_dot, 5);
    front_line();
    dots(front_, series_colour(0), 7);
    names();
    return {canvas_.take(), {"on the front", scatter_.x.title, scatter_.y.title}, table()};
  }

 private:
  static std::vector<std::string> names_of(const Scatter& scatter) {
    std::vector<std::string> out;
    for (const Dot& dot : scatter.dots)
      if (dot.on_front) out.push_back(dot.name);
    return out;
  }

  // Adds the values of DOT that the axis must show: the figure, and the interval if it is drawn.
  void add_reach(std::vector<double>& out, double value, const Limits& limits,
                 const Dot& dot) const {
    out.push_back(value);
    if (!dot.on_front && !shows_all_intervals_) return;
    if (limits.low) out.push_back(*limits.low);
    if (limits.high) out.push_back(*limits.high);
  }

  // Sorts the front by x, the best first, so that y improves from dot to dot.
  void sort_front() {
    std::ranges::sort(front_, [this](const Dot* a, const Dot* b) {
      if (a->x != b->x) return scatter_.larger_x_is_better ? a->x > b->x : a->x < b->x;
      return scatter_.larger_y_is_better ? a->y < b->y : a->y > b->y;
    });
  }

  std::string interval(const Dot& dot) const {
    const Range wide = canvas_.columns(), tall = canvas_.rows();
    const double x = canvas_.x()(dot.x), y = canvas_.y()(dot.y);
    const auto end = [](const Scale& scale, std::optional<double> value, double edge, Range area) {
      return std::clamp(value && scale.shows(*value) ? scale(*value) : edge, area.low, area.high);
    };
    std::string path;
    if (dot.x_limits.low || dot.x_limits.high)
      path += line_path(end(canvas_.x(), dot.x_limits.low, wide.low, wide), y,
                        end(canvas_.x(), dot.x_limits.high, wide.high, wide), y);
    if (dot.y_limits.low || dot.y_limits.high)
      path += line_path(x, end(canvas_.y(), dot.y_limits.low, tall.high, tall), x,
                        end(canvas_.y(), dot.y_limits.high, tall.low, tall));
    return path;
  }

  void intervals() {
    std::string path;
    if (shows_all_intervals_)
      for (const Dot* dot : others_) path += interval(*dot);
    if (!path.empty())
      canvas_.markup().leaf("path", stroke(k_dot) + Attributes{{"d", path}, {"opacity", "0.55"}});
    path.clear();
    for (const Dot* dot : front_) path += interval(*dot);
    if (!path.empty())
      canvas_.markup().leaf("path",
                            stroke(series_colour(0)) + Attributes{{"d", path}, {"opacity", "0.7"}});
  }

  // Draws one path for each kind of mark. `data-ids` has the order of the path's commands.
  void dots(const std::vector<const Dot*>& dots, const Colour& colour, double width) {
    for (const int kind : {0, 1, 2}) {
      std::string path, ids;
      for (const Dot* dot : dots) {
        if ((dot->invalid ? 2 : dot->doubtful ? 1 : 0) != kind) continue;
        path += mark(*dot, canvas_.x()(dot->x), canvas_.y()(dot->y));
        ids += fmt::format("{}{}", ids.empty() ? "" : " ", dot->id);
      }
      if (path.empty()) continue;
      const Colour& drawn = kind == 2 ? k_bad : colour;
      canvas_.markup().leaf("path", stroke(drawn) + Attributes{{"d", path},
                                                               {"data-ids", ids},
                                                               {"fill", "none"},
                                                               {"stroke-width", kind ? 1.5 : width},
                                                               {"stroke-linecap", "round"}});
    }
  }

  // Draws steps along the boundary of what the front beats.
  void front_line() {
    std::string path;
    for (const Dot* dot : front_) {
      const double x = canvas_.x()(dot->x), y = canvas_.y()(dot->y);
      if (path.empty()) path = fmt::format("M{} {}", coordinate(x), coordinate(y));
      else path += fmt::format("H{}V{}", coordinate(x), coordinate(y));
    }
    if (front_.size() < 2) return;
    canvas_.markup().leaf("path",
                          stroke(series_colour(0)) +
                              Attributes{{"d", path}, {"fill", "none"}, {"stroke-width", "1.5"}});
  }

  void names() {
    std::vector<EndName> names;
    if (!front_.empty())
      names.push_back({canvas_.y()(front_.back()->y), front_.back()->name, series_colour(0)});
    if (front_.size() > 1)
      names.push_back({canvas_.y()(front_.front()->y), front_.front()->name, series_colour(0)});
    canvas_.end_names(names);
  }

  std::vector<std::vector<std::string>> table() const {
    std::vector<std::vector<std::string>> rows;
    for (const Dot* dot : front_)
      rows.push_back({dot->name, with_limits(dot->x, dot->x_limits.low, dot->x_limits.high),
                      with_limits(dot->y, dot->y_limits.low, dot->y_limits.high)});
    return rows;
  }

  const Scatter& scatter_;
  Canvas canvas_;
  const bool shows_all_intervals_;  // not only those of the front
  std::vector<const Dot*> front_, others_;
};

}  // namespace

Drawing draw(const Lines& lines) {
  const std::vector<Line> kept = shown(lines);
  std::vector<double> xs, ys;
  for (const Line& line : kept)
    for (const LinePoint& point : line.points) {
      xs.push_back(point.x);
      ys.push_back(point.y);
      if (point.high) ys.push_back(*point.high);
      if (point.low) ys.push_back(*point.low);
    }
  std::vector<std::string> texts;
  for (const Line& line : kept) texts.push_back(line.name);
  Canvas canvas(lines.heading, Size{}, margins_for(texts));
  canvas.axes(lines.x, lines.x.range.value_or(range_of(xs, lines.x.kind)), lines.y,
              lines.y.range.value_or(range_of(ys, lines.y.kind)));
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (const std::string band = band_path(canvas, kept[i].points); !band.empty())
      canvas.markup().leaf("path",
                           fill(series_colour(i)) + Attributes{{"d", band}, {"opacity", "0.18"}});
  std::vector<EndName> names;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    draw_line(canvas, kept[i], i, lines.has_marks);
    names.push_back({canvas.y()(kept[i].points.back().y), kept[i].name, series_colour(i)});
  }
  canvas.end_names(names);
  return {canvas.take(), {"series", lines.x.title, lines.y.title}, table_of(kept)};
}

Drawing draw(const Distribution& distribution) {
  Lines lines{.heading = distribution.heading,
              .x = {.title = "percentile", .kind = ScaleKind::nines},
              .y = distribution.value,
              .has_marks = false};
  std::vector<std::vector<std::string>> rows;
  for (const Sample& sample : distribution.samples) {
    std::vector<double> sorted = sample.values;
    std::ranges::sort(sorted);
    if (sorted.empty()) continue;
    Line& line = lines.lines.emplace_back(Line{sample.name, {}});
    for (const double fraction : fractions_for(sorted.size()))
      line.points.push_back({fraction, quantile(sorted, fraction), {}, {}});
    rows.push_back({sample.name, std::to_string(sorted.size())});
    for (const double fraction : {0.5, 0.9, 0.99})
      rows.back().push_back(number(quantile(sorted, fraction)));
  }
  Drawing drawing = draw(lines);
  drawing.columns = {"series", "requests", "p50", "p90", "p99"};
  drawing.rows = std::move(rows);
  return drawing;
}

Drawing draw(const Scatter& scatter) { return ScatterPlot(scatter).draw(); }

}  // namespace orch::plot
