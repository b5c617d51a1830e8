#include "analysis/page/page.hpp"

#include "analysis/page/labels.hpp"
#include "analysis/plot/markup.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"

namespace orch::page {

namespace {

using plot::escaped_markup;

constexpr std::size_t k_most_provenance_bytes = 300'000;
constexpr std::size_t k_most_bests = 9, k_most_kinds = 12, k_most_failures = 50;

std::string head_of_page(const Report& report) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n{}"
      "<style>{}</style>\n</head>\n",
      escaped_markup(content_policy(report.live)), escaped_markup(headline(report)),
      report.live ? "<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>\n" : "",
      style_text());
}

std::string subtitle(const Report& report) {
  std::string out = "<p class=\"sub\">" + count_of(report.rows.size(), "point");
  for (const std::string& part :
       {report.selection, report.store, report.made_at, "orchestrate " + report.version})
    if (!part.empty()) out += " · " + escaped_markup(part);
  return out + "</p>\n";
}

std::string same_for_all(const Report& report) {
  std::string out;
  for (const auto& [name, value] : report.constants)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", escaped_markup(name),
                       escaped_markup(value));
  if (!out.empty()) out = "<p class=\"sub\">The same for all points: " + out + ".</p>\n";
  if (!report.implied.empty())
    out += "<p class=\"sub\">Determined by the columns of the table: " +
           escaped_markup(join(report.implied, ", ")) + ".</p>\n";
  return out;
}

std::string point_link(const Report& report, std::size_t row) {
  std::string name = label(report, report.rows[row], true);
  if (name.empty()) name = report.rows[row].point;
  return fmt::format("<a href=\"#p{}\">{}</a>", row, escaped_markup(name));
}

std::string best_text(const Report& report, const GroupSummary& group, const BestOf& best) {
  const Metric& metric = report.metrics[best.metric];
  const Figure& figure = *report.rows[best.row].figures[best.metric];
  std::string out =
      fmt::format("<dt>{} {}</dt><dd><b>{}</b> {} <small>{}</small><br>{}",
                  metric.better == Better::higher ? "highest" : "lowest",
                  escaped_markup(metric_title(metric)), value_text(figure),
                  escaped_markup(metric.unit), interval_text(figure), point_link(report, best.row));
  for (const std::string& words : standing_in_words(report, group, best))
    out += "<br><small>" + escaped_markup(words) + "</small>";
  return out + "</dd>";
}

std::string best_cards(const Report& report) {
  const std::vector<GroupSummary> groups = best_of_groups(report);
  std::string out = "<ul class=\"best\">\n";
  for (std::size_t i = 0; i < groups.size() && i < k_most_bests; ++i) {
    const GroupSummary& group = groups[i];
    if (group.best.empty()) continue;
    out += fmt::format("<li><h3>{} <small>{}</small></h3><dl>",
                       escaped_markup(group.name.empty() ? "all points" : group.name),
                       count_of(group.rows, "point"));
    for (const BestOf& best : group.best) out += best_text(report, group, best);
    out += "</dl></li>\n";
  }
  out += "</ul>\n";
  if (groups.size() > k_most_bests)
    out += fmt::format(
        "<p class=\"sub\">The {} largest of {} groups; filter and sort the table for "
        "the others.</p>\n",
        k_most_bests, groups.size());
  return out;
}

std::string summary(const Report& report) {
  std::string out = "<section id=\"summary\"><h2>Summary</h2>\n" + best_cards(report);
  out += "<ul class=\"plain\">";
  for (const std::string& sentence : marks_in_words(report))
    out += "<li>" + escaped_markup(sentence) + "</li>";
  out += "</ul>\n";
  const auto kinds = kinds_of_warnings(report);
  if (!kinds.empty()) {
    out +=
        "<details><summary>Warnings by kind (N stands for a number)</summary><ul class=\"plain\">";
    for (std::size_t i = 0; i < kinds.size() && i < k_most_kinds; ++i)
      out += fmt::format("<li>{}: {}</li>", count_of(kinds[i].second, "point"),
                         escaped_markup(kinds[i].first));
    if (kinds.size() > k_most_kinds)
      out += fmt::format("<li>and {}</li>", count_of(kinds.size() - k_most_kinds, "other kind"));
    out += "</ul></details>\n";
  }
  return out + same_for_all(report) + "</section>\n";
}

// On a narrow screen each row is a block, in which the style sheet names the cells by their
// attribute data-of.
std::string comparison_table(const ComparisonSection& section) {
  static constexpr std::string_view k_heads[] = {"A", "B", "difference", "95 % interval",
                                                 "verdict"};
  std::string out = "<table><thead><tr><th></th>";
  for (const std::string_view head : k_heads) out += fmt::format("<th scope=\"col\">{}</th>", head);
  out += "</tr></thead><tbody>\n";
  for (const auto& row : section.rows) {
    out += "<tr><th scope=\"row\">" + escaped_markup(row.label) + "</th>";
    const std::string* cells[] = {&row.a, &row.b, &row.difference, &row.interval, &row.verdict};
    for (std::size_t i = 0; i < std::size(cells); ++i)
      out += fmt::format("<td data-of=\"{}\">{}</td>", k_heads[i], escaped_markup(*cells[i]));
    out += "</tr>\n";
  }
  return out + "</tbody></table>";
}

std::string comparison(const ComparisonSection& section) {
  std::string out = fmt::format(
      "<section id=\"comparison\"><h2>{}</h2>\n<p><b>{}</b></p>\n<div class=\"scroll\" "
      "tabindex=\"0\">{}</div>\n<ul class=\"plain\">",
      escaped_markup(section.title), escaped_markup(section.verdict), comparison_table(section));
  for (const std::string& fact : section.facts) out += "<li>" + escaped_markup(fact) + "</li>";
  return out + "</ul></section>\n";
}

std::string capitalised(std::string text) {
  if (!text.empty() && is_lower(text[0])) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string data_of(const plot::Drawing& drawing) {
  constexpr std::size_t k_most_rows = 120;
  if (drawing.rows.size() <= k_most_rows) return text_table(drawing.columns, drawing.rows);
  const std::vector<std::vector<std::string>> first(drawing.rows.begin(),
                                                    drawing.rows.begin() + k_most_rows);
  return text_table(drawing.columns, first) +
         fmt::format("<p>The first {} of {}; the table of all points has the others.</p>",
                     k_most_rows, drawing.rows.size());
}

std::string plots(const Report& report) {
  std::string out = "<div class=\"sections\">\n";
  for (const PlotSection& section : plots_of(report)) {
    const bool takes_all = section.wide || section.drawings.size() > 1;
    out += fmt::format("<section{}><h2>{}</h2>\n", takes_all ? " class=\"all\"" : "",
                       escaped_markup(capitalised(section.title)));
    if (!section.note.empty()) out += "<p class=\"sub\">" + escaped_markup(section.note) + "</p>\n";
    out += "<div class=\"plots\">\n";
    for (const plot::Drawing& drawing : section.drawings)
      out += fmt::format(
          "<figure{}><div class=\"draw\">{}</div><details><summary>Data of this "
          "plot</summary><div class=\"scroll\">{}</div></details></figure>\n",
          section.wide ? " class=\"wide\"" : "", drawing.svg, data_of(drawing));
    out += "</div></section>\n";
  }
  return out + "</div>\n";
}

std::string failures(const Report& report) {
  if (report.failures.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const FailureFacts& failure : report.failures) {
    if (rows.size() == k_most_failures) break;
    rows.push_back({failure.stage, failure.kind, std::to_string(failure.points), failure.message});
  }
  std::string out =
      "<section id=\"failures\"><h2>What failed</h2><div class=\"scroll\" "
      "tabindex=\"0\">" +
      text_table({"stage", "class", "points", "message"}, rows) + "</div>";
  if (report.failures.size() > k_most_failures)
    out += fmt::format("<p>{} of {}; <code>orchestrate query failures</code> lists all.</p>",
                       k_most_failures, report.failures.size());
  return out + "</section>\n";
}

std::string table(const Report& report) {
  // A large table is laid out only when it comes into view, because its layout takes longer than
  // that of the rest of the page.
  const std::string_view classes = is_large(report) ? "scroll later" : "scroll";
  return fmt::format(
             "<section id=\"all\"><h2>All points</h2>\n<p class=\"sub\">A figure is the mean, or "
             "the percentile of its title, with its 95 % interval. * too few requests for this "
             "percentile. – undefined or unknown. A name opens its details.</p>\n<div "
             "id=\"tools\" hidden></div>\n<div class=\"{}\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"All points\">",
             classes) +
         points_table(report) + "</div></section>\n" + point_panels(report);
}

std::string figure_text(const Figure& figure) {
  const std::string interval = interval_text(figure);
  return escaped_markdown(value_text(figure)) + (interval.empty() ? "" : " " + interval);
}

std::string best_rows(const Report& report) {
  report::MarkdownTable out{.columns = {{"group"}, {"best"}, {"figure"}, {"point"}, {"remarks"}}};
  for (const GroupSummary& group : best_of_groups(report))
    for (const BestOf& best : group.best) {
      const Row& row = report.rows[best.row];
      const Metric& metric = report.metrics[best.metric];
      const std::string name = label(report, row, true);
      out.rows.push_back(
          {escaped_markdown(group.name.empty() ? "all points" : group.name),
           escaped_markdown((metric.better == Better::higher ? "highest " : "lowest ") +
                            metric_title(metric)),
           figure_text(*row.figures[best.metric]) + (metric.unit.empty() ? "" : " " + metric.unit),
           escaped_markdown(name.empty() ? row.point : name),
           escaped_markdown(join(standing_in_words(report, group, best), "; "))});
    }
  return out.rows.empty() ? "" : out.text() + "\n";
}

std::string point_rows(const Report& report, std::size_t most_rows) {
  report::MarkdownTable out;
  for (const Parameter& parameter : report.parameters)
    out.columns.push_back({escaped_markdown(parameter.name)});
  if (out.columns.empty()) out.columns.push_back({"point"});
  for (const Metric& metric : report.metrics)
    if (metric.in_table)
      out.columns.push_back(
          {escaped_markdown(metric_title(metric)) + (metric.unit.empty() ? "" : ", " + metric.unit),
           true});
  out.columns.push_back({"marks", true});
  for (std::size_t i = 0; i < report.rows.size() && i < most_rows; ++i) {
    const Row& row = report.rows[i];
    std::vector<std::string>& cells = out.rows.emplace_back();
    for (const std::string& value : row.parameters)
      cells.push_back(value.empty() ? "–" : escaped_markdown(value));
    if (report.parameters.empty()) cells.push_back(escaped_markdown(row.point));
    for (std::size_t m = 0; m < report.metrics.size(); ++m)
      if (report.metrics[m].in_table)
        cells.push_back(row.figures[m] ? figure_text(*row.figures[m]) : "–");
    cells.push_back((row.on_front ? std::string("front ") : "") +
                    std::string(state_name(row.state)));
  }
  std::string text = out.text();
  if (report.rows.size() > most_rows)
    text += fmt::format("\n{} of {} points.\n", most_rows, report.rows.size());
  return text;
}

}  // namespace

std::string content_policy(bool live) {
  return fmt::format(
      "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'{}",
      policy_source(style_text()), policy_source(script_text()),
      live ? "; connect-src 'self'" : "");
}

std::string html(const Report& report) {
  std::string out = head_of_page(report);
  out += fmt::format("<body{}>\n<header><h1>{}</h1>\n", report.live ? " data-live=\"1\"" : "",
                     escaped_markup(headline(report)));
  out += subtitle(report);
  if (report.live)
    out += "<p id=\"live\" role=\"status\">live: updated while the run goes on</p>\n";
  out +=
      "<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a><a href=\"#all\">All "
      "points</a><a href=\"#provenance\">Provenance</a></nav></header>\n<main>\n";
  if (report.comparison) out += comparison(*report.comparison);
  out += summary(report) + plots(report) + failures(report) + table(report);
  if (!report.condition.empty())
    out += "<section><h2>Selection</h2>\n<p>The points for which <code>" +
           escaped_markup(report.condition) + "</code> is true.</p></section>\n";
  if (!report.stages.empty())
    out +=
        "<section id=\"provenance\"><h2>Provenance</h2>\n<p class=\"sub\">Each stage once. ⟨1⟩ "
        "stands for a word that differs between stages of one kind.</p>\n" +
        provenance(report, k_most_provenance_bytes) + "</section>\n";
  out += "</main>\n<script>";
  out += script_text();
  return out + "</script>\n</body>\n</html>\n";
}

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
