#include "analysis/page/page_reading.hpp"

#include "analysis/page/labels.hpp"
#include "analysis/report/digits.hpp"
#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/query/query.hpp"

#include <ctime>

namespace orch::report {

namespace {

// The beginnings of texts after "; " that continue a warning: "; " also separates warnings.
constexpr std::string_view k_continuations[] = {
    "measure longer", "send more",      "if every",         "their times",   "its times",
    "these include",  "another client", "these times",      "the limits",    "their values",
    "or its page",    "its page",       "the record holds", "give it",       "give the",
    "give their",     "where an event", "--tokenizer DIR",  "stop requests", "their counts",
    "'isl' has",      "name them"};

template <class List> bool begins_with_one_of(std::string_view text, const List& list) {
  return std::ranges::any_of(list,
                             [text](std::string_view start) { return text.starts_with(start); });
}

std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!is_digit(c) && c != '.') out += c;
  return out;
}

// The warnings of a row, only one of each kind.
std::vector<std::string> warnings_of(const std::string& joined) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < joined.size();) {
    const std::size_t end = std::min(joined.find("; ", at), joined.size());
    const std::string part = joined.substr(at, end - at);
    if (!out.empty() && begins_with_one_of(part, k_continuations)) out.back() += "; " + part;
    else if (!part.empty()) out.push_back(part);
    at = end + 2;
  }
  std::set<std::string> kinds;
  std::erase_if(
      out, [&](const std::string& text) { return !kinds.insert(without_numbers(text)).second; });
  return out;
}

bool is_disturbed(const std::vector<std::string>& warnings) {
  return std::ranges::any_of(warnings, tells_disturbance);
}

std::string condition_of(const PageQuestion& question) {
  std::string out = question.run ? fmt::format("run = {}", *question.run) : "1";
  // The newline ends a comment in the condition.
  if (!question.where.empty()) out += " AND (" + question.where + "\n)";
  return out;
}

// Checks the condition alone, because a text that is more than one expression could change the
// statement around it.
Status check_condition(sql::Database& database, const PageQuestion& question) {
  if (question.where.empty()) return {};
  const auto alone =
      select(database, "SELECT 1 FROM results_by_tool WHERE " + question.where + "\nLIMIT 0");
  return alone ? Status() : Status(alone.error().within("--where"));
}

// The valid rows, then the newest invalid measurement of each point that has no valid row.
struct Rows {
  Table valid, invalid;
};

Result<Rows> read_rows_of_points(sql::Database& database, const PageQuestion& question) {
  ORCH_TRY(check_condition(database, question));
  const std::string condition = condition_of(question);
  Rows rows;
  ORCH_ASSIGN(rows.valid, select(database, "SELECT * FROM results_by_tool WHERE " + condition));
  // The query fails if the condition names a column that only points with a result have: then no
  // other point meets it.
  auto invalid =
      select(database,
             "SELECT *, max(measurement) AS newest FROM results_all a WHERE valid = 0 AND NOT "
             "EXISTS (SELECT 1 FROM results_all b WHERE b.experiment = a.experiment AND "
             "b.point = a.point AND b.valid = 1) AND " +
                 condition + " GROUP BY experiment, point");
  if (invalid) rows.invalid = std::move(*invalid);
  return rows;
}

// One table with the columns of the valid rows and `reasons`.
Table joined(Rows rows) {
  Table out = std::move(rows.valid);
  const std::size_t width = out.columns.size();
  out.columns.emplace_back("reasons");
  for (auto& row : out.rows) row.emplace_back();
  const Columns others(rows.invalid);
  std::vector<std::size_t> from(width, rows.invalid.columns.size());
  for (std::size_t i = 0; i < width; ++i) {
    const auto at = std::ranges::find(rows.invalid.columns, out.columns[i]);
    from[i] = static_cast<std::size_t>(at - rows.invalid.columns.begin());
  }
  for (std::size_t row = 0; row < rows.invalid.rows.size(); ++row) {
    auto& cells = out.rows.emplace_back();
    for (const std::size_t column : from)
      cells.push_back(column < rows.invalid.columns.size() ? rows.invalid.rows[row][column]
                                                           : Cell{});
    const std::string reasons = others.text(row, "reasons");
    cells.emplace_back(reasons.empty() ? "not valid" : reasons);
  }
  return out;
}

Result<std::set<std::string>> parameter_names(sql::Database& database) {
  ORCH_ASSIGN(const Table table,
              select(database, "SELECT name FROM wide_column WHERE parameter = 1"));
  std::set<std::string> out{"experiment", "runner", "tool"};
  for (const auto& row : table.rows)
    if (const auto* name = std::get_if<std::string>(&row[0])) out.insert(*name);
  return out;
}

void add_rows(page::Report& report, const Columns& columns) {
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    page::Row& row = report.rows.emplace_back();
    row.experiment = columns.text(i, "experiment");
    row.point = columns.text(i, "point");
    row.reasons = columns.text(i, "reasons");
    row.warnings = warnings_of(columns.text(i, "warnings"));
    row.repeats = static_cast<std::int64_t>(columns.real(i, "repeats").value_or(1));
    row.sessions = static_cast<std::int64_t>(columns.real(i, "serve_repeats").value_or(0));
    row.state = !row.reasons.empty()         ? page::State::invalid
                : is_disturbed(row.warnings) ? page::State::disturbed
                : row.warnings.empty()       ? page::State::valid
                                             : page::State::warned;
  }
}

// Moves warnings that every row has to the report: they do not distinguish rows, so they do not
// mark any.
void take_common_warnings(page::Report& report) {
  if (report.rows.size() < 2) return;
  for (const std::string& warning : std::vector<std::string>(report.rows[0].warnings)) {
    const bool common = std::ranges::all_of(report.rows, [&](const page::Row& row) {
      return std::ranges::find(row.warnings, warning) != row.warnings.end();
    });
    if (!common || is_disturbed({warning})) continue;
    report.warnings.push_back(warning);
    for (page::Row& row : report.rows) {
      std::erase(row.warnings, warning);
      if (row.state == page::State::warned && row.warnings.empty()) row.state = page::State::valid;
    }
  }
}

// The name of ROW's group, made of what must be equal for a meaningful comparison: "Llama, isl
// 1024, osl 128".
std::string group_name(const page::Report& report, const page::Row& row) {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (std::size_t i = 0; i < report.parameters.size(); ++i) {
    const page::Parameter& parameter = report.parameters[i];
    const std::string& value = row.parameters[i];
    if (parameter.name == "model" || parameter.name == "tool") add(value.empty() ? "-" : value);
    else if (parameter.role == page::Role::length)
      add(parameter.name + " " + (value.empty() ? "-" : value));
  }
  return out;
}

void add_groups(page::Report& report) {
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const std::string name = group_name(report, report.rows[i]);
    const auto [found, is_new] = at.emplace(name, report.groups.size());
    if (is_new) report.groups.push_back({name, {}});
    report.groups[found->second].rows.push_back(i);
  }
  std::ranges::stable_sort(
      report.groups, [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
}

void mark_front(page::Report& report) {
  if (!report.x || !report.y) return;
  std::vector<Direction> directions;
  for (const std::size_t metric : {*report.x, *report.y})
    directions.push_back(report.metrics[metric].better == page::Better::higher
                             ? Direction::higher_is_better
                             : Direction::lower_is_better);
  for (const page::Group& group : report.groups) {
    std::vector<Candidate> candidates;
    for (const std::size_t index : group.rows) {
      const page::Row& row = report.rows[index];
      Candidate& candidate = candidates.emplace_back();
      for (const std::size_t metric : {*report.x, *report.y}) {
        const auto& figure = row.figures[metric];
        const bool counts = row.state != page::State::invalid && figure && figure->supported;
        candidate.push_back(counts ? std::optional(figure->value) : std::nullopt);
      }
    }
    const std::vector<bool> flags = front_of(candidates, directions);
    for (std::size_t i = 0; i < flags.size(); ++i) report.rows[group.rows[i]].on_front = flags[i];
  }
}

std::string date_of(double seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return {text, size};
}

void add_header(page::Report& report, const PageQuestion& question) {
  std::set<std::string> experiments;
  for (const page::Row& row : report.rows) experiments.insert(row.experiment);
  const std::vector<std::string> names(experiments.begin(), experiments.end());
  report.title = names.empty()       ? "No points"
                 : names.size() <= 3 ? join(names, ", ")
                                     : fmt::format("{} experiments", names.size());
  if (question.run) report.selection = fmt::format("run {}", *question.run);
  if (!question.where.empty())
    report.selection +=
        (report.selection.empty() ? "" : ", ") + page::selection_in_words(question.where);
  report.condition = question.where;
  report.store = question.root;
  report.made_at = date_of(question.now);
  report.version = question.version;
  report.live = question.live;
}

std::optional<std::int64_t> newest(const Columns& columns, std::string_view column) {
  std::optional<std::int64_t> out;
  for (std::size_t row = 0; row < columns.rows(); ++row)
    if (const auto run = columns.real(row, column))
      out = std::max(out.value_or(0), static_cast<std::int64_t>(*run));
  return out;
}

// Sorts by experiment, model and lengths, then the best row first.
void sort_rows(Table& table) {
  const Columns columns(table);
  const auto key = [&](std::size_t row) {
    const double best = columns.real(row, metric::output_tps).value_or(-1);
    return std::tuple(columns.text(row, "experiment"), columns.text(row, "model"),
                      columns.real(row, "isl").value_or(-1), columns.real(row, "osl").value_or(-1),
                      -best);
  };
  std::vector<std::size_t> order(table.rows.size());
  std::vector<decltype(key(0))> keys;
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    keys.push_back(key(i));
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<std::vector<Cell>> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(table.rows[i]));
  table.rows = std::move(sorted);
}

}  // namespace

Result<PageAnswer> read_page(sql::Database& database, const PageQuestion& question) {
  ORCH_ASSIGN(Rows rows, read_rows_of_points(database, question));
  PageAnswer answer;
  answer.rows = joined(std::move(rows));
  sort_rows(answer.rows);
  const Columns columns(answer.rows);
  page::Report& report = answer.report;
  ORCH_ASSIGN(const std::set<std::string> names, parameter_names(database));
  add_rows(report, columns);
  take_common_warnings(report);
  add_parameters(report, columns, names);
  add_metrics(report, columns);
  add_groups(report);
  mark_front(report);
  add_header(report, question);
  ORCH_TRY(add_stages(database, report, question.root));
  ORCH_TRY(add_requests(database, report));
  const auto run = question.run ? question.run : newest(columns, "measured_run");
  if (run) ORCH_TRY(add_run(database, report, *run, question.now));
  return answer;
}

}  // namespace orch::report
