// The table of points. See sections.hpp.
#include "analysis/page/labels.hpp"
#include "analysis/page/sections.hpp"
#include "analysis/plot/markup.hpp"
#include "core/base/text.hpp"

namespace orch::page {

namespace {

using plot::escaped_markup;

std::string head(const Report& report) {
  std::string out = "<thead><tr><th scope=\"col\">point</th>";
  for (const Parameter& parameter : report.parameters)
    out += fmt::format("<th scope=\"col\" data-p=\"{0}\">{0}</th>", escaped_markup(parameter.name));
  for (const Metric& metric : report.metrics) {
    if (!metric.in_table) continue;
    out += fmt::format(
        "<th scope=\"col\" data-m=\"{}\">{}{}</th>", escaped_markup(metric.name),
        escaped_markup(metric_title(metric)),
        metric.unit.empty() ? "" : "<small>" + escaped_markup(metric.unit) + "</small>");
  }
  return out + "<th scope=\"col\">marks</th></tr></thead>\n";
}

std::string figure_cell(const std::optional<Figure>& figure) {
  if (!figure) return "<td>–";
  const std::string interval = interval_text(*figure);
  return fmt::format("<td{}>{}{}", figure->supported ? "" : " class=\"u\"", value_text(*figure),
                     interval.empty() ? "" : " <i>" + interval + "</i>");
}

std::string_view row_class(State state) {
  switch (state) {
    case State::invalid: return " class=\"x\"";
    case State::disturbed: return " class=\"w\"";
    default: return "";
  }
}

std::string marks(const Row& row) {
  std::string out(row.on_front ? "front" : "");
  const auto add = [&out](const std::string& mark) { out += (out.empty() ? "" : ", ") + mark; };
  if (row.state == State::invalid || row.state == State::disturbed)
    add(std::string(state_name(row.state)));
  if (!row.warnings.empty()) add(count_of(row.warnings.size(), "warning"));
  return out;
}

}  // namespace

// The end tags of cells and rows are optional in HTML, and a tenth of a large page.
std::string points_table(const Report& report) {
  std::string out = "<table id=\"points\">" + head(report) + "<tbody>\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    out += fmt::format("<tr{}><th><a href=\"#p{}\">{}</a>", row_class(row.state), i,
                       escaped_markup(row.point));
    for (const std::string& value : row.parameters)
      out += "<td>" + (value.empty() ? "–" : escaped_markup(value));
    for (std::size_t m = 0; m < report.metrics.size(); ++m)
      if (report.metrics[m].in_table) out += figure_cell(row.figures[m]);
    out += "<td>" + marks(row) + "\n";
  }
  return out + "</tbody></table>\n";
}

std::string text_table(const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table><thead><tr>";
  for (const std::string& column : columns)
    out += "<th scope=\"col\">" + escaped_markup(column) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += i == 0 ? "<th scope=\"row\">" + escaped_markup(row[i]) + "</th>"
                    : "<td>" + escaped_markup(row[i]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

}  // namespace orch::page
