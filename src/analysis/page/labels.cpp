#include "analysis/page/labels.hpp"

#include "analysis/plot/canvas.hpp"
#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"

#include <cmath>

namespace orch::page {

namespace {

// The short forms of names before numbers; other names are written in full.
constexpr std::pair<std::string_view, std::string_view> k_short[] = {
    {"concurrency", "c"}, {"batch_size", "bs"},     {"tp", "tp"}, {"pp", "pp"}, {"isl", "isl "},
    {"osl", "osl "},      {"request_rate", "rate "}};

std::string short_value(const std::string& name, const std::string& value) {
  const bool begins_with_letter = !value.empty() && (is_letter(value[0]) || value[0] == '/');
  static constexpr std::string_view k_flags[] = {"on", "off", "true", "false"};
  const bool is_flag = std::ranges::find(k_flags, value) != std::end(k_flags);
  if (begins_with_letter && !is_flag) return value;
  for (const auto& [full, prefix] : k_short)
    if (name == full) return std::string(prefix) + value;
  return name + "=" + value;
}

std::string percent(double share) {
  const double value = share * 100;
  return plot::number(value, std::abs(value) < 10 ? 2 : 3);
}

const Figure* figure_of(const Report& report, std::size_t row, std::size_t metric) {
  const Row& of = report.rows[row];
  const auto& figure = of.figures[metric];
  return of.state != State::invalid && figure && figure->supported ? &*figure : nullptr;
}

// The better end of the interval; worst_case() is the other end.
double best_case(const Figure& figure, bool higher) {
  return higher ? figure.high.value_or(figure.value) : figure.low.value_or(figure.value);
}
double worst_case(const Figure& figure, bool higher) {
  return higher ? figure.low.value_or(figure.value) : figure.high.value_or(figure.value);
}

std::optional<BestOf> best_by(const Report& report, const Group& group, std::size_t metric) {
  const bool higher = report.metrics[metric].better == Better::higher;
  std::optional<BestOf> best;
  for (const std::size_t row : group.rows) {
    const Figure* figure = figure_of(report, row, metric);
    if (!figure) continue;
    const Figure* leader = best ? figure_of(report, best->row, metric) : nullptr;
    if (!leader || (higher ? figure->value > leader->value : figure->value < leader->value))
      best = BestOf{.row = row, .metric = metric};
  }
  if (!best) return best;
  const double bound = worst_case(*figure_of(report, best->row, metric), higher);
  for (const std::size_t row : group.rows) {
    const Figure* figure = figure_of(report, row, metric);
    best->without += report.rows[row].state != State::invalid && !report.rows[row].figures[metric];
    if (!figure || row == best->row) continue;
    const double reach = best_case(*figure, higher);
    if (higher ? reach >= bound : reach <= bound) ++best->not_separated;
  }
  return best;
}

std::size_t count_state(const Report& report, State state) {
  return static_cast<std::size_t>(
      std::ranges::count_if(report.rows, [state](const Row& row) { return row.state == state; }));
}

std::string are(std::size_t n) { return n == 1 ? "is" : "are"; }

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

namespace {

struct Comparison {
  std::string_view sign, words;
};
constexpr Comparison k_comparisons[] = {{"<=", " at most "}, {">=", " at least "}, {"<>", " not "},
                                        {"!=", " not "},     {"==", " "},          {"=", " "},
                                        {"<", " below "},    {">", " above "}};

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

// TEXT, a comparison "NAME SIGN VALUE", in words; "" if it is not one.
std::string comparison_in_words(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos || !is_name(trim(text.substr(0, at)))) return "";
  for (const Comparison& one : k_comparisons) {
    if (!text.substr(at).starts_with(one.sign)) continue;
    std::string_view value = trim(text.substr(at + one.sign.size()));
    if (value.size() > 2 && value.front() == '\'' && value.back() == '\'')
      value = value.substr(1, value.size() - 2);
    else if (!to_real(value)) return "";
    if (value.find('\'') != std::string_view::npos) return "";
    return std::string(trim(text.substr(0, at))) + std::string(one.words) + std::string(value);
  }
  return "";
}

// The value of a parameter if all points share it, or "N models" if they do not; "" if there is no
// such parameter.
std::string shared_value(const Report& report, std::string_view name, std::string_view noun) {
  for (const auto& [constant, value] : report.constants)
    if (constant == name) return value;
  std::set<std::string> values;
  for (const Row& row : report.rows) values.insert(value_of(report, row, name));
  values.erase("");
  if (values.size() < 2) return values.empty() ? "" : *values.begin();
  return count_of(values.size(), noun);
}

}  // namespace

std::string selection_in_words(std::string_view sql) {
  std::string out;
  for (std::string_view rest = sql; !rest.empty();) {
    const std::size_t end = lower(rest).find(" and ");
    const std::string words = comparison_in_words(trim(rest.substr(0, end)));
    if (words.empty()) return "a selection of points";
    out += (out.empty() ? "" : ", ") + words;
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 5);
  }
  return out;
}

std::string headline(const Report& report) {
  if (report.rows.empty()) return report.title;
  std::string out = report.title + ": " + count_of(report.rows.size(), "configuration");
  if (const auto model = shared_value(report, "model", "model"); !model.empty())
    out += " of " + model;
  // Imported files name the tool that measured, but not the servers.
  if (const auto runner = shared_value(report, "runner", "runner"); runner == "import")
    out += " measured by " + shared_value(report, "tool", "tool");
  else if (!runner.empty()) out += " on " + runner;
  return out;
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

std::vector<GroupSummary> best_of_groups(const Report& report) {
  std::vector<std::size_t> metrics;
  if (report.y) metrics.push_back(*report.y);
  for (std::size_t i = 0; i < report.metrics.size(); ++i) {
    const Metric& metric = report.metrics[i];
    const bool asked = metric.name == metric::ttft_ms || metric.name == metric::itl_ms ||
                       (report.x && i == *report.x);
    if (asked && (!report.y || i != *report.y)) metrics.push_back(i);
  }
  std::vector<GroupSummary> out;
  for (const Group& group : report.groups) {
    GroupSummary& summary = out.emplace_back(GroupSummary{group.name, group.rows.size(), {}});
    for (const std::size_t metric : metrics)
      if (const auto best = best_by(report, group, metric)) summary.best.push_back(*best);
  }
  return out;
}

std::vector<std::string> standing_in_words(const Report& report, const GroupSummary& group,
                                           const BestOf& best) {
  std::vector<std::string> out;
  const Figure& figure = *report.rows[best.row].figures[best.metric];
  if (!figure.low && !figure.high) out.emplace_back("no interval: its lead is unknown");
  else if (best.not_separated > 0)
    out.push_back(fmt::format("not separated from {}: the intervals overlap",
                              count_of(best.not_separated, "other point")));
  if (best.without > 0)
    out.push_back(fmt::format("{} of {} {} no {}", best.without, count_of(group.rows, "point"),
                              best.without == 1 ? "has" : "have",
                              metric_title(report.metrics[best.metric])));
  return out;
}

std::vector<std::pair<std::string, std::size_t>> kinds_of_warnings(const Report& report) {
  std::map<std::string, std::size_t> counts;
  for (const Row& row : report.rows) {
    std::set<std::string> kinds;
    for (const std::string& warning : row.warnings) kinds.insert(warning_kind(warning));
    for (const std::string& kind : kinds) ++counts[kind];
  }
  std::vector<std::pair<std::string, std::size_t>> out(counts.begin(), counts.end());
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

std::vector<std::string> marks_in_words(const Report& report) {
  std::vector<std::string> out;
  const auto say = [&out](std::size_t n, const std::string& sentence) {
    if (n > 0) out.push_back(sentence);
  };
  const std::size_t invalid = count_state(report, State::invalid);
  say(invalid,
      fmt::format(
          "{} {} invalid: crossed out in plots and table, with the reason, and never a best.",
          count_of(invalid, "point"), are(invalid)));
  const std::size_t disturbed = count_state(report, State::disturbed);
  say(disturbed, fmt::format("{} {} disturbed: another program or client used the machine, the "
                             "server or a GPU meanwhile. Drawn as rings.",
                             count_of(disturbed, "point"), are(disturbed)));
  std::size_t unsupported = 0, once = 0;
  for (const Row& row : report.rows) {
    for (std::size_t i = 0; i < row.figures.size(); ++i)
      unsupported += report.metrics[i].in_table && row.figures[i] && !row.figures[i]->supported;
    once += row.sessions == 1;
  }
  say(unsupported, fmt::format("{} in the table {} a percentile of too few requests (a p99 needs "
                               "100), marked * and never a best.",
                               count_of(unsupported, "figure"), are(unsupported)));
  const std::size_t warned = count_state(report, State::warned);
  say(warned, fmt::format("{} {} valid with a warning.", count_of(warned, "point"), are(warned)));
  say(once,
      fmt::format("{} {} measured in one server session: the interval holds for that session, "
                  "and a restarted server may differ by more.",
                  count_of(once, "point"), once == 1 ? "was" : "were"));
  say(report.failures.size(),
      fmt::format("{} failed or could not start.", count_of(report.failures.size(), "stage")));
  for (const std::string& warning : report.warnings)
    out.push_back("All points carry this warning: " + warning);
  if (report.warnings.size() + invalid + disturbed + unsupported + warned +
              report.failures.size() ==
          0 &&
      !report.rows.empty())
    out.insert(out.begin(), "No point is invalid or disturbed, and none has a warning.");
  return out;
}

}  // namespace orch::page
