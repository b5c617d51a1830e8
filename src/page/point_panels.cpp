// The panels of points. See sections.hpp.
#include "page/labels.hpp"
#include "page/sections.hpp"
#include "plot/markup.hpp"
#include "plot/scale.hpp"

namespace orch::page {

namespace {

using plot::escaped_markup;

// "TTFT 7.555 ±8.3%, p50 7.285, p90 8.652 ms": one line for each family.
std::string figures(const Report& report, const Row& row) {
  std::string out;
  std::string family, unit;
  const auto end_family = [&] {
    if (!family.empty()) out += (unit.empty() ? "" : " " + escaped_markup(unit)) + "</li>";
  };
  for (std::size_t i = 0; i < report.metrics.size(); ++i) {
    if (!row.figures[i]) continue;
    const Metric& metric = report.metrics[i];
    const std::string interval = interval_text(*row.figures[i]);
    const std::string value =
        value_text(*row.figures[i]) + (interval.empty() ? "" : " " + interval);
    if (metric.family == family) {
      out += fmt::format(", {} {}", escaped_markup(metric.statistic), value);
      continue;
    }
    end_family();
    family = metric.family;
    unit = metric.unit;
    out += fmt::format("<li><b>{}</b> {}", escaped_markup(metric_title(metric)), value);
  }
  end_family();
  return out.empty() ? "" : "<ul>" + out + "</ul>";
}

std::string notes(const Row& row) {
  std::string out;
  if (row.state == State::invalid)
    out += "<p class=\"bad\">Invalid: " +
           escaped_markup(row.reasons.empty() ? "no valid measurement" : row.reasons) + "</p>";
  if (row.state == State::disturbed) out += "<p class=\"bad\">Disturbed.</p>";
  for (const std::string& warning : row.warnings)
    out += "<p>Warning: " + escaped_markup(warning) + "</p>";
  return out;
}

std::string stage_links(const Report& report, const Row& row) {
  std::string out;
  for (const std::size_t stage : row.stages)
    out += fmt::format("{}<a href=\"#s{}\">{}</a>", out.empty() ? "" : ", ", stage,
                       escaped_markup(report.stages[stage].name));
  return out.empty() ? "" : "<p>Made by " + out + "</p>";
}

}  // namespace

std::string point_panels(const Report& report) {
  std::string out = "<div id=\"panels\">\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    out += fmt::format(
        "<section class=\"pt\" id=\"p{0}\" tabindex=\"-1\" aria-labelledby=\"h{0}\"><h3 "
        "id=\"h{0}\">{1}</h3><p>{2}",
        i, escaped_markup(row.point), count_of(static_cast<std::size_t>(row.repeats), "repeat"));
    if (row.sessions > 0)
      out += ", " + count_of(static_cast<std::size_t>(row.sessions), "server session");
    out += "</p>" + figures(report, row) + notes(row) + stage_links(report, row) +
           "<a class=\"close\" href=\"#points\">close</a></section>\n";
  }
  return out + "</div>\n";
}

}  // namespace orch::page
