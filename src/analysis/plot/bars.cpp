#include "analysis/plot/bars.hpp"

#include "core/base/text.hpp"

namespace orch::plot {

namespace {

constexpr double k_bar = 12;     // the height of a bar
constexpr double k_between = 8;  // between groups
constexpr Margins k_bar_margins{.left = 200, .right = 64, .top = 40, .bottom = 24};
constexpr std::size_t k_bar_characters = 31;

double thickness(const Bars& bars) {
  return bars.stacked ? k_bar
                      : k_bar * static_cast<double>(std::max<std::size_t>(bars.series.size(), 1));
}

double end_of(const Bars& bars, const BarGroup& group) {
  double sum = 0, most = 0;
  for (const auto& bar : group.bars) {
    if (!bar) continue;
    sum += bar->value;
    most = std::max({most, bar->value, bar->high.value_or(0)});
  }
  return bars.stacked ? sum : most;
}

class BarPlot {
 public:
  explicit BarPlot(const Bars& bars)
      : bars_(bars),
        canvas_(bars.heading, Size{.width = 500, .height = height(bars)}, k_bar_margins) {
    std::vector<double> ends;
    for (const BarGroup& group : bars.groups) ends.push_back(end_of(bars, group));
    range_ = range_of(ends, ScaleKind::linear);
    range_.low = 0;
  }

  Drawing draw() {
    canvas_.key(bars_.series);
    const Range wide = canvas_.columns(), tall = canvas_.rows();
    x_ = Scale(ScaleKind::linear, range_, wide);
    std::string grid;
    for (const Tick& tick : x_.ticks(4)) {
      grid += line_path(x_(tick.value), tall.low, x_(tick.value), tall.high);
      canvas_.text(x_(tick.value), tall.low - 4, tick.label,
                   fill(k_faint) + Attributes{{"text-anchor", "middle"}});
    }
    canvas_.markup().leaf("path", stroke(k_grid) + Attributes{{"d", grid}, {"fill", "none"}});
    canvas_.text(wide.high + k_bar_margins.right - 4, tall.high + 16, bars_.value_title,
                 fill(k_ink) + Attributes{{"text-anchor", "end"}});
    double y = tall.low + k_between / 2;
    for (const BarGroup& group : bars_.groups) {
      draw_group(group, y);
      y += thickness(bars_) + k_between;
    }
    return {canvas_.take(), columns(), rows()};
  }

 private:
  static double height(const Bars& bars) {
    return k_bar_margins.top + k_bar_margins.bottom +
           static_cast<double>(bars.groups.size()) * (thickness(bars) + k_between);
  }

  void draw_group(const BarGroup& group, double y) {
    const double left = canvas_.columns().low;
    canvas_.text(left - 6, y + thickness(bars_) / 2 + 4, shortened(group.name, k_bar_characters),
                 fill(k_ink) + Attributes{{"text-anchor", "end"}});
    double from = left, sum = 0;
    std::string intervals;
    for (std::size_t i = 0; i < group.bars.size(); ++i) {
      const auto& bar = group.bars[i];
      const double top = bars_.stacked ? y : y + static_cast<double>(i) * k_bar;
      if (!bar) continue;
      sum += bar->value;
      const double to = bars_.stacked ? x_(sum) : x_(bar->value);
      canvas_.markup().leaf(
          "rect",
          fill(series_colour(i)) +
              Attributes{{"x", from}, {"y", top + 1}, {"width", to - from}, {"height", k_bar - 2}});
      if (bars_.stacked) {
        from = to;
        continue;
      }
      const double middle = top + k_bar / 2;
      if (bar->low && bar->high)
        intervals += line_path(x_(std::max(*bar->low, 0.0)), middle, x_(*bar->high), middle);
      canvas_.text(x_(std::max(bar->value, bar->high.value_or(0))) + 5, middle + 4,
                   number(bar->value, 3), fill(k_faint));
    }
    if (bars_.stacked) canvas_.text(from + 5, y + k_bar - 2, number(sum, 3), fill(k_faint));
    if (intervals.empty()) return;
    // A grey line with a border in the paper's colour, so that it is visible both on the bar and
    // beyond it.
    canvas_.markup().leaf("path",
                          stroke(k_paper) + Attributes{{"d", intervals}, {"stroke-width", 4.0}});
    canvas_.markup().leaf("path",
                          stroke(k_faint) + Attributes{{"d", intervals}, {"stroke-width", 2.0}});
  }

  std::vector<std::string> columns() const {
    std::vector<std::string> out{""};
    out.insert(out.end(), bars_.series.begin(), bars_.series.end());
    return out;
  }

  std::vector<std::vector<std::string>> rows() const {
    std::vector<std::vector<std::string>> out;
    for (const BarGroup& group : bars_.groups) {
      auto& row = out.emplace_back(std::vector<std::string>{group.name});
      for (const auto& bar : group.bars)
        row.push_back(bar ? with_limits(bar->value, bar->low, bar->high) : "-");
    }
    return out;
  }

  const Bars& bars_;
  Canvas canvas_;
  Range range_;
  Scale x_{ScaleKind::linear, {0, 1}, {0, 1}};
};

constexpr double k_row = 34, k_least_column = 52;
constexpr Margins k_map_margins{.left = 64, .right = 12, .top = 26, .bottom = 40};

std::size_t step_of(double value, Range range) {
  if (range.high <= range.low) return k_heat_steps / 2;
  const double share = (value - range.low) / (range.high - range.low);
  return std::min(static_cast<std::size_t>(share * k_heat_steps), k_heat_steps - 1);
}

Size size_of(const HeatMap& map) {
  const auto columns = static_cast<double>(std::max<std::size_t>(map.columns.size(), 1));
  return {
      .width = std::max(500.0, k_map_margins.left + k_map_margins.right + columns * k_least_column),
      .height =
          k_map_margins.top + k_map_margins.bottom + k_row * static_cast<double>(map.rows.size())};
}

constexpr double k_lane = 12, k_gap = 5;
constexpr double k_hair = 0.7;  // pixels: spans that are closer together are drawn as one
constexpr std::size_t k_most_sub_lanes = 12;
constexpr Margins k_time_margins{.left = 150, .right = 16, .top = 26, .bottom = 36};
constexpr std::size_t k_lane_characters = 22;

struct Lane {
  std::string name;
  std::vector<std::vector<const Span*>> sub_lanes;
  double busy_s = 0;
  std::size_t spans = 0, failed = 0;
};

// A span goes to the first sub-lane that is free when it begins; the last one takes the rest.
std::vector<Lane> lanes_of(const std::vector<Span>& spans) {
  std::vector<Lane> lanes;
  std::map<std::string, std::size_t> at;
  std::vector<const Span*> sorted;
  for (const Span& span : spans) {
    if (at.emplace(span.lane, lanes.size()).second) lanes.push_back({span.lane, {}});
    sorted.push_back(&span);
  }
  std::ranges::stable_sort(sorted,
                           [](const Span* a, const Span* b) { return a->begin_s < b->begin_s; });
  for (const Span* span : sorted) {
    Lane& lane = lanes[at[span->lane]];
    lane.busy_s += span->end_s - span->begin_s;
    ++lane.spans;
    lane.failed += span->failed;
    auto& subs = lane.sub_lanes;
    auto free = std::ranges::find_if(
        subs, [&](const auto& sub) { return sub.back()->end_s <= span->begin_s; });
    if (free == subs.end() && subs.size() < k_most_sub_lanes) free = subs.insert(free, {{}});
    else if (free == subs.end()) --free;
    free->push_back(span);
  }
  return lanes;
}

double height_of(const std::vector<Lane>& lanes) {
  double height = k_time_margins.top + k_time_margins.bottom;
  for (const Lane& lane : lanes)
    height += static_cast<double>(lane.sub_lanes.size()) * k_lane + k_gap;
  return height;
}

// Draws neighbours of the same kind that nearly touch as one rectangle.
void draw_sub_lane(Canvas& canvas, const Scale& x, const std::vector<const Span*>& spans,
                   double y) {
  for (std::size_t i = 0; i < spans.size();) {
    const Span& first = *spans[i];
    const double from = x(first.begin_s);
    double to = x(first.end_s);
    for (++i; i < spans.size(); ++i) {
      const Span& next = *spans[i];
      if (next.series != first.series || next.failed != first.failed) break;
      if (x(next.begin_s) - to > k_hair) break;
      to = std::max(to, x(next.end_s));
    }
    const Colour colour = first.failed ? k_bad : series_colour(first.series);
    canvas.markup().leaf("rect", fill(colour) + Attributes{{"x", from},
                                                           {"y", y + 1},
                                                           {"width", std::max(to - from, 1.0)},
                                                           {"height", k_lane - 2}});
  }
}

}  // namespace

Drawing draw(const Bars& bars) { return BarPlot(bars).draw(); }

Drawing draw(const HeatMap& map) {
  Canvas canvas(map.heading, size_of(map), k_map_margins);
  const Range wide = canvas.columns(), tall = canvas.rows();
  std::vector<double> values;
  for (const auto& row : map.cells)
    for (const auto& cell : row)
      if (cell) values.push_back(*cell);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const Range range = values.empty() ? Range{} : Range{*least, *most};
  const double width =
      (wide.high - wide.low) / static_cast<double>(std::max<std::size_t>(map.columns.size(), 1));
  const Attributes middle{{"text-anchor", "middle"}};
  Drawing drawing{.columns = {map.y_title}};
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    canvas.text(wide.low + width * (static_cast<double>(j) + 0.5), tall.high + 15, map.columns[j],
                fill(k_faint) + middle);
    drawing.columns.push_back(map.columns[j]);
  }
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double y = tall.low + k_row * static_cast<double>(i);
    canvas.text(wide.low - 6, y + k_row / 2 + 4, map.rows[i],
                fill(k_faint) + Attributes{{"text-anchor", "end"}});
    auto& row = drawing.rows.emplace_back(std::vector<std::string>{map.rows[i]});
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      const std::optional<double> value = map.cells[i][j];
      row.push_back(value ? number(*value) : "-");
      if (!value) continue;
      const double x = wide.low + width * static_cast<double>(j);
      const std::size_t step = step_of(*value, range);
      canvas.markup().leaf(
          "rect",
          heat_fill(step) +
              Attributes{{"x", x + 1}, {"y", y + 1}, {"width", width - 2}, {"height", k_row - 2}});
      canvas.text(x + width / 2, y + k_row / 2 + 4, number(*value, 3), heat_ink(step) + middle);
    }
  }
  canvas.text(4, 12, map.y_title, fill(k_ink));
  canvas.text(wide.high, tall.high + 33, map.x_title,
              fill(k_ink) + Attributes{{"text-anchor", "end"}});
  drawing.svg = canvas.take();
  return drawing;
}

Drawing draw(const Timeline& timeline) {
  const std::vector<Lane> lanes = lanes_of(timeline.spans);
  double begin = 0, end = 1;
  for (const Span& span : timeline.spans) end = std::max(end, span.end_s);
  if (!timeline.spans.empty()) begin = timeline.spans.front().begin_s;
  for (const Span& span : timeline.spans) begin = std::min(begin, span.begin_s);
  Canvas canvas(timeline.heading, {.width = 960, .height = height_of(lanes)}, k_time_margins);
  canvas.key(timeline.series);
  const Range wide = canvas.columns(), tall = canvas.rows();
  const Scale x(ScaleKind::linear, {begin, end}, wide);
  std::string grid;
  for (const Tick& tick : x.ticks(10)) {
    grid += line_path(x(tick.value), tall.low, x(tick.value), tall.high);
    canvas.text(x(tick.value), tall.high + 14, tick.label,
                fill(k_faint) + Attributes{{"text-anchor", "middle"}});
  }
  canvas.markup().leaf("path", stroke(k_grid) + Attributes{{"d", grid}, {"fill", "none"}});
  canvas.text(wide.high, tall.high + 30, "seconds since the start of the run",
              fill(k_ink) + Attributes{{"text-anchor", "end"}});
  Drawing drawing{.columns = {"stage", "times", "failed", "seconds"}};
  double y = tall.low;
  for (const Lane& lane : lanes) {
    canvas.text(wide.low - 6, y + 10, shortened(printable_line(lane.name), k_lane_characters),
                fill(k_ink) + Attributes{{"text-anchor", "end"}});
    for (const auto& sub : lane.sub_lanes) {
      draw_sub_lane(canvas, x, sub, y);
      y += k_lane;
    }
    y += k_gap;
    drawing.rows.push_back(
        {lane.name, std::to_string(lane.spans), std::to_string(lane.failed), number(lane.busy_s)});
  }
  drawing.svg = canvas.take();
  return drawing;
}

}  // namespace orch::plot
