#include "analysis/best/choice.hpp"

#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "core/statistics/sequential.hpp"
#include "core/statistics/student.hpp"
#include "core/statistics/verdict.hpp"

#include <cmath>

namespace orch::best {

namespace {

using compare::ObservedSession;
using report::Direction;

constexpr double k_level = 0.95, k_alpha = 0.05;
constexpr int k_most_sessions_told = 1000;

// Whether the objective is positive in every session, so that differences can be in %.
bool are_positive(std::span<const ObservedSession> sessions) {
  return std::ranges::all_of(sessions, [](const ObservedSession& session) {
    return std::ranges::all_of(session.observations,
                               [](const statistics::Observation& one) { return one.value > 0; });
  });
}

double mean_of(const ObservedSession& session) {
  double sum = 0;
  for (const statistics::Observation& one : session.observations) sum += one.value;
  return sum / static_cast<double>(session.observations.size());
}

double in_percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

// The logarithms of rival / best within each session that measured both.
std::vector<double> shared_ratios(std::span<const ObservedSession> best,
                                  std::span<const ObservedSession> rival) {
  std::map<std::int64_t, double> of_best;
  for (const ObservedSession& session : best)
    if (!session.sessions.empty()) of_best.emplace(session.sessions.front(), mean_of(session));
  std::vector<double> out;
  for (const ObservedSession& session : rival) {
    if (session.sessions.empty()) continue;
    const auto found = of_best.find(session.sessions.front());
    if (found != of_best.end()) out.push_back(std::log(mean_of(session) / found->second));
  }
  return out;
}

void set_limits(Rivalry& out, double difference, double standard_error, double degrees) {
  const double half = statistics::student_quantile((1 + k_level) / 2, degrees) * standard_error;
  out.percent = in_percent(difference);
  out.low = in_percent(difference - half);
  out.high = in_percent(difference + half);
  out.p = standard_error > 0 ? statistics::two_sided_p(difference / standard_error, degrees)
                             : (difference == 0 ? 1 : 0);
}

void need_sessions(Rivalry& out, double difference, double sd) {
  if (sd > 0 && difference != 0)
    out.sessions_needed =
        statistics::sessions_needed(std::fabs(difference), sd, {}, k_most_sessions_told);
}

Rivalry within_sessions(const std::vector<double>& ratios) {
  Rivalry out{.ground = Ground::shared};
  const auto count = static_cast<double>(ratios.size());
  double mean = 0, squares = 0;
  for (const double ratio : ratios) mean += ratio / count;
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  const double sd = std::sqrt(squares / (count - 1));
  set_limits(out, mean, sd / std::sqrt(count), count - 1);
  need_sessions(out, mean, sd);
  return out;
}

statistics::BoundedEstimate log_estimate(const Figure& figure) {
  statistics::BoundedEstimate out{.value = std::log(figure.value)};
  if (figure.limits.low && *figure.limits.low > 0) out.limits.low = std::log(*figure.limits.low);
  if (figure.limits.high) out.limits.high = std::log(*figure.limits.high);
  return out;
}

// Compares two configurations measured in one session: the effect of the server's start is the same
// for both.
std::optional<Rivalry> within_one_session(const Figure& best, const Figure& rival) {
  if (!(best.value > 0 && rival.value > 0)) return {};
  const auto a = log_estimate(rival), b = log_estimate(best);
  const statistics::Limits limits = statistics::limits_of_difference(a, b);
  const double difference = a.value - b.value;
  const auto toward_zero = difference > 0 ? limits.low : limits.high;
  if (!toward_zero) return {};
  Rivalry out{.ground = Ground::one, .percent = in_percent(difference)};
  if (limits.low) out.low = in_percent(*limits.low);
  if (limits.high) out.high = in_percent(*limits.high);
  const double half = std::fabs(difference - *toward_zero);
  const double error = half / statistics::normal_quantile((1 + k_level) / 2);
  out.p = error > 0 ? 2 * statistics::normal_probability(-std::fabs(difference) / error)
                    : (difference == 0 ? 1 : 0);
  return out;
}

Rivalry between_sessions(const statistics::SessionDifference& difference) {
  Rivalry out{.ground = Ground::none, .percent = difference.difference};
  if (!difference.inference) return out;
  const statistics::Inference& inference = *difference.inference;
  out.ground = inference.spread == statistics::SpreadSource::lent ? Ground::lent : Ground::sessions;
  out.low = inference.low;
  out.high = inference.high;
  out.p = inference.p;
  if (difference.difference)
    need_sessions(out, std::log1p(*difference.difference / 100),
                  *statistics::session_sd(difference));
  return out;
}

constexpr double k_upper = 0.975;  // of a 95 % interval

bool is_better(const Goal& goal, double a, double b) {
  return goal.direction == Direction::higher_is_better ? a > b : a < b;
}

// The standard error of the logarithm of a figure, from its interval; nullopt without one.
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

// Whether RANKED cannot be distinguished from the best.
bool is_close(const Ranked& ranked) {
  return ranked.rivalry && !ranked.rivalry->is_separated && !ranked.rivalry->far_larger;
}

// Fills Ranked::corrected of the best and of the rows close to it that have an interval. Other rows
// are left out, because the spread of a sweep over a load is not noise.
void correct(Group& group, const std::optional<statistics::LentSpread>& lent) {
  std::vector<statistics::Estimate> estimates;
  std::vector<Ranked*> rows;
  group.spread_known = true;
  for (Ranked& ranked : group.rows) {
    if (&ranked != &group.rows.front()) {
      if (!is_close(ranked)) continue;
      ++group.close;
      // Measured on another server in a single session: whether it differs by more than noise is
      // unknown.
      if (ranked.rivalry->ground == Ground::none) {
        group.spread_known = false;
        continue;
      }
    }
    const auto error = log_error(ranked.row);
    if (!error) continue;
    // One session's interval does not include the spread between sessions.
    const bool one = ranked.row.sessions < 2;
    if (one && !lent && &ranked == &group.rows.front()) group.spread_known = false;
    const double between = one && lent ? lent->sd : 0;
    estimates.push_back({std::log(ranked.row.objective->value), std::hypot(*error, between)});
    rows.push_back(&ranked);
  }
  constexpr std::size_t k_fewest = 3;  // fewer do not separate spread from noise
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

// Whether a row at the better ends of its intervals would be on the front of the others.
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
  if (grounds.confirmed) return {};  // new sessions have no selection bias
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

Result<Evidence> Evidence::read(sql::Database& database, const Question& question,
                                std::span<const Candidate> rows, const std::string& also) {
  Evidence out;
  out.question_ = &question;
  std::vector<std::string> metrics = {question.goal->column};
  for (const std::string_view column : columns_of_factor()) metrics.emplace_back(column);
  metrics.emplace_back(metric::server_start_s);
  std::string where = "(" + condition_of_points(rows) + ")";
  if (!also.empty()) where += " AND (" + also + ")";
  ORCH_ASSIGN(out.selected_, compare::select_measured(database, where, metrics));
  for (compare::Measured& row : out.selected_.rows) {
    const auto value_of = [&](std::string_view column) -> std::optional<double> {
      for (std::size_t i = 1; i < metrics.size(); ++i)
        if (metrics[i] == column) return row.values[i];
      return {};
    };
    const Factor factor = factor_of(question, value_of);
    if (row.values[0] && factor.value) *row.values[0] *= *factor.value;
    else row.values[0].reset();
  }
  return out;
}

std::vector<ObservedSession> Evidence::sessions_of(const Candidate& row) const {
  const auto pair_of = [&](const compare::Measured& one) -> std::optional<std::string> {
    if (one.experiment != row.experiment || one.point != row.point) return {};
    return "";
  };
  return compare::observations_of(selected_, 0, pair_of, {.older_too = false}).sessions;
}

double Evidence::session_seconds(const Candidate& row) const {
  double sum = 0;
  int count = 0;
  for (const compare::Measured& one : selected_.rows) {
    if (one.experiment != row.experiment || one.point != row.point || !one.valid) continue;
    if (!one.session) return 0;  // not measured by a server of ours
    sum += std::max(0.0, one.ended_at - one.begun_at) + one.values.back().value_or(0);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

Result<compare::Lenders> Evidence::lenders_of(sql::Database& database,
                                              std::span<const Candidate> rows) const {
  // A figure per joule also has the spread of power, which no other session lends.
  if (question_->per == Per::joule) return compare::Lenders();
  std::vector<std::int64_t> measurements;
  for (const compare::Measured& one : selected_.rows)
    if (std::ranges::any_of(rows, [&](const Candidate& row) {
          return row.experiment == one.experiment && row.point == one.point;
        }))
      measurements.push_back(one.measurement);
  return compare::Lenders::read(database, measurements, {&question_->goal->column, 1});
}

Result<Rivalry> Evidence::rivalry(sql::Database& database, const Candidate& best,
                                  const Candidate& rival) const {
  const auto of_best = sessions_of(best), of_rival = sessions_of(rival);
  if (!are_positive(of_best) || !are_positive(of_rival)) return Rivalry();
  const std::vector<double> ratios = shared_ratios(of_best, of_rival);
  if (ratios.size() >= 2) return within_sessions(ratios);
  const std::size_t fewest = std::min(of_best.size(), of_rival.size());
  if (ratios.size() == 1 && fewest == 1 && best.objective && rival.objective) {
    auto within = within_one_session(*best.objective, *rival.objective);
    if (within) return *within;
  }
  statistics::DifferenceOptions options{.level = k_level};
  compare::Lenders lenders;
  if (fewest == 1) {
    const Candidate both[] = {best, rival};
    ORCH_ASSIGN(lenders, lenders_of(database, both));
    options.lent = lenders.spread(0);
  }
  const auto difference = statistics::session_difference(compare::sessions_of(of_best),
                                                         compare::sessions_of(of_rival), options);
  Rivalry out = between_sessions(difference);
  out.far_larger = statistics::is_far_larger(difference, lenders.largest(0));
  return out;
}

Result<std::vector<Rivalry>> Evidence::rivals_of(sql::Database& database, const Candidate& best,
                                                 std::span<const Candidate> rows) const {
  std::vector<Rivalry> out;
  std::vector<double> p_values;
  for (const Candidate& row : rows) {
    ORCH_ASSIGN(Rivalry one, rivalry(database, best, row));
    one.sessions_best = sessions_of(best).size();
    one.sessions_rival = sessions_of(row).size();
    p_values.push_back(one.p);
    out.push_back(one);
  }
  const std::vector<double> adjusted = statistics::holm(p_values);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].p = adjusted[i];
    out[i].is_separated = out[i].ground != Ground::none && adjusted[i] <= k_alpha;
    if (out[i].is_separated) out[i].sessions_needed.reset();
  }
  return out;
}

Result<Choice> choose_among(sql::Database& database, const Question& question,
                            Candidates candidates, const Grounds& grounds) {
  Choice out{.left_out = std::move(candidates.left_out),
             .breaking = candidates.breaking,
             .not_judged = std::move(candidates.not_judged),
             .lengths_differ = candidates.lengths_differ,
             .confirmed = grounds.confirmed};
  std::map<std::vector<std::string>, std::size_t> known;
  for (Candidate& row : candidates.rows) {
    const auto [at, is_new] = known.emplace(row.by, out.groups.size());
    if (is_new) out.groups.push_back({.by = row.by});
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
