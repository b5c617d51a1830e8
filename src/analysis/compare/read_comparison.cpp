#include "analysis/compare/read_comparison.hpp"

#include "analysis/compare/comparison_text.hpp"
#include "analysis/compare/pairing.hpp"
#include "analysis/report/describe.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"
#include "spec/matrix/matrix.hpp"

namespace orch::compare {

namespace {

struct KindOfName {
  std::string_view kind, sql, column, all;
};

// {} is the quoted name.
constexpr KindOfName k_kinds_of_names[] = {
    {"experiment", "SELECT 1 FROM run WHERE experiment = {} LIMIT 1", "experiment",
     "SELECT DISTINCT experiment FROM run"},
    {"point", "SELECT 1 FROM point WHERE name = {} LIMIT 1", "point",
     "SELECT DISTINCT name FROM point"},
    {"tool", "SELECT 1 FROM point_result WHERE tool = {} LIMIT 1", "tool",
     "SELECT DISTINCT tool FROM point_result"},
};

Result<Side> run_side(sql::Database& database, std::int64_t run) {
  ORCH_ASSIGN(const std::int64_t there,
              database.query_int(fmt::format("SELECT count(*) FROM run WHERE id = {}", run)));
  if (there == 0)
    return not_found(fmt::format("there is no run {}; `orchestrate status` lists the runs", run));
  return Side{fmt::format("run {}", run), fmt::format("run = {}", run)};
}

// "runner = 'vllm'" if some measurement has TEXT as the value of a parameter; "" otherwise.
std::string as_value(sql::Database& database, std::string_view text) {
  std::vector<std::string> columns =
      report::first_column(database, "SELECT name FROM wide_column WHERE parameter = 1");
  columns.insert(columns.begin(), "runner");
  for (const std::string& column : columns) {
    const std::string where = fmt::format("{} = {}", column, sql::quote_text(text));
    if (!report::first_column(database, "SELECT 1 FROM results_all WHERE " + where + " LIMIT 1")
             .empty())
      return where;
  }
  return "";
}

Status check_metrics(sql::Database& a, sql::Database& b, const std::vector<std::string>& metrics) {
  std::vector<std::string> known = report::column_names(a, "results_all");
  for (std::string& name : report::column_names(b, "results_all")) known.push_back(std::move(name));
  for (const std::string& metric : metrics) {
    if (std::ranges::find(known, metric) != known.end()) continue;
    const auto near = nearest(metric, known);
    return invalid(fmt::format("{} is not a column of results{}", quoted(metric),
                               near ? "; did you mean " + quoted(*near) + "?"
                                    : "; `orchestrate schema views` lists them"));
  }
  return {};
}

bool has_value(const Selected& side, std::size_t metric) {
  return std::ranges::any_of(
      side.rows, [metric](const Measured& row) { return row.values[metric].has_value(); });
}

// Removes the metrics without a value on either side.
void keep_measured(Selected& a, Selected& b) {
  for (std::size_t metric = a.metrics.size(); metric-- > 0;) {
    if (has_value(a, metric) || has_value(b, metric)) continue;
    const auto at = static_cast<std::ptrdiff_t>(metric);
    for (Selected* side : {&a, &b}) {
      side->metrics.erase(side->metrics.begin() + at);
      for (Measured& row : side->rows) row.values.erase(row.values.begin() + at);
    }
  }
}

// Refuses measurements that are on both sides: they would be compared with themselves.
Status refuse_overlap(const Selected& a, const Selected& b) {
  std::set<std::string> in_a, both;
  for (const Measured& row : a.rows) in_a.insert(row.identity);
  for (const Measured& row : b.rows)
    if (in_a.contains(row.identity)) both.insert(row.identity);
  if (both.empty()) return {};
  return invalid(
      fmt::format("{} {} on both sides; a measurement cannot be compared with itself or a copy of "
                  "itself; choose sides that share none",
                  plural(both.size(), "measurement"), both.size() == 1 ? "is" : "are"));
}

struct SelectedSide {
  ReadSide read;
  Selected selected;
  std::set<std::string> matrices;  // the texts of the matrices of its measurements
};

Result<std::set<std::string>> matrices_of(sql::Database& database, const Selected& selected) {
  std::set<std::int64_t> runs;
  for (const Measured& row : selected.rows) runs.insert(row.run);
  std::vector<std::string> numbers;
  for (const std::int64_t run : runs) numbers.push_back(std::to_string(run));
  const std::vector<std::string> texts = report::first_column(
      database, "SELECT DISTINCT matrix_text FROM run WHERE id IN (" + join(numbers, ", ") + ")");
  return std::set<std::string>(texts.begin(), texts.end());
}

// Marks the differing parameters that the matrix does not vary: they follow from those that it
// varies. Does so only if both sides have one matrix, which can be read without the files of its
// bases, and one manifest: otherwise a default of the runner may have changed.
void tell_chosen_from_following(Pairing& pairing, const SelectedSide& a, const SelectedSide& b,
                                bool one_manifest) {
  if (!one_manifest || a.matrices != b.matrices || a.matrices.size() != 1) return;
  Errors errors;
  const matrix::Matrix matrix = matrix::parse_matrix(*a.matrices.begin(), "", errors);
  if (!errors.empty() || matrix.incomplete) return;
  const std::vector<std::string> varied = matrix::varied_parameters(matrix);
  const auto is_varied = [&](const Differing& one) {
    return std::ranges::find(varied, one.parameter) != varied.end();
  };
  if (std::ranges::none_of(pairing.differing, is_varied)) return;
  for (Differing& one : pairing.differing) one.follows = !is_varied(one);
}

struct SideText {
  std::string_view name;  // "A"
  const std::string& text;
  bool may_be_empty = false;
};

Result<SelectedSide> read_side(sql::Database& database, const SideText& asked,
                               const std::vector<std::string>& metrics) {
  const auto& [name, text, may_be_empty] = asked;
  SelectedSide out;
  ORCH_ASSIGN(static_cast<Side&>(out.read), side_of(database, text));
  auto selected = select_measured(database, out.read.where, metrics);
  if (!selected) {
    Error error = selected.error();
    error.message = fmt::format("side {} ({}): {}{}", name, text,
                                other_meanings(database, trim(text)), error.message);
    return error;
  }
  out.selected = std::move(*selected);
  if (out.read.is_present)
    out.read.older = std::erase_if(out.selected.rows,
                                   [](const Measured& row) { return row.valid && !row.shown; });
  out.read.measurements = out.selected.rows.size();
  out.read.bursts = static_cast<std::size_t>(std::ranges::count_if(
      out.selected.rows, [](const Measured& row) { return row.valid && row.bursts; }));
  if (out.selected.rows.empty() && !may_be_empty)
    return not_found(fmt::format(
        "side {} ({}) has no measurements; `orchestrate query results_all` lists all that the "
        "store has",
        name, text));
  ORCH_ASSIGN(out.matrices, matrices_of(database, out.selected));
  return out;
}

// The facts of the measurements whose pair both sides have.
Result<Provenance> all_facts(sql::Database& database, const Selected& side,
                             const Pairing& pairing) {
  const Selected compared = compared_of(side, pairing);
  std::vector<std::string> differing;
  for (const Differing& one : pairing.differing) differing.push_back(one.parameter);
  ORCH_ASSIGN(Provenance out, provenance_of(database, compared));
  ORCH_ASSIGN(Provenance more, load_facts_of(database, compared, differing));
  out.merge(more);
  return out;
}

// "f16 against q8_0" if the sides have one matrix and differ only in the value of one varied
// parameter; "" otherwise.
std::string resolved_by(const Pairing& pairing, const SelectedSide& a, const SelectedSide& b) {
  if (a.matrices != b.matrices) return "";
  const Differing* only = nullptr;
  for (const Differing& one : pairing.differing) {
    if (one.follows) continue;
    if (only || one.a.size() != 1 || one.b.size() != 1) return "";
    only = &one;
  }
  return only ? only->a.front() + " against " + only->b.front() : "";
}

// "orchestrate run experiments/x.yaml --again 1 --sessions 2", from the newest run that measured
// SIDE; "" if its command is not that of a run.
Result<std::string> again(sql::Database& database, const Selected& side,
                          std::span<const std::string> options) {
  if (side.rows.empty()) return std::string();
  ORCH_ASSIGN(const auto command, report::read_run_command(database, side.rows.back().run));
  if (!command || command->words.size() < 3 || command->words[1] != "run") return std::string();
  std::vector<std::string> words = report::without_choice(command->words);
  words.front() = "orchestrate";
  words.insert(words.end(), options.begin(), options.end());
  std::error_code code;
  const std::string& folder = command->folder;
  if (folder.empty() || folder == std::filesystem::current_path(code)) return shell_quote(words);
  return fmt::format("(cd {} && {})", shell_quote(folder), shell_quote(words));
}

Result<std::string> deciding_command(sql::Database& database, const Pairing& pairing,
                                     const SelectedSide& a, const SelectedSide& b) {
  if (const std::string sides = resolved_by(pairing, a, b); !sides.empty())
    return again(database, a.selected, std::vector<std::string>{"--resolve", sides});
  const std::vector<std::string> more = {"--again", "1", "--sessions", "2"};
  ORCH_ASSIGN(const std::string of_a, again(database, a.selected, more));
  ORCH_ASSIGN(const std::string of_b, again(database, b.selected, more));
  if (of_a.empty() || of_b.empty()) return std::string();
  return of_a == of_b ? of_a : of_a + " && " + of_b;
}

}  // namespace

Result<Side> side_of(sql::Database& database, std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (trimmed.empty())
    return invalid("a side is empty; name a run, an experiment, a point, a tool, or write SQL");
  const std::string_view number = trimmed.starts_with("run ") ? trim(trimmed.substr(4)) : trimmed;
  if (const auto run = to_integer(number)) return run_side(database, *run);
  std::vector<Side> found;
  std::vector<std::string> ways;
  for (const KindOfName& kind : k_kinds_of_names) {
    const std::string name = sql::quote_text(trimmed);
    if (report::first_column(database, fmt::format(fmt::runtime(kind.sql), name)).empty()) continue;
    found.push_back({.label = fmt::format("{} {}", kind.kind, trimmed),
                     .where = fmt::format("{} = {}", kind.column, name),
                     .is_present = true});
    ways.push_back(found.back().where);
  }
  if (found.size() == 1) return std::move(found.front());
  if (found.empty()) return Side{std::string(trimmed), std::string(trimmed)};
  return invalid(fmt::format("{} is the name of several things; write \"{}\"", quoted(trimmed),
                             join(ways, "\" or \"")));
}

std::string other_meanings(sql::Database& database, std::string_view text) {
  if (text.find_first_of("=<>'\"() ") != std::string_view::npos) return "";
  std::vector<std::string> names;
  for (const KindOfName& kind : k_kinds_of_names)
    for (std::string& name : report::first_column(database, std::string(kind.all)))
      names.push_back(std::move(name));
  std::string meant;
  if (const auto near = nearest(text, names)) meant = quoted(*near);
  else if (const std::string value = as_value(database, text); !value.empty())
    meant = "\"" + value + "\"";
  return fmt::format("no experiment, point, tool or folder of a store has this name{} As SQL: ",
                     meant.empty() ? "." : "; did you mean " + meant + "?");
}

Result<Answer> read_comparison(sql::Database& a, sql::Database& b, const Question& question) {
  std::vector<std::string> metrics = question.metrics;
  if (!metrics.empty()) ORCH_TRY(check_metrics(a, b, metrics));
  else
    for (const measure::Column& one : measure::columns_in(&measure::Lists::comparison))
      metrics.push_back(one.name());
  ORCH_ASSIGN(SelectedSide side_a, read_side(a, {"A", question.a, question.may_be_empty}, metrics));
  ORCH_ASSIGN(SelectedSide side_b, read_side(b, {"B", question.b, question.may_be_empty}, metrics));
  ORCH_TRY(refuse_overlap(side_a.selected, side_b.selected));
  if (question.metrics.empty()) keep_measured(side_a.selected, side_b.selected);
  Options options{
      .level = question.level, .size = question.size, .disturbed_too = question.disturbed_too};
  Lenders lenders;
  if (&a == &b) {  // only sessions of the same store share their spread
    std::vector<std::int64_t> measurements;
    for (const Selected* side : {&side_a.selected, &side_b.selected})
      for (const Measured& row : side->rows) measurements.push_back(row.measurement);
    ORCH_ASSIGN(lenders, Lenders::read(a, measurements, side_a.selected.metrics));
    options.lent = [&lenders](std::size_t metric, double concentration) {
      return lenders.spread(metric, concentration);
    };
    options.largest = [&lenders](std::size_t metric) { return lenders.largest(metric); };
  }
  Answer out;
  out.a = side_a.read;
  out.b = side_b.read;
  out.comparison = compare(side_a.selected, side_b.selected, options);
  Pairing& pairing = out.comparison.pairing;
  ORCH_ASSIGN(const Configuration made_a,
              configuration_of(a, compared_of(side_a.selected, pairing)));
  ORCH_ASSIGN(const Configuration made_b,
              configuration_of(b, compared_of(side_b.selected, pairing)));
  tell_chosen_from_following(pairing, side_a, side_b, have_one_manifest(made_a, made_b));
  ORCH_ASSIGN(const Provenance of_a, all_facts(a, side_a.selected, pairing));
  ORCH_ASSIGN(const Provenance of_b, all_facts(b, side_b.selected, pairing));
  out.differences = differences_of(out.comparison, of_a, of_b);
  const Selected* sides[] = {&side_a.selected, &side_b.selected};
  out.differences.unstated = unstated_by(sides);
  auto& confounders = out.differences.confounders;
  const auto components = differing_components(made_a, made_b, pairing);
  confounders.insert(confounders.begin(), components.begin(), components.end());
  for (const auto& [side, made] : {std::pair("A", &made_a), std::pair("B", &made_b)})
    if (!made->pooled.empty())
      confounders.push_back(fmt::format("side {} pools {}", side, made->pooled));
  if (&a == &b && lacks_sessions(out.comparison)) {
    ORCH_ASSIGN(out.deciding, deciding_command(a, pairing, side_a, side_b));
  }
  return out;
}

std::string verdict_of(const Answer& answer) {
  std::vector<std::string> parts;
  for (const Row& row : answer.comparison.overall)
    if (row.judgement.verdict == statistics::Verdict::better ||
        row.judgement.verdict == statistics::Verdict::worse)
      parts.push_back(row.metric + " " + verdict_of(row, answer.comparison));
  if (!parts.empty()) return "B differs from A: " + join(parts, ", ");
  const auto& overall = answer.comparison.overall;
  if (overall.empty()) return "Nothing can be compared: no metric has values on both sides";
  const Row& first = overall.front();
  return (first.judgement.verdict == statistics::Verdict::no_claim ? "Nothing can be claimed: "
                                                                   : "No difference is shown: ") +
         first.metric + ", " + verdict_of(first, answer.comparison);
}

}  // namespace orch::compare
