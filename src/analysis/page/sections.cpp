#include "analysis/page/labels.hpp"
#include "analysis/page/page.hpp"
#include "analysis/plot/markup.hpp"
#include "core/base/text.hpp"

namespace orch::page {

namespace {

using plot::escaped_markup;

// The table of points. See page.hpp.

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

// The panels of points. See page.hpp.

// "TTFT 7.555 ±8.3%, p50 7.285, p90 8.652 ms": one line for each family. In a large report, only
// families without a column in the table.
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

// The stages of points. In a large report, points that share all stages except measurements also
// share one list of stages.
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
  // The lists that points share, as HTML.
  const std::string& text() const { return text_; }

 private:
  const Report& report_;
  std::map<std::vector<std::size_t>, std::size_t> numbers_;
  std::string text_;
};

// The provenance of stages. See page.hpp.

constexpr std::size_t k_few = 40;  // if a family has more stages, digests are left out or shortened

// Stages whose commands differ at most in single arguments.
struct Family {
  std::vector<std::size_t> stages;
  std::vector<bool> is_shared;  // by argument of the command
};

std::vector<Family> families_of(const Report& report) {
  std::vector<Family> out;
  std::map<std::vector<std::string>, std::size_t> at;
  for (std::size_t i = 0; i < report.stages.size(); ++i) {
    const StageFacts& stage = report.stages[i];
    const std::vector<std::string> key{stage.name,
                                       stage.kind,
                                       std::to_string(stage.command.size()),
                                       stage.command.empty() ? "" : stage.command.front(),
                                       stage.tool_version,
                                       stage.machine,
                                       stage.version,
                                       join(stage.environment, "\n")};
    const auto [found, is_new] = at.emplace(key, out.size());
    if (is_new) out.push_back({{}, std::vector<bool>(stage.command.size(), true)});
    Family& family = out[found->second];
    family.stages.push_back(i);
    const auto& first = report.stages[family.stages.front()].command;
    for (std::size_t word = 0; word < first.size(); ++word)
      if (stage.command[word] != first[word]) family.is_shared[word] = false;
  }
  return out;
}

std::string hole(std::size_t number) { return fmt::format("⟨{}⟩", number); }

std::string shared_command(const std::vector<std::string>& command, const Family& family) {
  std::string out;
  std::size_t holes = 0;
  for (std::size_t word = 0; word < command.size(); ++word)
    out += (out.empty() ? "" : " ") +
           (family.is_shared[word] ? shell_quote(command[word]) : hole(++holes));
  return out;
}

std::string facts_of(const StageFacts& stage) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&rows](std::string name, const std::string& value) {
    if (!value.empty()) rows.push_back({std::move(name), value});
  };
  add("versions", stage.tool_version);
  add("machine", stage.machine);
  add("environment", join(stage.environment, " "));
  add("orchestrate", stage.version);
  std::string out;
  for (const auto& row : rows)
    out += "<dt>" + row[0] + "</dt><dd>" + escaped_markup(row[1]) + "</dd>";
  return out.empty() ? "" : "<dl>" + out + "</dl>";
}

class Section {
 public:
  Section(const Report& report, std::size_t most) : report_(report), left_(most) {}

  std::string text() {
    std::string out;
    for (const Family& family : families_of(report_)) out += family_text(family);
    if (left_out_ > 0)
      out += fmt::format(
          "<p>The words that differ are left out for {}: <code>orchestrate show "
          "POINT</code> prints every command.</p>",
          count_of(left_out_, "stage"));
    return out;
  }

 private:
  std::string family_text(const Family& family) {
    const StageFacts& first = report_.stages[family.stages.front()];
    std::string out = fmt::format("<details><summary>{} <small>{}, {}</small></summary>",
                                  escaped_markup(first.name), escaped_markup(first.kind),
                                  count_of(family.stages.size(), "stage"));
    if (!first.command.empty())
      out += "<pre>" + escaped_markup(shared_command(first.command, family)) + "</pre>";
    out += facts_of(first) + "<ul>";
    const bool few = family.stages.size() <= k_few;
    for (const std::size_t stage : family.stages) out += stage_text(stage, family, few);
    return out + "</ul></details>\n";
  }

  std::string stage_text(std::size_t index, const Family& family, bool few) {
    const StageFacts& stage = report_.stages[index];
    const auto digest = [few](const std::string& text) {
      return escaped_markup(few ? text : text.substr(0, 16));
    };
    std::string out = fmt::format("<li id=\"s{}\"><b>{}</b>", index, escaped_markup(stage.id));
    if (few && !stage.digest.empty()) out += " digest " + digest(stage.digest);
    if (!stage.artifact_digest.empty())
      out += fmt::format(", artifact {}{}{}", few ? escaped_markup(stage.artifact) + " " : "",
                         digest(stage.artifact_digest), few ? "" : "…");
    std::string words;
    std::size_t holes = 0;
    for (std::size_t word = 0; word < stage.command.size(); ++word)
      if (!family.is_shared[word])
        words += " " + hole(++holes) + " " + escaped_markup(shell_quote(stage.command[word]));
    if (words.size() > left_) ++left_out_;
    else if (!words.empty()) {
      left_ -= words.size();
      out += "<code>" + words + "</code>";
    }
    return out + "</li>\n";
  }

  const Report& report_;
  std::size_t left_, left_out_ = 0;
};

}  // namespace

// Writes no end tags of cells and rows: they are optional in HTML, and would be a tenth of a large
// page.
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

std::string provenance(const Report& report, std::size_t most_bytes) {
  return Section(report, most_bytes).text();
}

}  // namespace orch::page
