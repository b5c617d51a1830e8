#include "analysis/plot/scatter.hpp"

#include <algorithm>

namespace orch::plot {

namespace {

constexpr std::size_t k_most_intervals = 40;  // of dots beside the front; more would hide the dots

// What a dot of a kind adds to the one path of its kind.
std::string mark(const Dot& dot, double x, double y) {
  const std::string at = fmt::format("M{} {}", coordinate(x), coordinate(y));
  if (dot.invalid) return at + "m-3 -3l6 6m-6 0l6 -6";
  if (dot.doubtful) return at + "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0";
  return at + "h0";
}

class ScatterPlot {
 public:
  explicit ScatterPlot(const Scatter& scatter)
      : scatter_(scatter), canvas_(scatter.heading, Size{}, margins_for(names_of(scatter))) {}

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

  // What the axis must show of DOT: the figure, and the interval if it is drawn.
  void add_reach(std::vector<double>& out, double value, const Limits& limits,
                 const Dot& dot) const {
    out.push_back(value);
    if (!dot.on_front && scatter_.dots.size() > k_most_intervals) return;
    if (limits.low) out.push_back(*limits.low);
    if (limits.high) out.push_back(*limits.high);
  }

  // From the best x on; then y gets better from dot to dot.
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
    if (others_.size() <= k_most_intervals)
      for (const Dot* dot : others_) path += interval(*dot);
    if (!path.empty())
      canvas_.markup().leaf("path", stroke(k_dot) + Attributes{{"d", path}, {"opacity", "0.55"}});
    path.clear();
    for (const Dot* dot : front_) path += interval(*dot);
    if (!path.empty())
      canvas_.markup().leaf("path",
                            stroke(series_colour(0)) + Attributes{{"d", path}, {"opacity", "0.7"}});
  }

  // One path for each kind of mark. `data-ids` and the path's commands have the same order.
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

  // Steps along what no dot of the front beats.
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
  std::vector<const Dot*> front_, others_;
};

}  // namespace

Drawing draw(const Scatter& scatter) { return ScatterPlot(scatter).draw(); }

}  // namespace orch::plot
