#include "analysis/page/labels.hpp"
#include "analysis/page/page.hpp"
#include "analysis/plot/bars.hpp"
#include "analysis/plot/line_plot.hpp"
#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"

namespace orch::page {

namespace {

constexpr std::size_t k_most_fronts = 6, k_most_load_groups = 2, k_most_bars = 14,
                      k_most_bar_groups = 4, k_most_trend_lines = 4;

bool counts(const Row& row) { return row.state != State::invalid; }

const Figure* figure_of(const Row& row, std::size_t metric) {
  return row.figures[metric] ? &*row.figures[metric] : nullptr;
}

// The index of the first of ITEMS whose MEMBER is VALUE.
template <class Item, class Member, class Value>
std::optional<std::size_t> index_of(const std::vector<Item>& items, Member Item::*member,
                                    const Value& value) {
  const auto found = std::ranges::find(items, value, member);
  if (found == items.end()) return {};
  return static_cast<std::size_t>(found - items.begin());
}

std::optional<std::size_t> load_parameter(const Report& report) {
  return index_of(report.parameters, &Parameter::role, Role::load);
}

std::string short_title(const Metric& metric) {
  return metric_title(metric) + (metric.unit.empty() ? "" : ", " + metric.unit);
}

std::string titled(const Group& group) { return group.name.empty() ? "" : ": " + group.name; }

PlotSection fronts(const Report& report) {
  PlotSection section{.title = "Throughput against latency"};
  if (!report.x || !report.y) return section;
  section.title = fmt::format("{} against {}", metric_title(report.metrics[*report.y]),
                              metric_title(report.metrics[*report.x]));
  for (const Group& group : report.groups) {
    if (section.drawings.size() == k_most_fronts) break;
    section.drawings.push_back(
        front_of_group(report, group, fmt::format("front-{}", section.drawings.size())));
  }
  section.note =
      "In colour: the front (the points that no other point beats in both figures), with its ends "
      "named. Bars are 95 % intervals. A ring is a point with a warning, a cross an invalid one.";
  if (report.groups.size() > k_most_fronts)
    section.note +=
        fmt::format(" {} of {} groups are drawn, those with the most points; the table has all.",
                    k_most_fronts, report.groups.size());
  return section;
}

struct SeriesOfGroup {
  std::string name;
  std::vector<std::size_t> rows;
  std::set<std::string> loads;
  double best = 0;  // the best value of the metric of the y axis; larger is better
};

// The series of GROUP: rows that differ only in the load, if there are several. At most MOST
// series: those with the most loads and, among equals, with the best value of the y axis; sorted by
// name.
std::vector<SeriesOfGroup> series_of(const Report& report, const Group& group, std::size_t most) {
  std::map<std::string, SeriesOfGroup> by_name;
  const std::size_t load = *load_parameter(report);
  const double sign = report.y && report.metrics[*report.y].better == Better::higher ? 1 : -1;
  for (const std::size_t row : group.rows) {
    if (!counts(report.rows[row])) continue;
    const std::string name = label(report, report.rows[row], false);
    SeriesOfGroup& series = by_name[name];
    const Figure* figure = report.y ? figure_of(report.rows[row], *report.y) : nullptr;
    const double value = figure ? sign * figure->value : -1e300;
    series.best = series.rows.empty() ? value : std::max(series.best, value);
    series.name = name;
    series.rows.push_back(row);
    series.loads.insert(report.rows[row].parameters[load]);
  }
  std::vector<SeriesOfGroup> out;
  for (auto& [name, series] : by_name)
    if (series.loads.size() > 1) out.push_back(std::move(series));
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) {
    return std::pair(a.loads.size(), a.best) > std::pair(b.loads.size(), b.best);
  });
  if (out.size() > most) out.resize(most);
  std::ranges::sort(out, [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

plot::Drawing over_load(const Report& report, const Group& group, std::size_t metric,
                        const std::string& id) {
  const std::size_t load = *load_parameter(report);
  const std::string& load_name = report.parameters[load].name;
  plot::Lines lines{
      .heading =
          {id, metric_title(report.metrics[metric]) + " over " + load_name + titled(group),
           "Lines over the load, one for each configuration; the band is the 95 % interval."},
      .x = {.title = load_name, .kind = plot::ScaleKind::log},
      .y = {.title = short_title(report.metrics[metric]) + titled(group),
            .kind = plot::ScaleKind::log},
      .lines = {}};
  for (const SeriesOfGroup& series : series_of(report, group, plot::k_colours)) {
    std::map<double, plot::LinePoint> points;
    for (const std::size_t row : series.rows) {
      const auto x = to_real(report.rows[row].parameters[load]);
      const Figure* figure = figure_of(report.rows[row], metric);
      if (x && figure)
        points.emplace(*x, plot::LinePoint{*x, figure->value, figure->low, figure->high});
    }
    plot::Line& line = lines.lines.emplace_back(plot::Line{series.name, {}});
    for (const auto& [x, point] : points) line.points.push_back(point);
  }
  return draw(lines);
}

PlotSection loads(const Report& report) {
  PlotSection section{.title = "Latency over load"};
  if (!load_parameter(report)) return section;
  const bool has_itl = index_of(report.metrics, &Metric::name, metric::itl_ms).has_value();
  bool is_cut = false;
  std::size_t groups = 0;
  for (const Group& group : report.groups) {
    const std::size_t series = series_of(report, group, report.rows.size()).size();
    if (series == 0 || groups == k_most_load_groups) continue;
    is_cut = is_cut || series > plot::k_colours;
    for (const std::string_view name :
         {metric::ttft_ms, has_itl ? metric::itl_ms : metric::tpot_ms})
      if (const auto metric = index_of(report.metrics, &Metric::name, name))
        section.drawings.push_back(
            over_load(report, group, *metric, fmt::format("load-{}-{}", groups, *metric)));
    ++groups;
  }
  section.note = "A band is the 95 % interval of the mean.";
  if (is_cut)
    section.note += fmt::format(
        " {} configurations are drawn, those with the most loads and then the best throughput.",
        plot::k_colours);
  return section;
}

// The parameter by which bars of one group are compared.
std::optional<std::size_t> compared_parameter(const Report& report) {
  for (const char* name : {"precision", "runner", "backend", "tool"})
    if (const auto at = index_of(report.parameters, &Parameter::name, name)) return at;
  for (std::size_t i = 0; i < report.parameters.size(); ++i)
    if (report.parameters[i].role == Role::choice && report.parameters[i].name != "model") return i;
  return {};
}

std::string bar_name(const Report& report, const Row& row, std::size_t without) {
  Row named = row;
  named.parameters[without].clear();
  const std::string name = label(report, named, true);
  return name.empty() ? row.experiment : name;
}

// Groups of bars for those configurations of GROUP that were measured with several of VALUES.
plot::Bars bars_of(const Report& report, const Group& group, std::size_t by,
                   const std::vector<std::string>& values) {
  plot::Bars plot{
      .heading = {"bars", "", "Bars of equal configurations; lines are 95 % intervals."},
      .value_title = short_title(report.metrics[*report.y]),
      .series = values};
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::optional<plot::Bar>>> found;
  for (const std::size_t index : group.rows) {
    const Row& row = report.rows[index];
    const Figure* figure = figure_of(row, *report.y);
    const auto value = std::ranges::find(values, row.parameters[by]);
    if (!counts(row) || !figure || value == values.end()) continue;
    const std::string name = bar_name(report, row, by);
    auto& bars = found[name];
    if (bars.empty()) order.push_back(name);
    bars.resize(values.size());
    auto& bar = bars[static_cast<std::size_t>(value - values.begin())];
    if (!bar) bar = plot::Bar{figure->value, figure->low, figure->high};
  }
  for (const std::string& name : order)
    if (std::ranges::count_if(found[name], [](const auto& bar) { return bar.has_value(); }) > 1)
      plot.groups.push_back({name, found[name]});
  return plot;
}

// The values of the parameter BY, the most frequent first; at most as many as there are colours.
std::vector<std::string> compared_values(const Report& report, std::size_t by) {
  std::map<std::string, std::size_t> counts_of;
  for (const Row& row : report.rows)
    if (!row.parameters[by].empty()) ++counts_of[row.parameters[by]];
  std::vector<std::pair<std::string, std::size_t>> sorted(counts_of.begin(), counts_of.end());
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> out;
  for (const auto& [value, count] : sorted)
    if (out.size() < plot::k_colours) out.push_back(value);
  return out;
}

PlotSection bars(const Report& report) {
  PlotSection section;
  const auto by = compared_parameter(report);
  if (!by || !report.y) return section;
  section.title =
      fmt::format("{} by {}", metric_title(report.metrics[*report.y]), report.parameters[*by].name);
  const std::vector<std::string> values = compared_values(report, *by);
  bool is_cut = false;
  for (const Group& group : report.groups) {
    plot::Bars plot = bars_of(report, group, *by, values);
    if (plot.groups.empty()) continue;
    is_cut =
        is_cut || plot.groups.size() > k_most_bars || section.drawings.size() == k_most_bar_groups;
    if (section.drawings.size() == k_most_bar_groups) break;
    if (plot.groups.size() > k_most_bars) plot.groups.resize(k_most_bars);
    plot.heading.id = fmt::format("bars-{}", section.drawings.size());
    plot.heading.title = section.title + titled(group);
    plot.value_title += titled(group);
    section.drawings.push_back(draw(plot));
  }
  section.note = "Lines on the bars are 95 % intervals.";
  if (is_cut) section.note += " Not all configurations are drawn; the table has all.";
  return section;
}

PlotSection heat(const Report& report) {
  PlotSection section{.title = "Lengths of prompts and answers"};
  const auto isl = index_of(report.parameters, &Parameter::name, "isl"),
             osl = index_of(report.parameters, &Parameter::name, "osl");
  if (!isl || !osl || !report.y) return section;
  const bool higher = report.metrics[*report.y].better == Better::higher;
  std::map<double, std::map<double, double>> best;
  std::set<double> columns;
  for (const Row& row : report.rows) {
    const auto x = to_real(row.parameters[*isl]), y = to_real(row.parameters[*osl]);
    const Figure* figure = figure_of(row, *report.y);
    if (!counts(row) || !figure || !x || !y) continue;
    columns.insert(*x);
    const auto [at, is_new] = best[*y].emplace(*x, figure->value);
    if (!is_new && (higher ? figure->value > at->second : figure->value < at->second))
      at->second = figure->value;
  }
  constexpr std::size_t k_most_categories = 12;
  if (columns.size() < 2 || best.size() < 2 || columns.size() > k_most_categories ||
      best.size() > k_most_categories)
    return section;
  const std::string title =
      fmt::format("Best {} by isl and osl", short_title(report.metrics[*report.y]));
  plot::HeatMap map{
      .heading = {"heat", title,
                  "Each cell shows the best value among the points with this isl and osl."},
      .x_title = "isl, tokens",
      .y_title = "osl, tokens: best " + short_title(report.metrics[*report.y])};
  for (const double x : columns) map.columns.push_back(plot::number(x));
  for (const auto& [y, cells] : best) {
    map.rows.push_back(plot::number(y));
    auto& row = map.cells.emplace_back();
    for (const double x : columns)
      row.push_back(cells.contains(x) ? std::optional(cells.at(x)) : std::nullopt);
  }
  section.drawings.push_back(draw(map));
  section.note =
      "Each cell shows the best value among the points with this isl and osl, at any load.";
  return section;
}

PlotSection latencies(const Report& report) {
  PlotSection section{.title = "Latency of single requests"};
  plot::Distribution plot{
      .heading = {"latencies", "Request latency, distribution: " + report.requests_of,
                  "The share of requests that took at most this long; the axis spreads the tail."},
      .value = {.title = "request latency, ms", .kind = plot::ScaleKind::log}};
  for (const Requests& requests : report.latencies)
    plot.samples.push_back({requests.name, requests.values});
  if (plot.samples.empty()) return section;
  section.drawings.push_back(draw(plot));
  section.note =
      report.requests_of + ". From the record of each request; the axis spreads the tail.";
  return section;
}

PlotSection server_times(const Report& report) {
  PlotSection section{.title = "Where the server spent the time"};
  plot::Bars plot{.heading = {"server", "Time of a request in the server, by model",
                              "Stacked: queue, input, inference and output of each model."},
                  .value_title = "ms per request",
                  .series = {"queue", "input", "infer", "output"},
                  .stacked = true};
  for (const ModelTime& time : report.model_times) {
    plot.groups.push_back({time.name,
                           {plot::Bar{time.queue_ms, {}, {}}, plot::Bar{time.input_ms, {}, {}},
                            plot::Bar{time.infer_ms, {}, {}}, plot::Bar{time.output_ms, {}, {}}}});
  }
  if (plot.groups.empty()) return section;
  section.drawings.push_back(draw(plot));
  section.note = report.requests_of + ". Times as measured by the server, for each of its models.";
  return section;
}

PlotSection timeline(const Report& report) {
  PlotSection section{.title = "The run", .wide = true};
  if (report.spans.empty()) return section;
  plot::Timeline plot{.heading = {"timeline", "Timeline of " + report.timeline_of,
                                  "When each stage ran; lanes are kinds of stages."}};
  std::size_t failed = 0;
  for (const WorkSpan& span : report.spans) {
    auto at = std::ranges::find(plot.series, span.kind);
    if (at == plot.series.end()) at = plot.series.insert(at, span.kind);
    failed += span.failed;
    plot.spans.push_back({span.stage, span.begin_s, span.end_s,
                          static_cast<std::size_t>(at - plot.series.begin()), span.failed});
  }
  section.drawings.push_back(draw(plot));
  section.note = fmt::format(
      "{}: every attempt of every stage. Red: an attempt that failed ({}). A "
      "gap across all lanes is idle time.",
      report.timeline_of, failed);
  return section;
}

PlotSection trends(const Report& report) {
  PlotSection section{.title = "Host, server and GPUs"};
  for (const Trend& trend : report.trends) {
    plot::Lines lines{.heading = {fmt::format("trend-{}", section.drawings.size()),
                                  trend.title + " over the run", "One dot for each measurement."},
                      .x = {.title = "minutes since the first measurement"},
                      .y = {.title = trend.title + (trend.unit.empty() ? "" : ", " + trend.unit)}};
    for (const Trend::Series& series : trend.series) {
      if (lines.lines.size() == k_most_trend_lines) break;
      plot::Line& line = lines.lines.emplace_back(plot::Line{series.name, {}});
      for (const auto& [x, y] : series.points) line.points.push_back({x, y, {}, {}});
    }
    section.drawings.push_back(draw(lines));
  }
  section.note = "One dot for each measurement, in the order in which they were made.";
  return section;
}

}  // namespace

plot::Drawing front_of_group(const Report& report, const Group& group, const std::string& id) {
  const Metric &x = report.metrics[*report.x], &y = report.metrics[*report.y];
  plot::Scatter scatter{
      .heading = {id,
                  fmt::format("{} against {}{}", metric_title(y), metric_title(x), titled(group)),
                  fmt::format("{} points; the front is in colour.", group.rows.size())},
      .x = {.title = axis_title(x), .kind = plot::ScaleKind::log},
      .y = {.title = short_title(y) + titled(group), .kind = plot::ScaleKind::log},
      .larger_x_is_better = x.better == Better::higher,
      .larger_y_is_better = y.better == Better::higher};
  for (const std::size_t index : group.rows) {
    const Row& row = report.rows[index];
    const Figure *at_x = figure_of(row, *report.x), *at_y = figure_of(row, *report.y);
    if (!at_x || !at_y) continue;
    scatter.dots.push_back({.x = at_x->value,
                            .y = at_y->value,
                            .x_limits = {at_x->low, at_x->high},
                            .y_limits = {at_y->low, at_y->high},
                            .id = static_cast<std::int64_t>(index),
                            .name = label(report, row, true),
                            .on_front = row.on_front,
                            .doubtful = row.state == State::warned || row.state == State::disturbed,
                            .invalid = row.state == State::invalid});
  }
  return draw(scatter);
}

std::vector<PlotSection> plots_of(const Report& report) {
  std::vector<PlotSection> out;
  for (PlotSection section :
       {fronts(report), loads(report), bars(report), heat(report), latencies(report),
        server_times(report), timeline(report), trends(report)})
    if (!section.drawings.empty()) out.push_back(std::move(section));
  return out;
}

}  // namespace orch::page
