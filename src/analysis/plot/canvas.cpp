#include "analysis/plot/canvas.hpp"

#include "core/base/text.hpp"

#include <cmath>

namespace orch::plot {

namespace {

constexpr double k_multiples[] = {1, 2, 5};

double placed(ScaleKind kind, double value) {
  switch (kind) {
    case ScaleKind::linear: return value;
    case ScaleKind::log: return std::log10(value);
    case ScaleKind::nines: return -std::log10(1 - value);
  }
  return value;
}

bool can_place(ScaleKind kind, double value) {
  if (!std::isfinite(value)) return false;
  if (kind == ScaleKind::log) return value > 0;
  return kind == ScaleKind::linear || (value >= 0 && value < 1);
}

std::vector<double> linear_ticks(Range range, std::size_t most) {
  const double span = range.high - range.low;
  if (span <= 0) return {range.low};
  double power = std::pow(10, std::floor(std::log10(span)) - 1);
  for (;; power *= 10)
    for (const double multiple : k_multiples) {
      const double step = multiple * power;
      const double first = std::ceil(range.low / step - 1e-9),
                   last = std::floor(range.high / step + 1e-9);
      if (last - first + 1 > static_cast<double>(most)) continue;
      std::vector<double> ticks;
      for (double i = first; i <= last; ++i) ticks.push_back(i * step);
      return ticks;
    }
}

std::vector<double> log_ticks(Range range, std::size_t most) {
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  std::vector<double> fine, decades;
  for (int exponent = first; exponent <= last; ++exponent)
    for (const double multiple : k_multiples) {
      const double value = multiple * std::pow(10, exponent);
      if (value < range.low * (1 - 1e-9) || value > range.high * (1 + 1e-9)) continue;
      fine.push_back(value);
      if (multiple == 1) decades.push_back(value);
    }
  if (fine.size() < 3) return linear_ticks(range, std::min<std::size_t>(most, 5));
  if (fine.size() <= most) return fine;
  std::vector<double> sparse;  // every n-th decade
  const std::size_t every = (decades.size() + most - 1) / most;
  for (std::size_t i = 0; i < decades.size(); i += std::max<std::size_t>(every, 1))
    sparse.push_back(decades[i]);
  return sparse;
}

std::string percentile_name(double fraction) {
  return "p" + number(std::round(fraction * 1e6) / 1e4, 6);
}

constexpr double k_name_distance = 14;  // between the base lines of two names
constexpr double k_character = 6.7;     // the mean width of a character at 11 px

}  // namespace

Range range_of(std::span<const double> values, ScaleKind kind) {
  constexpr double k_room = 0.06;
  std::vector<double> shown;
  for (const double value : values)
    if (can_place(kind, value)) shown.push_back(value);
  if (shown.empty())
    return {kind == ScaleKind::linear ? 0.0 : 0.5, kind == ScaleKind::nines ? 0.9 : 2.0};
  const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
  if (kind == ScaleKind::nines) return {0, std::max(*most, 0.99)};
  if (kind == ScaleKind::log) {
    const double room = std::max(std::log10(*most / *least) * k_room, 0.04);
    return {*least / std::pow(10, room), *most * std::pow(10, room)};
  }
  Range range{std::min(*least, 0.0), std::max(*most, 0.0)};
  const double room = (range.high - range.low) * k_room;
  if (room == 0) return {0, 1};
  if (range.low < 0) range.low -= room;
  if (range.high > 0) range.high += room;
  return range;
}

Scale::Scale(ScaleKind kind, Range range, Range pixels)
    : kind_(kind), range_(range), pixels_(pixels) {}

bool Scale::shows(double value) const { return can_place(kind_, value); }

double Scale::operator()(double value) const {
  const double low = placed(kind_, range_.low), high = placed(kind_, range_.high);
  const double share = high == low ? 0.5 : (placed(kind_, value) - low) / (high - low);
  return pixels_.low + share * (pixels_.high - pixels_.low);
}

std::vector<Tick> Scale::ticks(std::size_t most) const {
  std::vector<Tick> out;
  if (kind_ == ScaleKind::nines) {
    for (const double value : {0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999})
      if (value <= range_.high + 1e-9) out.push_back({value, percentile_name(value)});
    return out;
  }
  const auto values =
      kind_ == ScaleKind::log ? log_ticks(range_, most) : linear_ticks(range_, most);
  for (const double value : values) out.push_back({value, number(value)});
  return out;
}

std::string number(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (magnitude >= 15 || magnitude < -5) return fmt::format("{:.{}g}", value, digits);
  const int decimals = std::max(0, digits - 1 - magnitude);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > begin + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

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
    if (at - half < last + 4) continue;  // the label would touch the previous one
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
  std::ranges::stable_sort(names, {}, &EndName::y);
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
