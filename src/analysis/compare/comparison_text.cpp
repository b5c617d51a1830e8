#include "analysis/compare/comparison_text.hpp"

#include "core/base/text.hpp"
#include "analysis/compare/comparison_table.hpp"
#include "analysis/page/labels.hpp"
#include "results/tables/scores.hpp"

#include <algorithm>
#include <map>

namespace orch::compare {

namespace {

// "; 2 only in A: isl 64, isl 128".
std::string alone(const std::vector<std::string>& pairs, std::string_view side) {
  constexpr std::size_t k_most_named = 4;
  if (pairs.empty()) return "";
  std::vector<std::string> names(
      pairs.begin(),
      pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), k_most_named)));
  if (pairs.size() > k_most_named) names.emplace_back("...");
  return fmt::format("; {} only in {}: {}", pairs.size(), side, join(names, "; "));
}

std::string measurements(std::size_t count) {
  return fmt::format("{} measurement{}", count, count == 1 ? "" : "s");
}

// "; over all points: 8 of 16, without 2 and 0 sessions of fewer points".
std::string partly(const Comparison& comparison) {
  const std::size_t all = comparison.pairing.pairs.size();
  const auto cut = std::ranges::find_if(comparison.overall, [all](const Row& row) {
    return row.result.pairs > 0 && row.result.pairs < all;
  });
  const std::size_t incomplete = comparison.incomplete_a + comparison.incomplete_b;
  if (cut == comparison.overall.end() && incomplete == 0) return "";
  std::string out = "; over all points: ";
  if (cut != comparison.overall.end())
    out += fmt::format("{} of {}, the others have fewer sessions", cut->result.pairs, all);
  if (incomplete > 0)
    out += fmt::format("{}without {} and {} sessions of fewer points",
                       cut != comparison.overall.end() ? ", " : "", comparison.incomplete_a,
                       comparison.incomplete_b);
  return out;
}

// "no value of ttft_ms: 1 and 0 valid measurements".
void add_missing(const Comparison& comparison, std::vector<std::string>& lines) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> metrics;
  for (const Row& row : comparison.overall)
    if (row.counts_a.lacking + row.counts_b.lacking > 0)
      metrics[{row.counts_a.lacking, row.counts_b.lacking}].push_back(row.metric);
  for (const auto& [counts, names] : metrics)
    lines.push_back(fmt::format("{} and {} valid measurements have no value of {}", counts.first,
                                counts.second, join(names, ", ")));
}

// Sessions answer the same questions: a server that answers alike each time has one score.
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
      fmt::format("A: {} ({})", answer.a.label, measurements(answer.measurements_a)),
      fmt::format("B: {} ({})", answer.b.label, measurements(answer.measurements_b)),
      fmt::format("{} point{} on both sides{}{}{}", pairing.pairs.size(),
                  pairing.pairs.size() == 1 ? "" : "s",
                  pairing.paired_by.empty() ? "" : ", paired by " + join(pairing.paired_by, ", "),
                  alone(pairing.only_a, "A"), alone(pairing.only_b, "B")),
      fmt::format("{} and {} server sessions{}{}", comparison.sessions_a, comparison.sessions_b,
                  comparison.by_point ? " at each point" : "", partly(comparison))};
  if (answer.older_a + answer.older_b > 0)
    lines.push_back(fmt::format("{} and {} earlier measurements are left out, as in `results`",
                                answer.older_a, answer.older_b));
  if (!comparison.missing.empty())
    lines.push_back("no common point has a value of " + join(comparison.missing, ", "));
  add_missing(comparison, lines);
  add_scores(comparison, lines);
  if (answer.bursts_a + answer.bursts_b > 0)
    lines.push_back(
        fmt::format("the stream of {} and {} measurements arrived in bursts: their TTFT and ITL "
                    "are the gateway's",
                    answer.bursts_a, answer.bursts_b));
  if (lacks_sessions(comparison))
    lines.push_back("a side with one session decides nothing; " +
                    more_sessions(comparison.overall.front(), comparison) +
                    (answer.deciding.empty() ? "" : ": " + answer.deciding));
  lines.push_back(summary_of(answer.differences));
  return lines;
}

std::string shown(const std::string& line, report::Format shape) {
  return shape == report::Format::markdown ? escaped_markdown(report::escaped(line))
                                           : report::escaped(line);
}

}  // namespace

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
  // A condition in words, a name as it is.
  const auto words = [](const std::string& side) {
    return side.find_first_of("<>=(") == std::string::npos ? side : page::selection_in_words(side);
  };
  page::ComparisonSection section{
      .title = words(answer.a.label) + " against " + words(answer.b.label),
      .verdict = verdict_of(answer),
      .rows = {},
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
