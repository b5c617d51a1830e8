#include "analysis/best/choice.hpp"

#include "core/base/text.hpp"
#include "core/statistics/shrink.hpp"
#include "core/statistics/student.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace orch::best {

namespace {

using report::Direction;

constexpr double k_upper = 0.975;  // of a 95 % interval

bool is_better(const Goal& goal, double a, double b) {
  return goal.direction == Direction::higher_is_better ? a > b : a < b;
}

// The standard error of the logarithm of a figure, from its interval. Empty: it has none.
std::optional<double> log_error(const Candidate& row) {
  const Figure& figure = *row.objective;
  if (!(figure.value > 0) || !figure.limits.low || !figure.limits.high) return {};
  if (!(*figure.limits.low > 0)) return {};
  const double half = (std::log(*figure.limits.high) - std::log(*figure.limits.low)) / 2;
  const double quantile = row.sessions >= 2 ? statistics::student_quantile(
                                                  k_upper, static_cast<double>(row.sessions - 1))
                                            : statistics::normal_quantile(k_upper);
  return half / quantile;
}

// Not told apart from the best.
bool is_close(const Ranked& ranked) {
  return ranked.rivalry && !ranked.rivalry->is_separated && !ranked.rivalry->far_larger;
}

// Fills Ranked::corrected of the best and of the rows close to it that have an interval. Others
// were not chosen from: a sweep over a load has a spread that is no noise.
void correct(Group& group, const std::optional<statistics::LentSpread>& lent) {
  std::vector<statistics::Estimate> estimates;
  std::vector<Ranked*> rows;
  group.spread_known = true;
  for (Ranked& ranked : group.rows) {
    if (&ranked != &group.rows.front()) {
      if (!is_close(ranked)) continue;
      ++group.close;
      // Of another server in one session: whether it differs by more than noise is not known.
      if (ranked.rivalry->ground == Ground::none) {
        group.spread_known = false;
        continue;
      }
    }
    const auto error = log_error(ranked.row);
    if (!error) continue;
    // One session's own interval does not contain the spread from session to session.
    const bool one = ranked.row.sessions < 2;
    if (one && !lent && &ranked == &group.rows.front()) group.spread_known = false;
    const double between = one && lent ? lent->sd : 0;
    estimates.push_back({std::log(ranked.row.objective->value), std::hypot(*error, between)});
    rows.push_back(&ranked);
  }
  constexpr std::size_t k_fewest = 3;  // fewer do not tell spread from noise
  if (rows.size() < k_fewest) return;
  const std::vector<double> shrunk = statistics::shrunk(estimates);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->corrected = std::exp(shrunk[i]);
}

std::vector<Direction> directions_of(const Question& question) {
  std::vector<Direction> out;
  for (const Goal& axis : question.front) out.push_back(axis.direction);
  return out;
}

std::optional<double> best_end(const Figure& figure, Direction direction) {
  return direction == Direction::higher_is_better ? figure.limits.high : figure.limits.low;
}

// Whether a row with the better ends of its intervals would be on the front of the others.
bool reaches(const std::vector<report::Candidate>& figures, std::size_t at, const Candidate& row,
             std::span<const Direction> directions) {
  std::vector<report::Candidate> changed = figures;
  for (std::size_t axis = 0; axis < directions.size(); ++axis)
    if (const auto end = best_end(row.axes[axis], directions[axis])) changed[at][axis] = *end;
  return report::front_of(changed, directions)[at];
}

void mark_front_of(Group& group, const Question& question) {
  if (question.front.empty()) return;
  const std::vector<Direction> directions = directions_of(question);
  std::vector<report::Candidate> figures;
  for (const Ranked& ranked : group.rows) {
    report::Candidate& one = figures.emplace_back();
    for (std::size_t axis = 0; axis < directions.size(); ++axis)
      one.push_back(axis < ranked.row.axes.size() ? std::optional(ranked.row.axes[axis].value)
                                                  : std::nullopt);
  }
  const std::vector<bool> flags = report::front_of(figures, directions);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    Ranked& ranked = group.rows[i];
    ranked.on_front = flags[i];
    ranked.reaches_front =
        !flags[i] && !ranked.row.axes.empty() && reaches(figures, i, ranked.row, directions);
  }
}

void sort_rows_of(Group& group, const Goal& goal, bool by_axis) {
  const auto value = [by_axis](const Ranked& ranked) {
    return by_axis ? ranked.row.axes.front().value : ranked.row.objective->value;
  };
  std::ranges::stable_sort(group.rows, [&](const Ranked& a, const Ranked& b) {
    return is_better(goal, value(a), value(b));
  });
}

Status compare_with_best(sql::Database& database, const Question& question, const Grounds& grounds,
                         Group& group) {
  std::vector<Candidate> first;
  for (const Ranked& ranked : group.rows)
    if (first.size() <= k_most_rivals) first.push_back(ranked.row);
  ORCH_ASSIGN(const Evidence evidence, Evidence::read(database, question, first, grounds.also));
  const std::span<const Candidate> others = std::span(first).subspan(1);
  ORCH_ASSIGN(const std::vector<Rivalry> rivalries,
              evidence.rivals_of(database, first.front(), others));
  for (std::size_t i = 0; i < rivalries.size(); ++i) group.rows[i + 1].rivalry = rivalries[i];
  for (std::size_t i = 0; i < std::min(k_confirmed_rows, first.size()); ++i) {
    const double seconds = evidence.session_seconds(first[i]);
    group.confirm_s += k_confirm_sessions * seconds;
  }
  if (grounds.confirmed) return {};  // new sessions have no luck of the best
  ORCH_ASSIGN(const compare::Lenders lenders, evidence.lenders_of(database, first));
  correct(group, lenders.spread(0));
  return {};
}

Status settle(sql::Database& database, const Question& question, const Grounds& grounds,
              Group& group) {
  if (question.goal) {
    sort_rows_of(group, *question.goal, false);
    if (!question.goal->is_set) ORCH_TRY(compare_with_best(database, question, grounds, group));
  } else {
    sort_rows_of(group, question.front.front(), true);
  }
  mark_front_of(group, question);
  if (question.subject_to.empty()) return {};
  for (std::size_t i = 0; i < group.rows.size() && !group.surely; ++i)
    if (group.rows[i].row.is_sure()) group.surely = i;
  return {};
}

}  // namespace

Result<Choice> choose_among(sql::Database& database, const Question& question,
                            Candidates candidates, const Grounds& grounds) {
  Choice out{.groups = {},
             .left_out = std::move(candidates.left_out),
             .breaking = candidates.breaking,
             .not_judged = std::move(candidates.not_judged),
             .lengths_differ = candidates.lengths_differ,
             .confirmed = grounds.confirmed};
  std::map<std::vector<std::string>, std::size_t> known;
  for (Candidate& row : candidates.rows) {
    const auto [at, is_new] = known.emplace(row.by, out.groups.size());
    if (is_new) out.groups.push_back({.by = row.by, .rows = {}});
    out.groups[at->second].rows.push_back({.row = std::move(row)});
  }
  std::ranges::stable_sort(out.groups, [](const Group& a, const Group& b) {
    return std::lexicographical_compare(
        a.by.begin(), a.by.end(), b.by.begin(), b.by.end(),
        [](const std::string& x, const std::string& y) { return compare_versions(x, y) < 0; });
  });
  for (Group& group : out.groups) ORCH_TRY(settle(database, question, grounds, group));
  return out;
}

}  // namespace orch::best
