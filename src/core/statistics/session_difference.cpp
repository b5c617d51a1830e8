#include "core/statistics/session_difference.hpp"

#include "core/base/text.hpp"
#include "core/statistics/student.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <string_view>

namespace orch::statistics {
namespace {

// Spreads below this fraction of the mean are rounding errors of equal values.
constexpr double k_rounding = 1e-12;
// The level of the test whether the sides vary more than the earlier sessions.
constexpr double k_contradiction = 0.05;

// One pair common to all sessions.
struct Row {
  std::vector<double> values;       // on the working scale, one for each session
  std::optional<NoClaim> defect{};  // of a value; VALUES are then meaningless
};

using Rows = std::map<std::string_view, Row>;

struct Table {
  Rows rows;
  std::size_t left_out = 0;  // pairs missing from some session
};

class Cell {
 public:
  void add(double value, Scale scale) {
    if (!std::isfinite(value)) defect_ = NoClaim::value_not_finite;
    else if (scale == Scale::ratio && value <= 0) defect_ = NoClaim::value_not_positive;
    else sum_ += scale == Scale::ratio ? std::log(value) : value;
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  std::optional<NoClaim> defect() const { return defect_; }
  double mean() const { return sum_ / count_; }

 private:
  double sum_ = 0;
  int count_ = 0;
  std::optional<NoClaim> defect_{};
};

Table table_of(std::span<const Session* const> sessions, Scale scale) {
  std::map<std::string_view, std::vector<Cell>> cells;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    for (const Observation& one : *sessions[i]) {
      std::vector<Cell>& row = cells[one.pair];
      row.resize(sessions.size());
      row[i].add(one.value, scale);
    }
  }
  Table table;
  for (const auto& [pair, row] : cells) {
    if (std::ranges::any_of(row, [](const Cell& cell) { return cell.empty(); })) {
      ++table.left_out;
      continue;
    }
    Row& kept = table.rows[pair];
    for (const Cell& cell : row) {
      if (cell.defect()) kept.defect = cell.defect();
      kept.values.push_back(cell.mean());
    }
  }
  return table;
}

std::optional<NoClaim> defect_of(const Rows& rows) {
  for (const auto& [pair, row] : rows)
    if (row.defect) return row.defect;
  return {};
}

std::vector<double> mean_over_pairs(const Rows& rows, std::size_t sessions) {
  std::vector<double> means(sessions);
  for (const auto& [pair, row] : rows)
    for (std::size_t i = 0; i < sessions; ++i) means[i] += row.values[i];
  for (double& mean : means) mean /= static_cast<double>(rows.size());
  return means;
}

struct Moments {
  double n = 0;
  double mean = 0;
  double squares = 0;  // sum of the squared deviations from the mean

  double degrees() const { return n - 1; }
  double variance() const { return squares / degrees(); }
};

Moments moments_of(std::span<const double> values) {
  Moments out;
  out.n = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / out.n;
  for (const double value : values) out.squares += (value - out.mean) * (value - out.mean);
  return out;
}

// A standard error and its degrees of freedom.
struct Spread {
  double standard_error = 0;
  double degrees = 0;
  SpreadSource source = SpreadSource::pooled;
};

// A part of the variance of a difference.
struct Term {
  double variance = 0;
  double degrees = 0;  // of freedom
};

Spread welch(std::span<const Term> terms) {
  double sum = 0, denominator = 0, degrees = 0;
  for (const Term& term : terms) {
    sum += term.variance;
    denominator += term.variance * term.variance / term.degrees;
    degrees += term.degrees;
  }
  return {.standard_error = std::sqrt(sum),
          .degrees = denominator > 0 ? sum * sum / denominator : degrees,
          .source = SpreadSource::welch};
}

// The term of a mean of the values behind MOMENTS, with weight 1 / PARTS in a sum.
Term term_of(const Moments& moments, double parts = 1) {
  return {moments.variance() / (moments.n * parts * parts), moments.degrees()};
}

Spread pooled(const Moments& a, const Moments& b, double lent_variance, double lent_degrees) {
  const double degrees = a.degrees() + b.degrees() + lent_degrees;
  const double variance = (a.squares + b.squares + lent_degrees * lent_variance) / degrees;
  return {.standard_error = std::sqrt(variance * (1 / a.n + 1 / b.n)),
          .degrees = degrees,
          .source = lent_degrees > 0 ? SpreadSource::lent : SpreadSource::pooled};
}

bool contradicts(const Moments& a, const Moments& b, double lent_variance, double lent_degrees) {
  const double degrees = a.degrees() + b.degrees();
  if (degrees <= 0) return false;
  const double own = (a.squares + b.squares) / degrees;
  if (!(lent_variance > 0)) return own > 0;
  return f_exceedance(own / lent_variance, degrees, lent_degrees) < k_contradiction;
}

std::variant<Spread, NoClaim> spread_of(const Moments& a, const Moments& b,
                                        std::optional<double> lent_sd, double lent_degrees) {
  const bool alone = a.n < 2 || b.n < 2;
  if (lent_sd) {
    const double variance = *lent_sd * *lent_sd;
    if (!contradicts(a, b, variance, lent_degrees)) return pooled(a, b, variance, lent_degrees);
    if (alone) return NoClaim::spread_contradicted;
  }
  if (alone) return NoClaim::one_session;
  if (a.n == b.n) return pooled(a, b, 0, 0);
  return welch(std::vector{term_of(a), term_of(b)});
}

// Makes results from means, or from values: those of side A, then those of side B.
class Comparison {
 public:
  Comparison(std::size_t sessions_a, std::size_t sessions_b, const DifferenceOptions& options)
      : options_(options) {
    assert(options.level > 0 && options.level < 1);
    out_.scale = options.scale;
    out_.sessions_a = sessions_a;
    out_.sessions_b = sessions_b;
  }

  SessionDifference of(std::span<const double> values) const {
    const Moments a = moments_of(values.first(out_.sessions_a));
    const Moments b = moments_of(values.subspan(out_.sessions_a));
    std::optional<double> lent_sd;
    if (options_.lent) lent_sd = options_.lent->sd;
    return of(a.mean, b.mean, spread_of(a, b, lent_sd, options_.lent ? options_.lent->degrees : 0));
  }

  SessionDifference of(double mean_a, double mean_b,
                       const std::variant<Spread, NoClaim>& spread) const {
    SessionDifference out = out_;
    double difference = mean_b - mean_a;
    const double rounding = k_rounding * std::max({1.0, std::abs(mean_a), std::abs(mean_b)});
    if (std::abs(difference) <= rounding) difference = 0;
    out.difference = in_unit(difference);
    if (const auto* none = std::get_if<NoClaim>(&spread)) {
      out.no_claim = *none;
      return out;
    }
    Spread found = std::get<Spread>(spread);
    if (found.standard_error <= rounding) found.standard_error = 0;
    out.inference = inference(difference, found);
    return out;
  }

  // A result without a difference.
  SessionDifference none(NoClaim why) const {
    SessionDifference out = out_;
    out.no_claim = why;
    return out;
  }

 private:
  double in_unit(double difference) const {
    return options_.scale == Scale::ratio ? 100 * std::expm1(difference) : difference;
  }

  Inference inference(double difference, const Spread& spread) const {
    const double half =
        student_quantile((1 + options_.level) / 2, spread.degrees) * spread.standard_error;
    const double t = difference == 0 ? 0 : difference / spread.standard_error;
    return {.low = in_unit(difference - half),
            .high = in_unit(difference + half),
            .p = two_sided_p(t, spread.degrees),
            .standard_error = spread.standard_error,
            .degrees = spread.degrees,
            .level = options_.level,
            .spread = spread.source};
  }

  DifferenceOptions options_;
  SessionDifference out_;
};

std::vector<const Session*> addresses(const Sessions& a, const Sessions& b) {
  std::vector<const Session*> out;
  for (const Session& session : a) out.push_back(&session);
  for (const Session& session : b) out.push_back(&session);
  return out;
}

// The values of each pair over the sessions that have it; with WHOLE, only of the pairs common to
// all.
Rows rows_of(const Sessions& sessions, Scale scale, bool whole) {
  Rows out;
  for (const Session& session : sessions) {
    std::map<std::string_view, Cell> cells;
    for (const Observation& one : session) cells[one.pair].add(one.value, scale);
    for (const auto& [pair, cell] : cells) {
      Row& row = out[pair];
      if (cell.defect()) row.defect = cell.defect();
      row.values.push_back(cell.mean());
    }
  }
  if (whole)
    std::erase_if(out, [&](const auto& row) { return row.second.values.size() < sessions.size(); });
  return out;
}

// Erases the pairs that the other side lacks. Returns how many there were.
std::size_t keep_common(Rows& a, Rows& b) {
  const auto erase_alone = [](Rows& from, const Rows& other) {
    return std::erase_if(from, [&](const auto& row) { return !other.contains(row.first); });
  };
  return erase_alone(a, b) + erase_alone(b, a);
}

struct SideMean {
  double mean = 0;
  std::size_t sessions = 0;   // the fewest of any pair
  std::vector<Term> terms{};  // of its variance; empty with one session
};

SideMean mean_of(const Rows& rows, bool apart) {
  SideMean out{.sessions = rows.begin()->second.values.size()};
  std::vector<Moments> parts;
  if (!apart) parts.push_back(moments_of(mean_over_pairs(rows, out.sessions)));
  for (const auto& [pair, row] : rows) {
    out.sessions = std::min(out.sessions, row.values.size());
    if (apart) parts.push_back(moments_of(row.values));
  }
  const auto count = static_cast<double>(parts.size());
  for (const Moments& part : parts) {
    out.mean += part.mean / count;
    if (out.sessions > 1) out.terms.push_back(term_of(part, count));
  }
  return out;
}

// The difference if the sessions of one side or of both are apart.
SessionDifference apart_difference(const Sessions& a, const Sessions& b,
                                   const DifferenceOptions& options) {
  Rows of_a = rows_of(a, options.scale, !options.apart_a);
  Rows of_b = rows_of(b, options.scale, !options.apart_b);
  const std::size_t left_out = keep_common(of_a, of_b);
  SessionDifference out;
  if (of_a.empty()) {
    out = Comparison(a.size(), b.size(), options).none(NoClaim::no_common_pair);
  } else {
    const SideMean in_a = mean_of(of_a, options.apart_a), in_b = mean_of(of_b, options.apart_b);
    const Comparison comparison(in_a.sessions, in_b.sessions, options);
    std::vector<Term> terms = in_a.terms;
    terms.insert(terms.end(), in_b.terms.begin(), in_b.terms.end());
    const bool alone = in_a.terms.empty() || in_b.terms.empty();
    auto defect = defect_of(of_a);
    if (!defect) defect = defect_of(of_b);
    if (defect) out = comparison.none(*defect);
    else if (alone) out = comparison.of(in_a.mean, in_b.mean, NoClaim::one_session);
    else out = comparison.of(in_a.mean, in_b.mean, welch(terms));
  }
  out.pairs = of_a.size();
  out.pairs_left_out = left_out;
  return out;
}

}  // namespace

SessionDifference session_difference(const Sessions& a, const Sessions& b,
                                     const DifferenceOptions& options) {
  const Comparison comparison(a.size(), b.size(), options);
  if (a.empty() || b.empty()) return comparison.none(NoClaim::no_session);
  if (options.apart_a || options.apart_b) return apart_difference(a, b, options);
  const Table table = table_of(addresses(a, b), options.scale);
  SessionDifference out;
  if (table.rows.empty()) out = comparison.none(NoClaim::no_common_pair);
  else if (const std::optional<NoClaim> defect = defect_of(table.rows))
    out = comparison.none(*defect);
  else out = comparison.of(mean_over_pairs(table.rows, a.size() + b.size()));
  out.pairs = table.rows.size();
  out.pairs_left_out = table.left_out;
  return out;
}

std::optional<double> session_sd(const SessionDifference& difference) {
  if (!difference.inference) return {};
  const double share = 1 / static_cast<double>(difference.sessions_a) +
                       1 / static_cast<double>(difference.sessions_b);
  return difference.inference->standard_error / std::sqrt(share);
}

std::optional<LentSpread> lent_spread(std::span<const Sessions> groups, Scale scale) {
  double squares = 0;
  double pair_squares = 0;  // mean over the pairs of a group
  double degrees = 0;
  for (const Sessions& group : groups) {
    if (group.size() < 2) continue;
    Table table = table_of(addresses(group, {}), scale);
    std::erase_if(table.rows, [](const auto& row) { return row.second.defect.has_value(); });
    if (table.rows.empty()) continue;
    squares += moments_of(mean_over_pairs(table.rows, group.size())).squares;
    for (const auto& [pair, row] : table.rows)
      pair_squares += moments_of(row.values).squares / static_cast<double>(table.rows.size());
    degrees += static_cast<double>(group.size() - 1);
  }
  if (degrees < k_lent_degrees_least) return {};
  return LentSpread{.sd = std::sqrt(squares / degrees),
                    .pair_sd = std::sqrt(pair_squares / degrees),
                    .degrees = degrees};
}

std::optional<double> largest_difference(std::span<const Sessions> groups) {
  std::optional<double> largest;
  for (const Sessions& group : groups) {
    if (group.size() < 2) continue;
    Table table = table_of(addresses(group, {}), Scale::ratio);
    std::erase_if(table.rows, [](const auto& row) { return row.second.defect.has_value(); });
    if (table.rows.empty()) continue;
    const auto means = mean_over_pairs(table.rows, group.size());
    const auto [low, high] = std::minmax_element(means.begin(), means.end());
    largest = std::max(largest.value_or(0), *high - *low);
  }
  return largest;
}

bool is_far_larger(const SessionDifference& difference, std::optional<double> largest) {
  if (difference.inference || !difference.difference || difference.scale != Scale::ratio)
    return false;
  if (difference.no_claim != NoClaim::one_session &&
      difference.no_claim != NoClaim::spread_contradicted)
    return false;
  const double error =
      k_assumed_session_sd * std::sqrt(1 / static_cast<double>(difference.sessions_a) +
                                       1 / static_cast<double>(difference.sessions_b));
  const double size = std::abs(std::log1p(*difference.difference / 100));
  return size > std::max(k_far_larger_errors * error, largest.value_or(0));
}

}  // namespace orch::statistics
