#include "bench/measure/over_repeats.hpp"

#include "bench/measure/statistics.hpp"
#include "core/statistics/student.hpp"

#include <array>
#include <cmath>

namespace orch::measure {

namespace {

constexpr double k_many_over_seven_degrees = 0.8289;  // quantiles of Student's t: 1.9600 / 2.3646

struct Value {
  std::int64_t session = 0;
  double value = 0;
  std::optional<double> low, high;  // its own limits
};

// The independent values: the means of the sessions, or the repeats of a single session.
std::vector<double> units_of(const std::vector<Value>& values) {
  std::map<std::int64_t, std::vector<double>> sessions;
  for (const Value& value : values) sessions[value.session].push_back(value.value);
  if (sessions.size() == 1) return std::move(sessions.begin()->second);
  std::vector<double> units;
  for (const auto& [session, own] : sessions) units.push_back(mean_of(own));
  return units;
}

// Half the width of Student's 95 % interval of MEAN, the mean of UNITS. 0 for equal values, for
// which the formula would give rounding errors.
double half_width_of(std::span<const double> units, double mean) {
  if (units.size() < 2) return 0;
  const auto [least, most] = std::minmax_element(units.begin(), units.end());
  if (*least == *most) return 0;
  double squares = 0;
  for (const double unit : units) squares += (unit - mean) * (unit - mean);
  const auto n = static_cast<double>(units.size());
  return statistics::student_quantile(0.975, n - 1) * std::sqrt(squares / (n - 1) / n);
}

// The distance of the mean's limit on one side, from the values' own limits alone; nullopt if none
// has a limit on that side.
std::optional<double> own_distance(const std::vector<Value>& values,
                                   std::optional<double> Value::*limit) {
  double squares = 0;
  std::size_t with = 0;
  for (const Value& value : values)
    if (value.*limit) {
      const double distance = value.value - *(value.*limit);
      squares += distance * distance;
      ++with;
    }
  if (with == 0) return std::nullopt;
  return std::sqrt(squares / static_cast<double>(with) / static_cast<double>(values.size()));
}

struct Pooled {
  std::optional<double> value, low, high;
};

Pooled pooled(const std::vector<Value>& values, bool is_percentile) {
  if (values.empty()) return {};
  if (values.size() == 1) return {values[0].value, values[0].low, values[0].high};
  const std::vector<double> units = units_of(values);
  const double mean = mean_of(units), between = half_width_of(units, mean);
  const double share = is_percentile ? 1 : k_many_over_seven_degrees;
  const bool none_below_zero =
      std::ranges::all_of(values, [](const Value& value) { return value.value >= 0; });
  Pooled out{.value = mean, .low = {}, .high = {}};
  const auto below = own_distance(values, &Value::low), above = own_distance(values, &Value::high);
  if (below || !is_percentile) {
    out.low = mean - std::max(between, share * below.value_or(0));
    if (none_below_zero) out.low = std::max(*out.low, 0.0);
  }
  if (above || !is_percentile) out.high = mean + std::max(between, share * above.value_or(0));
  return out;
}

// The mean, described like a percentile.
constexpr Percentile k_mean = {0, Statistic::mean, Statistic::interval_low,
                               Statistic::interval_high};

std::vector<Value> values_of(std::span<const Repeat> repeats, const Percentile& one) {
  std::vector<Value> values;
  for (const Repeat& repeat : repeats) {
    const auto& value = one.value == Statistic::mean ? repeat.mean : repeat.statistics[one.value];
    if (value)
      values.push_back(
          {repeat.session, *value, repeat.statistics[one.low], repeat.statistics[one.high]});
  }
  return values;
}

// The spread over all samples, with equal weight per repeat.
std::optional<double> spread_of(std::span<const Repeat> repeats) {
  double within = 0, sum = 0, squares = 0;
  std::size_t spreads = 0, means = 0;
  for (const Repeat& repeat : repeats) {
    if (const auto& sd = repeat.statistics[Statistic::sd]) {
      within += *sd * *sd;
      ++spreads;
    }
    if (repeat.mean) {
      sum += *repeat.mean;
      squares += *repeat.mean * *repeat.mean;
      ++means;
    }
  }
  if (spreads == 0) return std::nullopt;
  if (spreads == 1 && means < 2) {
    for (const Repeat& repeat : repeats)
      if (repeat.statistics[Statistic::sd]) return repeat.statistics[Statistic::sd];
  }
  const double n = static_cast<double>(std::max<std::size_t>(means, 1)), mean = sum / n;
  return std::sqrt(within / static_cast<double>(spreads) +
                   std::max(0.0, squares / n - mean * mean));
}

template <class Combine>
std::optional<double> combined(std::span<const Repeat> repeats, Statistic statistic,
                               Combine combine) {
  std::optional<double> out;
  for (const Repeat& repeat : repeats)
    if (const auto& value = repeat.statistics[statistic])
      out = out ? combine(*out, *value) : *value;
  return out;
}

constexpr auto k_least = [](double a, double b) { return std::min(a, b); };
constexpr auto k_most = [](double a, double b) { return std::max(a, b); };

constexpr std::size_t k_batches = 20;
constexpr double k_most_t_of_slope = 2.8;
constexpr double k_most_t_of_step = 3.9;  // of the greatest of 19
constexpr double k_least_change = 0.05;

using Batches = std::array<double, k_batches>;

std::span<const double> without_first(std::span<const double> values, std::size_t batches) {
  return values.subspan(batches * values.size() / k_batches);
}

// nullopt if a batch mean is zero.
std::optional<Batches> log_means(std::span<const double> values) {
  Batches out{};
  for (std::size_t i = 0; i < k_batches; ++i) {
    const std::size_t begin = i * values.size() / k_batches;
    const std::size_t end = (i + 1) * values.size() / k_batches;
    const double mean = mean_of(values.subspan(begin, end - begin));
    if (!(mean > 0)) return {};
    out[i] = std::log(mean);
  }
  return out;
}

// The variance of a level estimated from one batch, from the residuals of a model with two
// parameters.
double variance_of_one(const Batches& residuals) {
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < k_batches; ++i) {
    squares += residuals[i] * residuals[i];
    if (i > 0) products += residuals[i] * residuals[i - 1];
  }
  if (squares <= 0) return 0;
  const double correlation = std::clamp(products / squares, 0.0, 0.9);
  return squares / (k_batches - 2) * (1 + correlation) / (1 - correlation);
}

bool exceeds(double change, double variance, double most_t) {
  return std::abs(change) >= k_least_change && std::abs(change) > most_t * std::sqrt(variance);
}

bool slopes(const Batches& batches) {
  constexpr double k_middle = (k_batches - 1) / 2.0;
  const double mean = mean_of(batches);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < k_batches; ++i) {
    const double at = static_cast<double>(i) - k_middle;
    squares += at * at;
    products += at * (batches[i] - mean);
  }
  const double slope = products / squares;
  Batches residuals{};
  for (std::size_t i = 0; i < k_batches; ++i)
    residuals[i] = batches[i] - mean - slope * (static_cast<double>(i) - k_middle);
  constexpr double k_half_run = k_batches / 2.0;
  return exceeds(slope * k_half_run, variance_of_one(residuals) / squares * k_half_run * k_half_run,
                 k_most_t_of_slope);
}

bool steps(const Batches& batches) {
  for (std::size_t split = 1; split < k_batches; ++split) {
    const double before = mean_of(std::span(batches).first(split));
    const double after = mean_of(std::span(batches).subspan(split));
    Batches residuals{};
    for (std::size_t i = 0; i < k_batches; ++i)
      residuals[i] = batches[i] - (i < split ? before : after);
    const double share =
        1.0 / static_cast<double>(split) + 1.0 / static_cast<double>(k_batches - split);
    if (exceeds(after - before, variance_of_one(residuals) * share, k_most_t_of_step)) return true;
  }
  return false;
}

bool is_steady(std::span<const double> values) {
  const std::optional<Batches> batches = log_means(values);
  return !batches || (!slopes(*batches) && !steps(*batches));
}

std::string sentence_of(std::string_view name, std::span<const double> values,
                        std::optional<std::int64_t> settled) {
  if (settled) {
    const auto before = static_cast<std::size_t>(*settled);
    return fmt::format(
        "{} settled only after {} of {}: {:.4g} on average before, {:.4g} after; send more "
        "requests, or warm up longer",
        name, before, values.size(), mean_of(values.first(before)),
        mean_of(values.subspan(before)));
  }
  const std::size_t quarter = values.size() / 4;
  return fmt::format(
      "{} did not settle: {:.4g} on average over the first quarter of {}, {:.4g} over the last; "
      "measure longer, or with less load",
      name, mean_of(values.first(quarter)), values.size(), mean_of(values.last(quarter)));
}

}  // namespace

Repeat over_repeats(std::span<const Repeat> repeats) {
  Repeat out{.session = repeats.front().session};
  Pooled mean = pooled(values_of(repeats, k_mean), false);
  if (!mean.value) {  // another program's record may have limits without a value
    mean.low = combined(repeats, Statistic::interval_low, k_least);
    mean.high = combined(repeats, Statistic::interval_high, k_most);
  }
  out.mean = mean.value;
  out.statistics[Statistic::interval_low] = mean.low;
  out.statistics[Statistic::interval_high] = mean.high;
  for (const Percentile& percentile : k_percentiles) {
    const Pooled one = pooled(values_of(repeats, percentile), true);
    out.statistics[percentile.value] = one.value;
    out.statistics[percentile.low] = one.low;
    out.statistics[percentile.high] = one.high;
  }
  out.statistics[Statistic::sd] = spread_of(repeats);
  out.statistics[Statistic::min] = combined(repeats, Statistic::min, k_least);
  out.statistics[Statistic::max] = combined(repeats, Statistic::max, k_most);
  out.statistics[Statistic::n] =
      combined(repeats, Statistic::n, [](double a, double b) { return a + b; });
  return out;
}

std::optional<SteadyState> steady_state(std::string_view name, std::span<const double> values) {
  if (std::ssize(values) < k_steady_least) return {};
  SteadyState out{.steady = is_steady(values)};
  if (out.steady) return out;
  for (std::size_t batches = 1; batches <= k_batches / 2 && !out.settled; ++batches)
    if (is_steady(without_first(values, batches)))
      out.settled = std::ssize(values) - std::ssize(without_first(values, batches));
  out.sentence = sentence_of(name, values, out.settled);
  return out;
}

}  // namespace orch::measure
