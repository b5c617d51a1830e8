#include "analysis/compare/comparison_text.hpp"

#include "analysis/page/labels.hpp"
#include "analysis/report/digits.hpp"
#include "bench/measure/interval.hpp"
#include "bench/measure/statistics.hpp"
#include "core/base/text.hpp"
#include "results/tables/scores.hpp"

#include <cmath>

namespace orch::compare {

namespace {

using report::Cell;
using statistics::NoClaim;
using statistics::Verdict;

Cell cell_of(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

// An empty cell if the change is in the metric's own unit.
Cell in_unit(const Row& row, const std::optional<double>& value) {
  return row.unit == Unit::own ? Cell() : cell_of(value);
}

template <auto Member> std::optional<double> inferred(const Row& row) {
  const auto& inference = row.result.inference;
  return inference ? std::optional((*inference).*Member) : std::nullopt;
}

Cell count_cell(std::size_t count) { return static_cast<std::int64_t>(count); }

// The sum of a count over both sides.
template <auto Member> Cell counted(const Row& row) {
  return static_cast<std::int64_t>(row.counts_a.*Member + row.counts_b.*Member);
}

std::optional<double> worst_loss(const Row& row) {
  if (!row.result.inference || row.unit == Unit::own) return {};
  const bool lower = direction_of(row.metric) == statistics::Better::lower;
  const auto& inference = *row.result.inference;
  return std::max(0.0, lower ? inference.high : -inference.low);
}

using statistics::Inference;

constexpr Column k_comparison_columns[] = {
    {"metric", "TEXT", "column of results", [](const Row& row) -> Cell { return row.metric; }},
    {"point", "TEXT", "what both points share; '' over all points",
     [](const Row& row) -> Cell { return row.pair; }},
    {"a", "REAL", "mean over the sessions of side A; over several points the geometric mean",
     [](const Row& row) { return cell_of(row.a); }},
    {"b", "REAL", "the same of side B", [](const Row& row) { return cell_of(row.b); }},
    {"change", "REAL",
     "B against A: % of A, or percentage points for a share; empty if A is 0 and not a share",
     [](const Row& row) { return in_unit(row, row.result.difference); }},
    {"change_low", "REAL", "lower limit of the interval of change",
     [](const Row& row) { return in_unit(row, inferred<&Inference::low>(row)); }},
    {"change_high", "REAL", "upper limit",
     [](const Row& row) { return in_unit(row, inferred<&Inference::high>(row)); }},
    {"worst_loss", "REAL",
     "how much worse than A, at most, B is by this interval, in change's unit; 0: not worse",
     [](const Row& row) { return cell_of(worst_loss(row)); }},
    {"p", "REAL", "two-sided p of no difference",
     [](const Row& row) { return cell_of(inferred<&Inference::p>(row)); }},
    {"adjusted_p", "REAL", "p adjusted for all comparisons shown (Holm)",
     [](const Row& row) { return row.result.inference ? Cell(row.adjusted_p) : Cell(); }},
    {"verdict", "TEXT",
     "better, worse, differs, same (equal, or within --size), none shown, not enough data, no "
     "claim",
     [](const Row& row) -> Cell { return std::string(word_of(row)); }},
    {"detectable", "REAL", "smallest change that this many sessions find four times out of five",
     [](const Row& row) { return in_unit(row, row.detectable); }},
    {"sessions_a", "INTEGER", "server sessions of side A; imported ones: the fewest of a point",
     [](const Row& row) { return count_cell(row.result.sessions_a); }},
    {"sessions_b", "INTEGER", "server sessions of side B",
     [](const Row& row) { return count_cell(row.result.sessions_b); }},
    {"invalid", "INTEGER", "measurements of both sides that do not count",
     counted<&Counts::invalid>},
    {"unsupported", "INTEGER", "measurements with too few requests for this percentile",
     counted<&Counts::unsupported>},
    {"disturbed", "INTEGER", "measurements that something else disturbed",
     counted<&Counts::disturbed>},
    {"missing", "INTEGER", "valid measurements of both sides without a value of the metric",
     counted<&Counts::lacking>},
    {"remark", "TEXT",
     "'far larger': nothing is claimed, but sessions never differed so much; else ''",
     [](const Row& row) -> Cell { return std::string(row.far_larger ? "far larger" : ""); }},
};

std::string size_text(double value, const Row& row) {
  switch (row.unit) {
    case Unit::percent: return fmt::format("{:.1f} %", value);
    case Unit::points: return fmt::format("{:.{}f} points", value, std::abs(value) < 1 ? 2 : 1);
    case Unit::own: break;
  }
  return fmt::format("{:.4f}", value);
}
std::string signed_text(double value, const Row& row) {
  return (value < 0 ? "−" : "+") + size_text(std::abs(value), row);
}

// Why a side has no session.
std::string why_no_session(const Row& row) {
  for (const Counts* side : {&row.counts_a, &row.counts_b}) {
    if (side->used > 0) continue;
    if (const auto one = measure::percentile_of(row.metric); one && side->unsupported)
      return fmt::format("a side has too few requests for a {}, which needs {}",
                         to_string(one->value), measure::records_needed(one->per_mille));
    if (side->lacking > 0) return "a side has no value of it";
  }
  return "a side has no valid session";
}

std::string why_no_claim(const Row& row) {
  switch (row.result.no_claim.value_or(NoClaim::no_session)) {
    case NoClaim::no_session: return why_no_session(row);
    case NoClaim::no_common_pair: return "no point has a session on both sides";
    case NoClaim::value_not_finite:
    case NoClaim::value_not_positive: return "a value is not above 0";
    case NoClaim::one_session: return "a side has one session";
    case NoClaim::spread_contradicted: break;
  }
  return "the sessions vary more than other sessions on this machine";
}

constexpr int k_usual_sessions = 3;

// "3 sessions a side would do, about 12 min more".
std::string remedy(const Row& row, const Comparison& comparison, int sessions,
                   std::string_view what) {
  const auto missing = [&](std::size_t have) {
    return std::max(0.0, sessions - static_cast<double>(have));
  };
  const double minutes =
      (missing(row.result.sessions_a) + missing(row.result.sessions_b)) * comparison.session_s / 60;
  std::string text = fmt::format("{} sessions a side {}", sessions, what);
  if (minutes > 0) text += fmt::format(", about {:.0f} min more", std::ceil(minutes));
  return text;
}

std::vector<Cell> people_cells(const Row& row, const Comparison& comparison, bool with_pair) {
  const auto figure = [](const std::optional<double>& value) {
    return Cell(value ? report::figure(*value) : std::string());
  };
  const auto& inference = row.result.inference;
  std::vector<Cell> cells = {row.metric};
  if (with_pair) cells.emplace_back(row.pair);
  cells.push_back(figure(row.a));
  cells.push_back(figure(row.b));
  cells.emplace_back(row.result.difference ? signed_text(*row.result.difference, row) : "");
  cells.emplace_back(inference ? fmt::format("{} to {}", signed_text(inference->low, row),
                                             signed_text(inference->high, row))
                               : "");
  cells.emplace_back(row.detectable ? size_text(*row.detectable, row) : "");
  cells.emplace_back(verdict_of(row, comparison));
  return cells;
}

std::vector<std::string> people_columns(bool with_pair) {
  std::vector<std::string> columns = {"metric"};
  if (with_pair) columns.emplace_back("point");
  for (const char* name : {"A", "B", "change", "interval", "detectable", "verdict"})
    columns.emplace_back(name);
  return columns;
}

// "; 2 only in A: isl 64; isl 128".
std::string alone(const std::vector<std::string>& pairs, std::string_view side) {
  constexpr std::size_t k_most_named = 4;
  if (pairs.empty()) return "";
  std::vector<std::string> names(
      pairs.begin(),
      pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), k_most_named)));
  if (pairs.size() > k_most_named) names.emplace_back("...");
  return fmt::format("; {} only in {}: {}", pairs.size(), side, join(names, "; "));
}

// "; over all points: 8 of 16 (the others have fewer sessions), without 2 and 0 sessions that lack
// points".
std::string partly(const Comparison& comparison) {
  const std::size_t all = comparison.pairing.pairs.size();
  const auto cut = std::ranges::find_if(comparison.overall, [all](const Row& row) {
    return row.result.pairs > 0 && row.result.pairs < all;
  });
  const std::size_t incomplete = comparison.incomplete_a + comparison.incomplete_b;
  if (cut == comparison.overall.end() && incomplete == 0) return "";
  std::string out = "; over all points: ";
  if (cut != comparison.overall.end())
    out += fmt::format("{} of {} (the others have fewer sessions)", cut->result.pairs, all);
  if (incomplete > 0)
    out += fmt::format("{}without {} and {} sessions that lack points",
                       cut != comparison.overall.end() ? ", " : "", comparison.incomplete_a,
                       comparison.incomplete_b);
  return out;
}

// "1 and 0 valid measurements have no value of ttft_ms".
void add_missing(const Comparison& comparison, std::vector<std::string>& lines) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> metrics;
  for (const Row& row : comparison.overall)
    if (row.counts_a.lacking + row.counts_b.lacking > 0)
      metrics[{row.counts_a.lacking, row.counts_b.lacking}].push_back(row.metric);
  for (const auto& [counts, names] : metrics)
    lines.push_back(fmt::format("{} and {} valid measurements have no value of {}", counts.first,
                                counts.second, join(names, ", ")));
}

// Sessions answer the same questions, so their spread does not include that between questions.
void add_scores(const Comparison& comparison, std::vector<std::string>& lines) {
  std::vector<std::string> scores;
  for (const Row& row : comparison.overall)
    if (row.metric.starts_with(tables::k_score_prefix)) scores.push_back(row.metric);
  if (!scores.empty())
    lines.push_back(
        fmt::format("{}: the interval is over server sessions and says nothing about questions "
                    "that were not asked; `--answers` has one over questions",
                    join(scores, ", ")));
}

std::vector<std::string> header_lines(const Answer& answer) {
  const Comparison& comparison = answer.comparison;
  const Pairing& pairing = comparison.pairing;
  std::vector<std::string> lines = {
      fmt::format("A: {} ({})", answer.a.label, plural(answer.a.measurements, "measurement")),
      fmt::format("B: {} ({})", answer.b.label, plural(answer.b.measurements, "measurement")),
      fmt::format("{} on both sides{}{}{}", plural(pairing.pairs.size(), "point"),
                  pairing.paired_by.empty() ? "" : ", paired by " + join(pairing.paired_by, ", "),
                  alone(pairing.only_a, "A"), alone(pairing.only_b, "B")),
      fmt::format("{} and {} server sessions{}{}", comparison.sessions_a, comparison.sessions_b,
                  comparison.by_point ? " at each point" : "", partly(comparison))};
  if (answer.a.older + answer.b.older > 0)
    lines.push_back(fmt::format("{} and {} earlier measurements are left out, as in `results`",
                                answer.a.older, answer.b.older));
  if (!comparison.missing.empty())
    lines.push_back("no common point has a value of " + join(comparison.missing, ", "));
  add_missing(comparison, lines);
  add_scores(comparison, lines);
  if (answer.a.bursts + answer.b.bursts > 0)
    lines.push_back(
        fmt::format("the stream of {} and {} measurements arrived in bursts: their TTFT and ITL "
                    "are the gateway's",
                    answer.a.bursts, answer.b.bursts));
  if (lacks_sessions(comparison))
    lines.push_back("one session on a side is not enough to decide; " +
                    more_sessions(comparison.overall.front(), comparison) +
                    (answer.deciding.empty() ? "" : ": " + answer.deciding));
  lines.push_back(summary_of(answer.differences));
  return lines;
}

std::string shown(const std::string& line, report::Format shape) {
  return shape == report::Format::markdown ? escaped_markdown(line) : printable_line(line);
}

}  // namespace

std::span<const Column> comparison_columns() { return k_comparison_columns; }

report::Table comparison_table(const Comparison& comparison) {
  report::Table table;
  for (const Column& column : k_comparison_columns) table.columns.emplace_back(column.name);
  for (const auto* rows : {&comparison.overall, &comparison.points})
    for (const Row& row : *rows) {
      auto& cells = table.rows.emplace_back();
      for (const Column& column : k_comparison_columns) cells.push_back(column.of(row));
    }
  return table;
}

report::Table overall_table(const Comparison& comparison) {
  report::Table table{.columns = people_columns(false)};
  for (const Row& row : comparison.overall)
    table.rows.push_back(people_cells(row, comparison, false));
  return table;
}

report::Table points_table(const Comparison& comparison, bool all) {
  report::Table table{.columns = people_columns(true)};
  for (const Row& row : comparison.points) {
    const bool differs =
        row.judgement.verdict == Verdict::better || row.judgement.verdict == Verdict::worse;
    if (all || differs) table.rows.push_back(people_cells(row, comparison, true));
  }
  return table;
}

namespace {

// A note if ROW's interval excludes zero, but the correction for all comparisons undoes that.
std::string undone_by_correction(const Row& row, const Comparison& comparison) {
  const statistics::Inference& found = *row.result.inference;
  if (found.low <= 0 && found.high >= 0) return "";
  const auto& judged = row.pair.empty() ? comparison.overall : comparison.points;
  const auto count = std::ranges::count_if(
      judged, [](const Row& one) { return one.result.inference.has_value(); });
  return fmt::format("not significant among {} comparisons (p {:.2f}); up to {} is possible", count,
                     row.adjusted_p, size_text(row.judgement.bound, row));
}

// ", but the change is far larger than sessions ever differed here (4.2 %)".
std::string far_larger(const Row& row) {
  if (!row.far_larger) return "";
  return ", but the change is far larger than " +
         (row.largest_seen
              ? fmt::format("sessions ever differed here ({:.1f} %)", *row.largest_seen)
              : fmt::format("sessions usually differ ({:.0f} %)",
                            100 * statistics::k_assumed_session_sd));
}

// "; 9 sessions a side would do, about 12 min more".
std::string what_would_do(const Row& row, const Comparison& comparison) {
  if (!row.sessions_needed) return "";
  const std::size_t least = std::min(row.result.sessions_a, row.result.sessions_b);
  if (static_cast<std::size_t>(*row.sessions_needed) > least)
    return "; " + remedy(row, comparison, *row.sessions_needed, "would do");
  return fmt::format(", although {} sessions a side usually find a change of that size", least);
}

std::string own_verdict_of(const Row& row, const Comparison& comparison) {
  const std::string word(word_of(row));
  switch (row.judgement.verdict) {
    case Verdict::better:
    case Verdict::worse:
      return fmt::format("{} by {}", word == "differs" ? "differs" : word,
                         size_text(std::abs(*row.result.difference), row));
    case Verdict::no_difference:
      if (row.judgement.bound == 0) return "equal in every session";
      if (std::string text = undone_by_correction(row, comparison); !text.empty()) return text;
      return fmt::format("no difference larger than {} shown", size_text(row.judgement.bound, row));
    case Verdict::not_enough_data: return word + what_would_do(row, comparison);
    case Verdict::no_claim: break;
  }
  return "no claim: " + why_no_claim(row) + far_larger(row);
}

}  // namespace

std::string more_sessions(const Row& row, const Comparison& comparison) {
  return remedy(row, comparison, k_usual_sessions, "would allow a claim");
}

std::string verdict_of(const Row& row, const Comparison& comparison) {
  const auto& inference = row.result.inference;
  const bool is_lent = inference && inference->spread == statistics::SpreadSource::lent;
  return own_verdict_of(row, comparison) + (is_lent ? " (by the spread of other sessions)" : "");
}

std::string answer_text(const Answer& answer, report::Format shape, bool every_point) {
  const bool is_list = shape == report::Format::markdown;
  std::string text;
  for (const std::string& line : header_lines(answer))
    text += (is_list ? "- " : "") + shown(line, shape) + "\n";
  text += "\n" + report::to_text(overall_table(answer.comparison), shape);
  const report::Table points = points_table(answer.comparison, every_point);
  if (!points.rows.empty())
    text +=
        fmt::format("\n{}\n{}",
                    every_point ? "At each point:" : "Points that differ:", is_list ? "\n" : "") +
        report::to_text(points, shape);
  return text + "\n" + shown(verdict_of(answer), shape) + "\n";
}

page::ComparisonSection section_of(const Answer& answer) {
  // A side that is a condition is put into words; a name stays unchanged.
  const auto words = [](const std::string& side) {
    return side.find_first_of("<>=(") == std::string::npos ? side : page::selection_in_words(side);
  };
  page::ComparisonSection section{
      .title = words(answer.a.label) + " against " + words(answer.b.label),
      .verdict = verdict_of(answer),
      .facts = header_lines(answer)};
  const auto add = [&](const report::Table& table, bool with_pair) {
    const auto text = [](const report::Cell& cell) { return std::get<std::string>(cell); };
    for (const auto& cells : table.rows) {
      const std::size_t at = with_pair ? 1 : 0;
      section.rows.push_back(
          {.label = text(cells[0]) + (with_pair ? " at " + text(cells[1]) : " over all points"),
           .a = text(cells[at + 1]),
           .b = text(cells[at + 2]),
           .difference = text(cells[at + 3]),
           .interval = text(cells[at + 4]),
           .verdict = text(cells[at + 6])});
    }
  };
  add(overall_table(answer.comparison), false);
  add(points_table(answer.comparison, false), true);
  return section;
}

}  // namespace orch::compare
