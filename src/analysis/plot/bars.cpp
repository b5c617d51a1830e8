#include "analysis/plot/bars.hpp"
#include "core/base/text.hpp"

#include <algorithm>

namespace orch::plot {

namespace {

constexpr double k_bar = 12;     // the height of a bar
constexpr double k_between = 8;  // groups
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
    // Over the bar in the colour of the paper, and beyond it in grey.
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

}  // namespace

Drawing draw(const Bars& bars) { return BarPlot(bars).draw(); }

}  // namespace orch::plot
