#include "page/labels.hpp"

#include "base/text.hpp"
#include "plot/canvas.hpp"

#include <cmath>

namespace orch::page {

namespace {

// Short forms of names beside a number; other names are written out.
constexpr std::pair<std::string_view, std::string_view> k_short[] = {
    {"concurrency", "c"}, {"batch_size", "bs"},     {"tp", "tp"}, {"pp", "pp"}, {"isl", "isl "},
    {"osl", "osl "},      {"request_rate", "rate "}};

std::string short_value(const std::string& name, const std::string& value) {
  const bool begins_with_letter = !value.empty() && (is_letter(value[0]) || value[0] == '/');
  static constexpr std::string_view k_flags[] = {"on", "off", "true", "false"};
  const bool is_flag =
      std::find(std::begin(k_flags), std::end(k_flags), value) != std::end(k_flags);
  if (begins_with_letter && !is_flag) return value;
  for (const auto& [full, prefix] : k_short)
    if (name == full) return std::string(prefix) + value;
  return name + "=" + value;
}

std::string percent(double share) {
  const double value = share * 100;
  return plot::number(value, std::abs(value) < 10 ? 2 : 3);
}

}  // namespace

std::string metric_title(const Metric& metric) {
  return metric.statistic.empty() ? metric.family : metric.family + " " + metric.statistic;
}

std::string axis_title(const Metric& metric) {
  std::string out = metric_title(metric);
  if (!metric.unit.empty()) out += ", " + metric.unit;
  if (metric.better == Better::higher) out += " (higher is better)";
  if (metric.better == Better::lower) out += " (lower is better)";
  return out;
}

std::string label(const Report& report, const Row& row, bool with_load) {
  std::string out;
  for (std::size_t i = 0; i < report.parameters.size(); ++i) {
    const Parameter& parameter = report.parameters[i];
    const std::string& value = row.parameters[i];
    const bool in_group = parameter.role == Role::length || parameter.name == "model";
    if (value.empty() || in_group || (parameter.role == Role::load && !with_load)) continue;
    out += (out.empty() ? "" : " ") + short_value(parameter.name, value);
  }
  constexpr std::size_t k_longest = 80;
  return plot::shortened(out, k_longest);
}

std::string value_of(const Report& report, const Row& row, std::string_view name) {
  for (std::size_t i = 0; i < report.parameters.size(); ++i)
    if (report.parameters[i].name == name) return row.parameters[i];
  for (const auto& [constant, value] : report.constants)
    if (constant == name) return value;
  return "";
}

std::string interval_text(const Figure& figure) {
  if (figure.low && !figure.high) return "≥" + plot::number(*figure.low, 3);
  if (figure.high && !figure.low) return "≤" + plot::number(*figure.high, 3);
  if (!figure.low || figure.value == 0) return "";
  const std::string below = percent((figure.value - *figure.low) / figure.value);
  const std::string above = percent((*figure.high - figure.value) / figure.value);
  return below == above ? "±" + above + "%" : "-" + below + "/+" + above + "%";
}

std::string value_text(const Figure& figure) {
  return plot::number(figure.value) + (figure.supported ? "" : "*");
}

std::string warning_kind(std::string_view warning) {
  std::string out;
  for (std::size_t i = 0; i < warning.size(); ++i) {
    if (!is_digit(warning[i])) {
      out += warning[i];
      continue;
    }
    while (i + 1 < warning.size() &&
           (is_digit(warning[i + 1]) ||
            (warning[i + 1] == '.' && i + 2 < warning.size() && is_digit(warning[i + 2]))))
      ++i;
    out += 'N';
  }
  return out;
}

std::string_view state_name(State state) {
  switch (state) {
    case State::valid: return "";
    case State::warned: return "warning";
    case State::disturbed: return "disturbed";
    case State::invalid: return "invalid";
  }
  return "";
}

bool is_large(const Report& report) {
  constexpr std::size_t k_rows_in_full = 400;
  return report.rows.size() > k_rows_in_full;
}

std::string count_of(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", plot::number(static_cast<double>(n), 9), noun, n == 1 ? "" : "s");
}

}  // namespace orch::page
