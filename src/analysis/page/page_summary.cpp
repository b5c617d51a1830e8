#include "analysis/page/page_summary.hpp"

#include "analysis/page/labels.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace orch::page {

namespace {

const Figure* figure_of(const Report& report, std::size_t row, std::size_t metric) {
  const Row& of = report.rows[row];
  const auto& figure = of.figures[metric];
  return of.state != State::invalid && figure && figure->supported ? &*figure : nullptr;
}

// The end of the interval that is nearest to a better value.
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

std::vector<GroupSummary> best_of_groups(const Report& report) {
  std::vector<std::size_t> metrics;
  if (report.y) metrics.push_back(*report.y);
  for (std::size_t i = 0; i < report.metrics.size(); ++i) {
    const Metric& metric = report.metrics[i];
    const bool asked =
        metric.name == "ttft_ms" || metric.name == "itl_ms" || (report.x && i == *report.x);
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
  if (!figure.low && !figure.high) out.emplace_back("no interval: how far it leads is not known");
  else if (best.not_separated > 0)
    out.push_back(fmt::format("not separated from {}: the intervals meet",
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
      fmt::format("{} {} invalid: crossed out in plots and table, with the reason, and in no best.",
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
  say(unsupported, fmt::format("{} of the table {} a percentile of too few requests (a p99 needs "
                               "100), marked * and in no best.",
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
    out.insert(out.begin(), "No point is marked: none is invalid, disturbed or warned of.");
  return out;
}

}  // namespace orch::page
