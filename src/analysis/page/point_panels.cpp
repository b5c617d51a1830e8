// The panels of points. See sections.hpp.
#include "analysis/page/labels.hpp"
#include "analysis/page/sections.hpp"
#include "analysis/plot/markup.hpp"
#include "core/base/text.hpp"

#include <map>

namespace orch::page {

namespace {

using plot::escaped_markup;

// "TTFT 7.555 ±8.3%, p50 7.285, p90 8.652 ms": one line for each family. In a large report only
// what the table has no column for.
std::string figures(const Report& report, const Row& row) {
  std::string out;
  std::string family, unit;
  const auto end_family = [&] {
    if (!family.empty()) out += (unit.empty() ? "" : " " + escaped_markup(unit)) + "</li>";
  };
  for (std::size_t i = 0; i < report.metrics.size(); ++i) {
    const Metric& metric = report.metrics[i];
    if (!row.figures[i] || (metric.in_table && is_large(report))) continue;
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
  for (const auto& [name, text] : row.remarks)
    if (!text.empty()) out += "<p>" + escaped_markup(name) + ": " + escaped_markup(text) + "</p>";
  if (row.state == State::invalid)
    out += "<p class=\"bad\">Invalid: " +
           escaped_markup(row.reasons.empty() ? "no valid measurement" : row.reasons) + "</p>";
  if (row.state == State::disturbed) out += "<p class=\"bad\">Disturbed.</p>";
  for (const std::string& warning : row.warnings)
    out += "<p>Warning: " + escaped_markup(warning) + "</p>";
  return out;
}

std::string repeats(const Row& row) {
  std::string out = "<p>" + count_of(static_cast<std::size_t>(row.repeats), "repeat");
  if (row.sessions > 0)
    out += ", " + count_of(static_cast<std::size_t>(row.sessions), "server session");
  return out + "</p>";
}

std::string links_to(const Report& report, const std::vector<std::size_t>& stages) {
  std::string out;
  for (const std::size_t stage : stages)
    out += fmt::format("{}<a href=\"#s{}\">{}</a>", out.empty() ? "" : ", ", stage,
                       escaped_markup(report.stages[stage].name));
  return out;
}

// The stages of points. In a large report, points that share their stages but the measurements
// share the list of them, too.
class StageLists {
 public:
  explicit StageLists(const Report& report) : report_(report) {}

  std::string of(const Row& row) {
    if (row.stages.empty()) return "";
    if (!is_large(report_)) return "<p>Made by " + links_to(report_, row.stages) + "</p>";
    std::vector<std::size_t> shared, own;
    for (const std::size_t stage : row.stages)
      (report_.stages[stage].kind == "measure" ? own : shared).push_back(stage);
    const auto [at, is_new] = numbers_.emplace(shared, numbers_.size());
    if (is_new)
      text_ += fmt::format("<p id=\"c{}\">Stages of list {}: {}</p>\n", at->second, at->second + 1,
                           links_to(report_, shared));
    return fmt::format("<p>Made by <a href=\"#c{}\">list {}</a>, {}</p>", at->second,
                       at->second + 1, links_to(report_, own));
  }
  // The lists that points share.
  const std::string& text() const { return text_; }

 private:
  const Report& report_;
  std::map<std::vector<std::size_t>, std::size_t> numbers_;
  std::string text_;
};

}  // namespace

std::string point_panels(const Report& report) {
  std::string out = "<div id=\"panels\">\n";
  StageLists stages(report);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    out += fmt::format("<section id=\"p{}\"><h3>{}</h3>", i, escaped_markup(row.point));
    if (!is_large(report)) out += repeats(row);
    out += figures(report, row) + notes(row) + stages.of(row) +
           "<a href=\"#points\">close</a></section>\n";
  }
  out += "</div>\n";
  if (stages.text().empty()) return out;
  return out + "<section id=\"lists\"><h2>Lists of stages</h2>\n" + stages.text() + "</section>\n";
}

}  // namespace orch::page
