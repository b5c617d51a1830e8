#include "analysis/plot/line_plot.hpp"

#include <algorithm>
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

// The area between the limits. Points without both are left out. A limit that the scale cannot
// show, such as 0 on a logarithmic one, is beyond the lower edge.
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

// What the axes can show.
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

// Fractions at which a distribution is drawn: dense near 1, and nothing beyond what N values show.
std::vector<double> fractions_for(std::size_t n) {
  std::vector<double> out;
  const double end = std::log10(static_cast<double>(n));
  constexpr double k_step = 0.02;
  for (double nines = 0; nines < end; nines += k_step) out.push_back(1 - std::pow(10, -nines));
  out.push_back(1 - std::pow(10, -end));
  return out;
}

// By linear interpolation between order statistics.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

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
              .lines = {},
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

}  // namespace orch::plot
