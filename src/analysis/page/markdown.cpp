#include "analysis/page/markdown.hpp"

#include "core/base/text.hpp"
#include "analysis/page/labels.hpp"
#include "analysis/page/page_summary.hpp"

namespace orch::page {

namespace {

std::string figure_text(const Figure& figure) {
  const std::string interval = interval_text(figure);
  return escaped_markdown(value_text(figure)) + (interval.empty() ? "" : " " + interval);
}

std::string row_of(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}

std::string header_of(const std::vector<std::string>& titles, std::size_t texts) {
  std::string out = row_of(titles) + "|";
  for (std::size_t i = 0; i < titles.size(); ++i) out += i < texts ? " --- |" : " ---: |";
  return out + "\n";
}

std::string best_rows(const Report& report) {
  std::string out;
  for (const GroupSummary& group : best_of_groups(report))
    for (const BestOf& best : group.best) {
      const Row& row = report.rows[best.row];
      const Metric& metric = report.metrics[best.metric];
      const std::string name = label(report, row, true);
      out += row_of(
          {escaped_markdown(group.name.empty() ? "all points" : group.name),
           escaped_markdown((metric.better == Better::higher ? "highest " : "lowest ") +
                            metric_title(metric)),
           figure_text(*row.figures[best.metric]) + (metric.unit.empty() ? "" : " " + metric.unit),
           escaped_markdown(name.empty() ? row.point : name),
           escaped_markdown(join(standing_in_words(report, group, best), "; "))});
    }
  if (out.empty()) return out;
  return header_of({"group", "best", "figure", "point", "remarks"}, 5) + out + "\n";
}

std::string point_rows(const Report& report, std::size_t most_rows) {
  std::vector<std::string> titles;
  for (const Parameter& parameter : report.parameters)
    titles.push_back(escaped_markdown(parameter.name));
  if (titles.empty()) titles.emplace_back("point");
  const std::size_t texts = titles.size();
  for (const Metric& metric : report.metrics)
    if (metric.in_table)
      titles.push_back(escaped_markdown(metric_title(metric)) +
                       (metric.unit.empty() ? "" : ", " + metric.unit));
  titles.emplace_back("marks");
  std::string out = header_of(titles, texts);
  for (std::size_t i = 0; i < report.rows.size() && i < most_rows; ++i) {
    const Row& row = report.rows[i];
    std::vector<std::string> cells;
    for (const std::string& value : row.parameters)
      cells.push_back(value.empty() ? "–" : escaped_markdown(value));
    if (report.parameters.empty()) cells.push_back(escaped_markdown(row.point));
    for (std::size_t m = 0; m < report.metrics.size(); ++m)
      if (report.metrics[m].in_table)
        cells.push_back(row.figures[m] ? figure_text(*row.figures[m]) : "–");
    cells.push_back((row.on_front ? std::string("front ") : "") +
                    std::string(state_name(row.state)));
    out += row_of(cells);
  }
  if (report.rows.size() > most_rows)
    out += fmt::format("\n{} of {} points.\n", most_rows, report.rows.size());
  return out;
}

}  // namespace

std::string markdown(const Report& report, std::size_t most_rows) {
  std::string out = "### " + escaped_markdown(report.title) + "\n\n" + best_rows(report);
  for (const std::string& sentence : marks_in_words(report))
    out += "- " + escaped_markdown(sentence) + "\n";
  out += "\n" + point_rows(report, most_rows) + "\n";
  std::vector<std::string> same;
  for (const auto& [name, value] : report.constants)
    same.push_back(escaped_markdown(name) + " " + escaped_markdown(value));
  if (!same.empty()) out += "The same for all points: " + join(same, ", ") + ".\n\n";
  return out + "Intervals are 95 %. orchestrate " + escaped_markdown(report.version) + ", " +
         escaped_markdown(report.made_at) + "\n";
}

}  // namespace orch::page
