// A choice as CSV and JSON: every row, with every digit.
#include "analysis/best/choice.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"

#include <nlohmann/json.hpp>

namespace orch::best {

namespace {

using nlohmann::json;

json or_null(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

json figure_json(const Figure& figure) {
  return {{"value", figure.value},
          {"interval_low", or_null(figure.limits.low)},
          {"interval_high", or_null(figure.limits.high)}};
}

json rivalry_json(const Rivalry& rivalry) {
  return {{"separated", rivalry.is_separated},
          {"far_larger", rivalry.far_larger},
          {"evidence", to_string(rivalry.ground)},
          {"percent", or_null(rivalry.percent)},
          {"low", or_null(rivalry.low)},
          {"high", or_null(rivalry.high)},
          {"p_adjusted", rivalry.p},
          {"sessions_needed",
           rivalry.sessions_needed ? json(*rivalry.sessions_needed) : json(nullptr)}};
}

json row_json(const Question& question, const Ranked& ranked) {
  const Candidate& row = ranked.row;
  json out = {{"experiment", row.experiment}, {"point", row.point},         {"tool", row.tool},
              {"sessions", row.sessions},     {"repeats", row.repeats},     {"warned", row.warned},
              {"marks", json::array()},       {"on_front", ranked.on_front}};
  for (const Mark& mark : row.marks) out["marks"].push_back(mark.text);
  if (row.objective) out["figure"] = figure_json(*row.objective);
  out["corrected"] = or_null(ranked.corrected);
  if (ranked.rivalry) out["against_best"] = rivalry_json(*ranked.rivalry);
  if (row.cost)
    out["cost_per_million"] = {{"output", row.cost->output}, {"input", or_null(row.cost->input)}};
  if (row.good_share) out["good_share"] = *row.good_share;
  out["reaches_front"] = ranked.reaches_front;
  for (std::size_t i = 0; i < row.axes.size(); ++i)
    out["front"][question.front[i].column] = figure_json(row.axes[i]);
  return out;
}

json question_json(const Question& question, const Choice& choice) {
  json out = {{"subject_to", question.subject_to}, {"confirmed", choice.confirmed}};
  if (question.goal) {
    out["metric"] = question.goal->column;
    out["figure"] = figure_name_of(question);
    out["unit"] = unit_of(question);
    out["better"] =
        question.goal->direction == report::Direction::higher_is_better ? "higher" : "lower";
  }
  if (question.per == Per::cost)
    out["prices"] = {{"gpu_hour", or_null(question.prices.gpu_hour)},
                     {"machine_hour", or_null(question.prices.machine_hour)},
                     {"output_token_weight", or_null(question.prices.output_token_weight)},
                     {"currency", question.prices.currency}};
  return out;
}

using report::Cell;

Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

std::string all_marks(const Candidate& row) {
  std::string out;
  for (const Mark& mark : row.marks) out += (out.empty() ? "" : "; ") + mark.text;
  return out;
}

Cell flag(bool value) { return static_cast<std::int64_t>(value); }

Cell of_rivalry(const Ranked& ranked, std::optional<double> Rivalry::*value) {
  return ranked.rivalry ? cell((*ranked.rivalry).*value) : Cell();
}

struct CsvColumn {
  const char* name;
  Cell (*of)(const Ranked&);
};
// The columns after the group, the rank, the names and the figure with its interval.
constexpr CsvColumn k_csv_columns[] = {
    {"corrected", [](const Ranked& ranked) { return cell(ranked.corrected); }},
    {"sessions", [](const Ranked& ranked) -> Cell { return ranked.row.sessions; }},
    {"cost_output",
     [](const Ranked& ranked) { return ranked.row.cost ? Cell(ranked.row.cost->output) : Cell(); }},
    {"cost_input",
     [](const Ranked& ranked) { return ranked.row.cost ? cell(ranked.row.cost->input) : Cell(); }},
    {"separated",
     [](const Ranked& ranked) {
       return ranked.rivalry ? flag(ranked.rivalry->is_separated) : Cell();
     }},
    {"difference_percent",
     [](const Ranked& ranked) { return of_rivalry(ranked, &Rivalry::percent); }},
    {"difference_low", [](const Ranked& ranked) { return of_rivalry(ranked, &Rivalry::low); }},
    {"difference_high", [](const Ranked& ranked) { return of_rivalry(ranked, &Rivalry::high); }},
    {"on_front", [](const Ranked& ranked) { return flag(ranked.on_front); }},
    {"reaches_front", [](const Ranked& ranked) { return flag(ranked.reaches_front); }},
    {"marks", [](const Ranked& ranked) -> Cell { return all_marks(ranked.row); }},
};

std::vector<std::string> csv_columns(const Question& question) {
  std::vector<std::string> out = question.by;
  for (const char* name : {"rank", "experiment", "point"}) out.emplace_back(name);
  if (question.goal)
    for (const char* suffix : {"", "_interval_low", "_interval_high"})
      out.push_back(figure_name_of(question) + suffix);
  for (const CsvColumn& column : k_csv_columns) out.emplace_back(column.name);
  return out;
}

std::vector<Cell> csv_row(const Question& question, const Group& group, std::size_t at) {
  const Candidate& row = group.rows[at].row;
  std::vector<Cell> out(group.by.begin(), group.by.end());
  out.insert(out.end(), {static_cast<std::int64_t>(at + 1), row.experiment, row.point});
  if (question.goal)
    out.insert(out.end(), {row.objective->value, cell(row.objective->limits.low),
                           cell(row.objective->limits.high)});
  for (const CsvColumn& column : k_csv_columns) out.push_back(column.of(group.rows[at]));
  return out;
}

}  // namespace

std::string choice_csv(const Question& question, const Choice& choice) {
  report::Table table{.columns = csv_columns(question)};
  for (const Group& group : choice.groups)
    for (std::size_t i = 0; i < group.rows.size(); ++i)
      table.rows.push_back(csv_row(question, group, i));
  return report::to_text(table, report::Format::csv);
}

std::string choice_json(const Question& question, const Choice& choice, const Said& said) {
  json out = {{"question", question_json(question, choice)},
              {"groups", json::array()},
              {"breaking", choice.breaking},
              {"left_out", json::array()},
              {"notes", notes_of(question, choice)}};
  for (const Group& group : choice.groups) {
    json one = {{"rows", json::array()}};
    for (std::size_t i = 0; i < question.by.size(); ++i) one["by"][question.by[i]] = group.by[i];
    for (const Ranked& ranked : group.rows) one["rows"].push_back(row_json(question, ranked));
    one["surely"] = group.surely ? json(group.rows[*group.surely].row.point) : json(nullptr);
    one["confirm_s"] = group.confirm_s;
    one["reproduce"] =
        "orchestrate reproduce " + shell_quote(group.rows.front().row.point) + said.store_option;
    out["groups"].push_back(std::move(one));
  }
  for (const LeftOut& one : choice.left_out)
    out["left_out"].push_back(
        {{"experiment", one.experiment}, {"point", one.point}, {"why", one.why}});
  return dump(out, 2) + "\n";
}

}  // namespace orch::best
