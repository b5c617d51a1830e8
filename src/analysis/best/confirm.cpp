#include "analysis/best/confirm.hpp"

#include "analysis/report/describe.hpp"
#include "bench/measure/metric_names.hpp"
#include "bench/measure/over_repeats.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "results/tables/statements.hpp"

#include <nlohmann/json.hpp>

namespace orch::best {

namespace {

using nlohmann::json;

std::string literal_of(const json& value) {
  if (value.is_string()) return sql::quote_text(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return value.is_null() ? "NULL" : value.dump();
}

struct Recorded {
  std::string name;
  json parameters;
};

// Every point planned by a run of EXPERIMENT; the newest one of a name comes before older ones.
Result<std::vector<Recorded>> points_of_experiment(sql::Database& database,
                                                   const std::string& experiment) {
  std::vector<Recorded> out;
  tables::Statements statements(database);
  ORCH_TRY(statements.rows(
      "SELECT p.name, p.parameters FROM point p JOIN run r ON r.id = p.run_id WHERE r.experiment = "
      "? ORDER BY p.run_id DESC, p.id",
      experiment, [&](sql::Statement& row) {
        json parameters = json::parse(row.column_text(1), nullptr, false);
        if (parameters.is_object()) out.push_back({row.column_text(0), std::move(parameters)});
      }));
  return out;
}

// The parameters that distinguish the points.
std::set<std::string> varied_parameters(const std::vector<Recorded>& points) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> count;
  for (const Recorded& point : points)
    for (const auto& [name, value] : point.parameters.items()) {
      values[name].insert(value.dump());
      ++count[name];
    }
  std::set<std::string> out;
  for (const auto& [name, found] : values)
    if (found.size() > 1 || count[name] < points.size()) out.insert(name);
  return out;
}

// SQL over parameters that selects the points NAMES.
Result<std::string> sql_of_points(sql::Database& database, const std::string& experiment,
                                  const std::vector<std::string>& names) {
  ORCH_ASSIGN(const std::vector<Recorded> points, points_of_experiment(database, experiment));
  const std::set<std::string> varied = varied_parameters(points);
  std::string out;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(points, name, &Recorded::name);
    if (found == points.end())
      return invalid(fmt::format("no run planned {}, so it cannot be measured again", name));
    std::vector<std::string> parts;
    for (const std::string& parameter : varied)
      if (found->parameters.contains(parameter))
        parts.push_back(fmt::format("{} IS {}", sql::quote_name(parameter),
                                    literal_of(found->parameters[parameter])));
    out += (out.empty() ? "(" : " OR (") + (parts.empty() ? "1" : join(parts, " AND ")) + ")";
  }
  return out;
}

std::string again_sql(const std::string& label) { return sql::quote_text(label) + " IS NOT NULL"; }

Result<report::RunCommand> command_of(sql::Database& database, std::int64_t run) {
  ORCH_ASSIGN(const auto command, report::read_run_command(database, run));
  if (!command || command->words.size() < 3 || command->words[1] != "run" ||
      command->folder.empty())
    return invalid(
        fmt::format("run {} did not come from `orchestrate run` on this machine, so "
                    "its points cannot be measured again",
                    run));
  return *command;
}

// --- the figures of new sessions

std::vector<std::string> needed_columns(const Question& question) {
  std::vector<std::string> out = deciding_columns(question);
  for (const std::string_view column : columns_of_factor()) out.emplace_back(column);
  return out;
}

// The mean over sessions, with Student's t over their means as its interval.
std::optional<Figure> over_sessions(const compare::Selected& selected, std::size_t metric,
                                    const Candidate& row) {
  const auto pair_of = [&](const compare::Measured& one) -> std::optional<std::string> {
    if (one.experiment != row.experiment || one.point != row.point) return {};
    return "";
  };
  std::vector<measure::Repeat> repeats;
  const auto sessions =
      compare::observations_of(selected, metric, pair_of, {.older_too = false}).sessions;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    for (const statistics::Observation& one : sessions[i].observations)
      repeats.push_back({.session = static_cast<std::int64_t>(i), .mean = one.value});
  if (repeats.empty()) return {};
  const measure::Repeat all = measure::over_repeats(repeats);
  // One session does not show the spread between starts of the server.
  if (sessions.size() < 2) return Figure{*all.mean, {}};
  return Figure{
      *all.mean,
      {all.statistics[Statistic::interval_low], all.statistics[Statistic::interval_high]}};
}

// Columns and their limits by name, as in a row of `results`.
std::map<std::string, double> figures_of(const compare::Selected& selected, const Candidate& row) {
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < selected.metrics.size(); ++i) {
    const auto figure = over_sessions(selected, i, row);
    if (!figure) continue;
    out[selected.metrics[i]] = figure->value;
    if (figure->limits.low) out[selected.metrics[i] + "_interval_low"] = *figure->limits.low;
    if (figure->limits.high) out[selected.metrics[i] + "_interval_high"] = *figure->limits.high;
  }
  return out;
}

void count_new_sessions(const compare::Selected& selected, Candidate& row, Read& read) {
  std::set<std::int64_t> sessions;
  row.repeats = 0;
  for (const compare::Measured& one : selected.rows) {
    if (one.experiment != row.experiment || one.point != row.point) continue;
    if (!one.valid || !one.shown) continue;
    ++row.repeats;
    if (one.session) sessions.insert(*one.session);
    read.disturbed |= one.disturbed;
    read.bursts |= one.bursts;
    if (!one.unsupported.empty()) read.unsupported += " " + one.unsupported;
  }
  row.sessions = static_cast<std::int64_t>(sessions.size());
}

// The part of the condition that the figures of the new sessions break; "" if they meet it.
std::string broken_by(const Question& question, const std::map<std::string, double>& figures) {
  for (const Comparison& one : question.condition.comparisons) {
    const auto value = figures.find(one.column);
    if (value == figures.end()) continue;
    const Figure exact{value->second, {value->second, value->second}};
    if (judge(one, exact) != Kept::surely)
      return fmt::format("breaks {} in the new sessions: {}", one.written,
                         figure_text({value->second, {}}));
  }
  return "";
}

}  // namespace

std::string label_of(const Asked& asked) {
  json words = {asked.run ? std::to_string(*asked.run) : "",
                asked.where,
                asked.maximize,
                asked.minimize,
                asked.subject_to,
                asked.front,
                asked.per};
  for (const std::string& column : asked.by) words.push_back(column);
  return "best " + sha256(words.dump()).prefix(12);
}

Result<std::optional<Confirmation>> unfinished_confirmation(sql::Database& database,
                                                            const std::string& label) {
  Confirmation out{.continued = true};
  std::int64_t newest = 0;
  tables::Statements statements(database);
  // The runs with the label that are newer than the last finished run of their experiment.
  ORCH_TRY(statements.rows(
      R"(SELECT r.id FROM run r WHERE instr(r.command, ?) > 0 AND NOT EXISTS (
  SELECT 1 FROM run ended WHERE ended.experiment = r.experiment AND ended.id >= r.id
    AND ended.outcome IN ('done', 'failed')) ORDER BY r.id)",
      label, [&](sql::Statement& row) {
        newest = row.column_int(0);
        if (out.first_run == 0) out.first_run = newest;
      }));
  if (newest == 0) return std::optional<Confirmation>();
  ORCH_ASSIGN(const report::RunCommand command, command_of(database, newest));
  out.folder = command.folder;
  out.matrix_file = command.matrix_file;
  out.words.assign(command.words.begin() + 2, command.words.end());
  ORCH_TRY(statements.rows(
      "SELECT r.experiment, p.name FROM point p JOIN run r ON r.id = p.run_id WHERE r.id = ? ORDER "
      "BY p.id",
      newest, [&](sql::Statement& row) {
        out.rows.push_back(
            {.experiment = row.column_text(0), .point = row.column_text(1), .tool = "native"});
      }));
  // The run ended before it had a plan: there is nothing to continue.
  if (out.rows.empty()) return std::optional<Confirmation>();
  return std::optional(std::move(out));
}

Result<Confirmation> new_confirmation(sql::Database& database, const Group& group,
                                      const std::string& label) {
  Confirmation out;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(k_confirmed_rows, group.rows.size()); ++i) {
    const Candidate& row = group.rows[i].row;
    if (row.experiment != group.rows[0].row.experiment)
      return invalid(fmt::format(
          "--confirm measures the points of one experiment, but the best ones are of several: add "
          "--where \"experiment = {}\"",
          sql::quote_text(group.rows[0].row.experiment)));
    names.push_back(row.point);
    out.rows.push_back({.experiment = row.experiment, .point = row.point, .tool = row.tool});
  }
  const std::string& experiment = group.rows[0].row.experiment;
  tables::Statements statements(database);
  std::int64_t last_of_experiment = 0;
  ORCH_TRY(statements.rows(
      "SELECT coalesce(max(id), 0), (SELECT coalesce(max(id), 0) FROM run) FROM run WHERE "
      "experiment = ?",
      experiment, [&](sql::Statement& row) {
        last_of_experiment = row.column_int(0);
        out.first_run = row.column_int(1) + 1;
      }));
  ORCH_ASSIGN(const report::RunCommand command, command_of(database, last_of_experiment));
  ORCH_ASSIGN(const std::string condition, sql_of_points(database, experiment, names));
  out.folder = command.folder;
  out.matrix_file = command.matrix_file;
  out.words = report::without_choice({command.words.begin() + 2, command.words.end()});
  for (const std::string& word :
       {std::string("--where"), condition, std::string("--again"), again_sql(label),
        std::string("--sessions"), std::to_string(k_confirm_sessions)})
    out.words.push_back(word);
  return out;
}

namespace {

// Fills ROW from SELECTED, which does not have the measurements by which ROW was chosen. Returns
// why the row is left out, or "".
std::string fill_by_sessions(Candidate& row, const Question& question,
                             const compare::Selected& selected) {
  const auto figures = figures_of(selected, row);
  Read read{.value = [&figures](std::string_view column) -> std::optional<double> {
    const auto found = figures.find(std::string(column));
    return found == figures.end() ? std::nullopt : std::optional(found->second);
  }};
  count_new_sessions(selected, row, read);
  row.marks.clear();
  row.axes.clear();
  std::string why = row.repeats == 0 ? "no new measurement is valid" : fill(row, question, read);
  return why.empty() ? broken_by(question, figures) : why;
}

// The first run of each finished confirmation, by the experiment and the name of a confirmed point.
using Since = std::map<std::pair<std::string, std::string>, std::int64_t>;

Result<Since> confirmed_since(sql::Database& database) {
  Since out;
  tables::Statements statements(database);
  std::map<std::string, std::int64_t> begun;                 // the first run, by label
  std::vector<std::pair<std::int64_t, std::int64_t>> ended;  // the last and the first run
  ORCH_TRY(statements.rows(
      "SELECT r.id, e.value, coalesce(r.outcome, '') FROM run r, json_each(r.command) e WHERE "
      "e.value GLOB '''best *'' IS NOT NULL' ORDER BY r.id",
      [&](sql::Statement& row) {
        const std::string label = row.column_text(1), outcome = row.column_text(2);
        const std::int64_t first = begun.emplace(label, row.column_int(0)).first->second;
        if (outcome != "done" && outcome != "failed") return;
        ended.emplace_back(row.column_int(0), first);
        begun.erase(label);
      }));
  for (const auto& [last, first] : ended)
    ORCH_TRY(statements.rows(
        "SELECT r.experiment, p.name FROM point p JOIN run r ON r.id = p.run_id WHERE r.id = ?",
        last, [&out, first = first](sql::Statement& row) {
          out[{row.column_text(0), row.column_text(1)}] = first;
        }));
  return out;
}

// The measurements of ROW's point by the run FIRST and later runs.
Result<compare::Selected> measured_since(sql::Database& database, const Question& question,
                                         const Candidate& row, std::int64_t first) {
  const std::string where =
      fmt::format("({}) AND measured_run >= {}", condition_of_points({&row, 1}), first);
  return compare::select_measured(database, where, needed_columns(question));
}

}  // namespace

Result<Choice> choose(sql::Database& database, const Question& question) {
  ORCH_ASSIGN(Candidates candidates, read_candidates(database, question));
  ORCH_ASSIGN(const Since since, confirmed_since(database));
  std::vector<std::string> also;
  std::vector<Candidate> rows;
  for (Candidate& row : candidates.rows) {
    std::string why;
    const auto again = since.find({row.experiment, row.point});
    if (again != since.end()) {
      ORCH_ASSIGN(const auto selected, measured_since(database, question, row, again->second));
      if (std::ranges::any_of(
              selected.rows, [](const compare::Measured& one) { return one.valid && one.shown; })) {
        row.confirmed = true;
        also.push_back(fmt::format("NOT ({} AND measured_run < {})", condition_of_points({&row, 1}),
                                   again->second));
        why = fill_by_sessions(row, question, selected);
      }
    }
    if (why.empty()) rows.push_back(std::move(row));
    else candidates.left_out.push_back({row.experiment, row.point, std::move(why)});
  }
  candidates.rows = std::move(rows);
  return choose_among(database, question, std::move(candidates),
                      {.also = join(also, " AND "), .confirmed = false});
}

Result<Choice> confirmed_choice(sql::Database& database, const Question& question,
                                const Confirmation& confirmation) {
  const std::string also = fmt::format("measured_run >= {}", confirmation.first_run);
  const std::string where =
      fmt::format("({}) AND {}", condition_of_points(confirmation.rows), also);
  ORCH_ASSIGN(const compare::Selected selected,
              compare::select_measured(database, where, needed_columns(question)));
  Candidates candidates;
  candidates.not_judged = question.condition.others;
  Question within = question;
  within.by.clear();
  for (Candidate row : confirmation.rows) {
    std::string why = fill_by_sessions(row, within, selected);
    if (!why.empty()) candidates.left_out.push_back({row.experiment, row.point, std::move(why)});
    else candidates.rows.push_back(std::move(row));
  }
  return choose_among(database, within, std::move(candidates), {.also = also, .confirmed = true});
}

}  // namespace orch::best
