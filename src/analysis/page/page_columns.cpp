#include "analysis/page/page_columns.hpp"

#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"

namespace orch::report {

namespace {

using measure::Lists;

constexpr Statistic k_statistics[] = {Statistic::mean, Statistic::p50, Statistic::p90,
                                      Statistic::p95,  Statistic::p99, Statistic::p999};
// With more than k_rows_in_full rows, a page has only k_short_statistics, and only of the essential
// metrics, so that a page of thousands of points stays small.
constexpr std::size_t k_rows_in_full = 400;
constexpr Statistic k_short_statistics[] = {Statistic::mean, Statistic::p50, Statistic::p99};

constexpr std::string_view k_lengths[] = {"isl", "osl"};
constexpr std::string_view k_loads[] = {"concurrency", "request_rate"};
// Parameters that always have a column if they vary, even if they follow from others, because
// figures with different values are not comparable.
constexpr std::string_view k_always[] = {"model", "tool", "gpus"};

template <class Range> bool in(const Range& list, const auto& name) {
  return std::ranges::find(list, name) != std::end(list);
}

// Whether a parameter with these VALUES is a remark, such as the place of publication of a figure,
// rather than a choice. A remark has no column.
bool is_remark(const std::set<std::string>& values) {
  constexpr std::size_t k_longest_choice = 48;
  return std::ranges::any_of(
      values, [](const std::string& value) { return value.size() > k_longest_choice; });
}

bool any_value(const Columns& columns, const std::string& column, double other_than) {
  if (!columns.has(column)) return false;
  for (std::size_t row = 0; row < columns.rows(); ++row)
    if (const auto value = columns.real(row, column); value && *value != other_than) return true;
  return false;
}

bool shown_in_table(const measure::Column& one, const Columns& columns) {
  const std::string_view name = one.metric->name;
  if (one.metric->shown.in.report.has(one.statistic)) return true;
  if (one.statistic != Statistic::mean) return false;
  constexpr double k_no_value = 0;
  if (name == metric::error_rate) return any_value(columns, std::string(name), k_no_value);
  if (name == metric::tpot_ms) return !any_value(columns, std::string(metric::itl_ms), -1);
  return name == metric::requests_per_s && !any_value(columns, std::string(metric::output_tps), -1);
}

void add_figures(page::Report& report, const Columns& columns, const std::string& column) {
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    auto& figure = report.rows[row].figures.emplace_back();
    const auto value = columns.real(row, column);
    if (!value) continue;
    figure = page::Figure{.value = *value,
                          .low = columns.real(row, column + "_interval_low"),
                          .high = columns.real(row, column + "_interval_high"),
                          .supported = !lists(columns.text(row, "unsupported"), column)};
  }
}

std::optional<std::size_t> first_of(const page::Report& report,
                                    std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < report.metrics.size(); ++i)
      if (report.metrics[i].name == name) return i;
  return {};
}

}  // namespace

void add_parameters(page::Report& report, const Columns& columns,
                    const std::set<std::string>& names) {
  // The class of each row: rows of a class agree in all parameters that have a column so far.
  std::vector<std::size_t> classes(report.rows.size(), 0);
  for (const std::string& name : parameters_in_order(names)) {
    if (!columns.has(name)) continue;
    std::map<std::pair<std::size_t, std::string>, std::size_t> split;
    std::set<std::string> values;
    std::set<std::size_t> before;
    std::vector<std::size_t> after;
    for (std::size_t row = 0; row < report.rows.size(); ++row) {
      const std::string value = columns.text(row, name);
      values.insert(value);
      before.insert(classes[row]);
      after.push_back(split.emplace(std::pair(classes[row], value), split.size()).first->second);
    }
    if (values.size() < 2) {
      if (!values.empty() && !values.begin()->empty())
        report.constants.emplace_back(name, *values.begin());
      continue;
    }
    if (is_remark(values)) {
      for (std::size_t row = 0; row < report.rows.size(); ++row)
        report.rows[row].remarks.emplace_back(name, columns.text(row, name));
      continue;
    }
    const bool is_length = in(k_lengths, name), is_load = in(k_loads, name);
    const bool follows = split.size() == before.size();
    if (follows && !is_length && !is_load && !in(k_always, name)) {
      report.implied.push_back(name);
      continue;
    }
    classes = after;
    report.parameters.push_back({name, is_length ? page::Role::length
                                       : is_load ? page::Role::load
                                                 : page::Role::choice});
    for (std::size_t row = 0; row < report.rows.size(); ++row)
      report.rows[row].parameters.push_back(columns.text(row, name));
  }
}

void add_metrics(page::Report& report, const Columns& columns) {
  const bool in_full = report.rows.size() <= k_rows_in_full;
  for (const measure::MetricRow* row : measure::metrics_in(&Lists::report)) {
    if (!in_full && row->shown.in.comparison.place == 0) continue;
    for (const Statistic statistic : k_statistics) {
      const measure::Column one{row, statistic};
      const std::string column = one.name();
      if (!in_full && !in(k_short_statistics, statistic)) continue;
      if (!columns.has(column) || !any_value(columns, column, -1)) continue;
      const std::string_view name = statistic == Statistic::mean ? "" : to_string(statistic);
      report.metrics.push_back({.name = column,
                                .family = std::string(row->shown.family),
                                .statistic = std::string(name == "p999" ? "p99.9" : name),
                                .unit = std::string(row->unit_of_reports()),
                                .better = row->shown.better,
                                .in_table = shown_in_table(one, columns)});
      add_figures(report, columns, column);
    }
  }
  report.y =
      first_of(report, {metric::output_tps_per_gpu, metric::output_tps, metric::requests_per_s});
  report.x = first_of(
      report, {metric::request_latency_ms_intended, metric::request_latency_ms, metric::ttft_ms});
  if (report.y) return;
  report.y = first_of(report, {metric::itl_ms, metric::tpot_ms});
  report.x = first_of(report, {metric::ttft_ms});
}

}  // namespace orch::report
