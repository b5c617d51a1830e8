#include "statistics/session_difference.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <string_view>

#include "statistics/student.hpp"

namespace orch::statistics {
namespace {

// Spreads below this share of the mean are rounding errors of equal values.
constexpr double k_rounding = 1e-12;
// The level of the test whether the sides vary more than the sessions that lend their spread.
constexpr double k_contradiction = 0.05;

// One pair that every session has.
struct Row {
  std::vector<double> values;       // on the working scale, one for each session
  std::optional<NoClaim> defect{};  // of a value; VALUES mean nothing then
};

struct Table {
  std::map<std::string_view, Row> rows;
  std::size_t left_out = 0;  // pairs that some session lacks
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
    if (std::any_of(row.begin(), row.end(), [](const Cell& cell) { return cell.empty(); })) {
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

std::optional<NoClaim> defect_of(const Table& table) {
  for (const auto& [pair, row] : table.rows)
    if (row.defect) return row.defect;
  return {};
}

std::vector<double> mean_over_pairs(const Table& table, std::size_t sessions) {
  std::vector<double> means(sessions);
  for (const auto& [pair, row] : table.rows)
    for (std::size_t i = 0; i < sessions; ++i) means[i] += row.values[i];
  for (double& mean : means) mean /= static_cast<double>(table.rows.size());
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

Spread welch(const Moments& a, const Moments& b) {
  const double of_a = a.variance() / a.n;
  const double of_b = b.variance() / b.n;
  const double sum = of_a + of_b;
  const double denominator = of_a * of_a / a.degrees() + of_b * of_b / b.degrees();
  return {.standard_error = std::sqrt(sum),
          .degrees = denominator > 0 ? sum * sum / denominator : a.degrees() + b.degrees(),
          .source = SpreadSource::welch};
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
  return a.n == b.n ? pooled(a, b, 0, 0) : welch(a, b);
}

// Which of the two spreads of LentSpread belongs to the values.
enum class Over { pairs, one_pair };

// VALUES: those of side A, then those of side B.
class Comparison {
 public:
  Comparison(std::size_t sessions_a, std::size_t sessions_b, const DifferenceOptions& options)
      : options_(options) {
    assert(options.level > 0 && options.level < 1);
    out_.scale = options.scale;
    out_.sessions_a = sessions_a;
    out_.sessions_b = sessions_b;
  }

  SessionDifference of(std::span<const double> values, Over over) const {
    SessionDifference out = out_;
    const Moments a = moments_of(values.first(out.sessions_a));
    const Moments b = moments_of(values.subspan(out.sessions_a));
    double difference = b.mean - a.mean;
    const double rounding = k_rounding * std::max({1.0, std::abs(a.mean), std::abs(b.mean)});
    if (std::abs(difference) <= rounding) difference = 0;
    out.difference = in_unit(difference);
    std::optional<double> lent_sd;
    if (options_.lent) lent_sd = over == Over::pairs ? options_.lent->sd : options_.lent->pair_sd;
    const auto spread = spread_of(a, b, lent_sd, options_.lent ? options_.lent->degrees : 0);
    if (const auto* none = std::get_if<NoClaim>(&spread)) {
      out.no_claim = *none;
      return out;
    }
    Spread found = std::get<Spread>(spread);
    if (found.standard_error <= rounding) found.standard_error = 0;
    out.inference = inference(difference, found);
    return out;
  }

  // Without a difference.
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

}  // namespace

SessionDifference session_difference(const Sessions& a, const Sessions& b,
                                     const DifferenceOptions& options) {
  const Comparison comparison(a.size(), b.size(), options);
  if (a.empty() || b.empty()) return comparison.none(NoClaim::no_session);
  const Table table = table_of(addresses(a, b), options.scale);
  SessionDifference out;
  if (table.rows.empty()) out = comparison.none(NoClaim::no_common_pair);
  else if (const std::optional<NoClaim> defect = defect_of(table)) out = comparison.none(*defect);
  else out = comparison.of(mean_over_pairs(table, a.size() + b.size()), Over::pairs);
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

std::vector<PairDifference> pair_differences(const Sessions& a, const Sessions& b,
                                             const DifferenceOptions& options) {
  if (a.empty() || b.empty()) return {};
  const Comparison comparison(a.size(), b.size(), options);
  const Table table = table_of(addresses(a, b), options.scale);
  std::vector<PairDifference> out;
  for (const auto& [pair, row] : table.rows) {
    out.push_back({std::string(pair), row.defect ? comparison.none(*row.defect)
                                                 : comparison.of(row.values, Over::one_pair)});
    out.back().result.pairs = 1;
  }
  return out;
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
    squares += moments_of(mean_over_pairs(table, group.size())).squares;
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
    const auto means = mean_over_pairs(table, group.size());
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
