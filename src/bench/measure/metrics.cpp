// What the rows of the metric table share: values per request, rates, intervals.
#include "bench/measure/metrics.hpp"

#include <limits>

namespace orch::measure {
namespace {

bool counts(const MetricRow& row, const RequestRecord& record) {
  return row.failed_too || record.answered();
}

// The defined values of requests, in sending order, not yet divided by the row's scale.
std::vector<double> values_of(const MetricRow& row, const Window& window) {
  std::vector<double> values;
  if (row.each == nullptr) return values;
  values.reserve(window.records.size());
  for (const RequestRecord& record : window.records)
    if (counts(row, record))
      if (const std::optional<double> value = row.each(window, record)) values.push_back(*value);
  return values;
}

std::int64_t end_of(const RequestRecord& record) {
  return record.has_events() ? std::max(record.end_ns, record.last_ns()) : record.end_ns;
}

// The time from the due time until the slot is free again.
double slot_seconds(const RequestRecord& record) {
  return static_cast<double>(end_of(record) - record.due_ns.value_or(record.sent_ns)) / k_ns_per_s;
}

// The parts of all requests, in sending order; empty if one of them has none.
std::vector<Parts> parts_of_row(const MetricRow& row, const Window& window) {
  std::vector<Parts> parts;
  parts.reserve(window.records.size());
  for (const RequestRecord& record : window.records) {
    const std::optional<Parts> added = row.parts_of(window, record);
    if (!added) return {};
    parts.push_back(*added);
  }
  return parts;
}

std::int64_t cycle_of(const Window& window) {
  return window.open_loop ? 1 : std::max<std::int64_t>(1, window.concurrency);
}

LimitsOfPercentiles limits_of_row(const MetricRow& row, const Window& window) {
  std::vector<std::optional<double>> values;
  values.reserve(window.records.size());
  for (const RequestRecord& record : window.records) values.push_back(row.of(window, record));
  return limits_of_percentiles(values, cycle_of(window));
}

// The RATE of the whole window is below the rate of the slots, because slots do not end together.
// The interval is extended to include RATE.
std::optional<Interval> interval_of_rate(const MetricRow& row, const Window& window, double rate) {
  const std::vector<Parts> parts = parts_of_row(row, window);
  const std::optional<Interval> interval = interval_of_parts(window, parts);
  if (!interval) return {};
  const auto [above, below] = Parts::sum_of(parts);
  const double share = above > 0 ? rate * below / above : 1;
  return Interval{interval->low * std::min(1.0, share), interval->high * std::max(1.0, share)};
}

// Undefined if a successful request lacks its term, or if no request succeeded.
Metric rate_of(const MetricRow& row, const Window& window) {
  double sum = 0;
  bool any = false;
  for (const RequestRecord& record : window.records) {
    if (!record.ok()) continue;
    const std::optional<double> added = row.adds(record);
    if (!added) return {.row = &row, .value = {}};
    sum += *added;
    any = true;
  }
  const double seconds = duration_s(window.records);
  if (!any || seconds <= 0) return {.row = &row, .value = {}};
  return {.row = &row,
          .value = sum / seconds,
          .interval = interval_of_rate(row, window, sum / seconds)};
}

Metric metric_of(const MetricRow& row, const Window& window) {
  if (row.adds != nullptr) return rate_of(row, window);
  std::vector<double> values = values_of(row, window);
  if (values.empty())
    return {.row = &row, .value = row.whole == nullptr ? MetricValue() : row.whole(window)};
  return {.row = &row,
          .value = statistics(std::move(values), row.scale),
          .interval = interval_of_parts(window, parts_of_row(row, window)),
          .percentile_limits = limits_of_row(row, window)};
}

}  // namespace

const MetricRow& MetricRow::from_scheduled_send(bool open_loop) const {
  const MetricRow* intended = open_loop ? find_metric(std::string(name) + "_intended") : nullptr;
  return intended == nullptr ? *this : *intended;
}

MetricValue MetricRow::compute(const Window& window) const {
  return metric_of(*this, window).value;
}

std::optional<double> MetricRow::of(const Window& window, const RequestRecord& record) const {
  if (each == nullptr || !counts(*this, record)) return {};
  const std::optional<double> value = each(window, record);
  if (!value) return {};
  return *value / scale;
}

std::optional<Parts> MetricRow::parts_of(const Window& window, const RequestRecord& record) const {
  if (adds != nullptr) {
    if (window.open_loop || window.concurrency < 1) return {};
    const std::optional<double> added = record.ok() ? adds(record) : 0;
    if (!added) return {};
    return Parts{.above = *added,
                 .below = slot_seconds(record) / static_cast<double>(window.concurrency)};
  }
  if (each == nullptr) return {};
  const std::optional<double> value = of(window, record);
  return value ? Parts{.above = *value, .below = 1} : Parts{};
}

Parts Parts::sum_of(std::span<const Parts> parts) {
  Parts sum;
  for (const Parts& one : parts) {
    sum.above += one.above;
    sum.below += one.below;
  }
  return sum;
}

std::optional<Interval> interval_of_parts(const Window& window, std::span<const Parts> parts) {
  std::vector<double> above;
  std::vector<double> below;
  for (const Parts& one : parts) {
    above.push_back(one.above);
    below.push_back(one.below);
  }
  return interval_of_ratio(above, below, cycle_of(window));
}

double duration_s(std::span<const RequestRecord> records) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const RequestRecord& record : records) {
    first = std::min(first, record.sent_ns);
    last = std::max(last, record.answered() ? record.last_ns() : end_of(record));
  }
  return last > first ? static_cast<double>(last - first) / k_ns_per_s : 0;
}

std::vector<Metric> metrics_of(const Window& window) {
  std::vector<Metric> out;
  for (const MetricRow& row : metric_table()) {
    Metric metric = metric_of(row, window);
    if (!std::holds_alternative<std::monostate>(metric.value)) out.push_back(metric);
  }
  return out;
}

double Metric::mean() const {
  const auto* all = std::get_if<Statistics>(&value);
  return all != nullptr ? all->mean : std::get<double>(value);
}

}  // namespace orch::measure
