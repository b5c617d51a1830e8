#include "analysis/plot/canvas.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orch::plot {

namespace {

constexpr double k_name_distance = 14;  // between the base lines of two names
constexpr double k_character = 6.7;     // the mean width of a character at 11 px

}  // namespace

std::string shortened(const std::string& text, std::size_t most) {
  std::vector<std::size_t> begins;  // of characters
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) >> 6) != 2) begins.push_back(i);
  if (begins.size() <= most) return text;
  const std::size_t head = most * 2 / 3, tail = most - head - 1;
  return text.substr(0, begins[head]) + "…" + text.substr(begins[begins.size() - tail]);
}

Margins margins_for(const std::vector<std::string>& names) {
  constexpr double k_least = 24, k_most = 170;
  double widest = 0;
  for (const std::string& name : names)
    widest = std::max(widest, static_cast<double>(printable_line(name).size()) * k_character + 14);
  return {.right = std::clamp(widest, k_least, k_most)};
}

std::string line_path(double x1, double y1, double x2, double y2) {
  return fmt::format("M{} {}L{} {}", coordinate(x1), coordinate(y1), coordinate(x2),
                     coordinate(y2));
}

std::string with_limits(double value, std::optional<double> low, std::optional<double> high) {
  const std::string text = number(value);
  if (low && high) return fmt::format("{} ({} to {})", text, number(*low), number(*high));
  if (low) return fmt::format("{} (at least {})", text, number(*low));
  if (high) return fmt::format("{} (at most {})", text, number(*high));
  return text;
}

Canvas::Canvas(const Heading& heading, Size size, Margins margins)
    : size_(size), margins_(margins) {
  const std::string title = heading.id + "-t", description = heading.id + "-d";
  markup_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"id", heading.id},
                       {"viewBox",
                        fmt::format("0 0 {} {}", coordinate(size.width), coordinate(size.height))},
                       {"role", "img"},
                       {"aria-labelledby", title + " " + description},
                       {"font-family", "system-ui, 'DejaVu Sans', sans-serif"},
                       {"font-size", "11"}});
  markup_.element("title", {{"id", title}}, heading.title);
  markup_.element("desc", {{"id", description}}, heading.description);
}

void Canvas::text(double x, double y, std::string_view text, const Attributes& attributes) {
  markup_.element("text", Attributes{{"x", x}, {"y", y}} + attributes, text);
}

void Canvas::axes(const Axis& x, Range x_range, const Axis& y, Range y_range) {
  const Range wide = columns(), tall = rows();
  x_.emplace(x.kind, x_range, wide);
  y_.emplace(y.kind, y_range, Range{tall.high, tall.low});
  std::string grid;
  const Attributes below = fill(k_faint) + Attributes{{"text-anchor", "middle"}};
  const Attributes beside = fill(k_faint) + Attributes{{"text-anchor", "end"}};
  double last = -1e9;
  for (const Tick& tick : x_->ticks(7)) {
    const double at = (*x_)(tick.value);
    if (at < wide.low - 0.5 || at > wide.high + 0.5) continue;
    grid += line_path(at, tall.low, at, tall.high);
    const double half = static_cast<double>(tick.label.size()) * k_character / 2;
    if (at - half < last + 4) continue;  // the label would touch the one before
    last = at + half;
    text(at, tall.high + 15, tick.label, below);
  }
  for (const Tick& tick : y_->ticks(7)) {
    const double at = (*y_)(tick.value);
    if (at < tall.low - 0.5 || at > tall.high + 0.5) continue;
    grid += line_path(wide.low, at, wide.high, at);
    text(wide.low - 6, at + 4, tick.label, beside);
  }
  markup_.leaf("path", stroke(k_grid) + Attributes{{"d", grid}, {"fill", "none"}});
  markup_.leaf("path", stroke(k_faint) +
                           Attributes{{"d", line_path(wide.low, tall.high, wide.high, tall.high)}});
  text(wide.low - 48, 12, y.title, fill(k_ink));
  text(wide.high, size_.height - 6, x.title, fill(k_ink) + Attributes{{"text-anchor", "end"}});
}

void Canvas::end_names(std::vector<EndName> names) {
  std::ranges::stable_sort(names, [](const EndName& a, const EndName& b) { return a.y < b.y; });
  std::vector<double> places;
  for (const EndName& name : names)
    places.push_back(places.empty() ? name.y : std::max(name.y, places.back() + k_name_distance));
  double lowest = size_.height - margins_.bottom + 4;
  for (std::size_t i = places.size(); i-- > 0; lowest = places[i] - k_name_distance)
    places[i] = std::min(places[i], lowest);
  const double edge = columns().high;
  const auto most = static_cast<std::size_t>((margins_.right - 10) / k_character);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::abs(places[i] - names[i].y) > 3)
      markup_.leaf(
          "path",
          stroke(k_dot) + Attributes{{"d", line_path(edge + 1, names[i].y, edge + 8, places[i])}});
    text(edge + 10, places[i] + 4, shortened(names[i].text, most), fill(names[i].colour));
  }
}

void Canvas::key(const std::vector<std::string>& names) {
  double x = margins_.left - 48;
  constexpr std::size_t k_most = 26;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = shortened(printable_line(names[i]), k_most);
    markup_.leaf("rect", fill(series_colour(i)) +
                             Attributes{{"x", x}, {"y", 4.0}, {"width", 10.0}, {"height", 10.0}});
    text(x + 14, 13, name, fill(k_ink));
    x += 26 + static_cast<double>(std::min(name.size(), k_most)) * k_character;
  }
}

}  // namespace orch::plot
