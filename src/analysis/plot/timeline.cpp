#include "analysis/plot/timeline.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <map>

namespace orch::plot {

namespace {

constexpr double k_lane = 12, k_gap = 5;
constexpr double k_hair = 0.7;  // pixels: spans this near to each other are drawn as one
constexpr std::size_t k_most_sub_lanes = 12;
constexpr Margins k_time_margins{.left = 150, .right = 16, .top = 26, .bottom = 36};
constexpr std::size_t k_lane_characters = 22;

struct Lane {
  std::string name;
  std::vector<std::vector<const Span*>> sub_lanes;
  double busy_s = 0;
  std::size_t spans = 0, failed = 0;
};

// A span goes to the first sub-lane that is free when it begins; the last one takes what is left.
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

// One rectangle for neighbours of one kind that nearly touch.
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
  Drawing drawing{.svg = "", .columns = {"stage", "times", "failed", "seconds"}, .rows = {}};
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
