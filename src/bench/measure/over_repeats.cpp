#include "bench/measure/over_repeats.hpp"

#include "core/statistics/student.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace orch::measure {

namespace {

constexpr double k_many_over_seven_degrees = 0.8289;  // quantiles of Student's t: 1.9600 / 2.3646

struct Value {
  std::int64_t session = 0;
  double value = 0;
  std::optional<double> low, high;  // its own limits
};

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The independent values: the means of the sessions, or the repeats of a single session.
std::vector<double> units_of(const std::vector<Value>& values) {
  std::map<std::int64_t, std::vector<double>> sessions;
  for (const Value& value : values) sessions[value.session].push_back(value.value);
  if (sessions.size() == 1) return std::move(sessions.begin()->second);
  std::vector<double> units;
  for (const auto& [session, own] : sessions) units.push_back(mean_of(own));
  return units;
}

// Half the width of Student's 95 % interval of their mean. Equal values would give rounding errors.
double half_width_of(std::span<const double> units, double mean) {
  if (units.size() < 2) return 0;
  const auto [least, most] = std::minmax_element(units.begin(), units.end());
  if (*least == *most) return 0;
  double squares = 0;
  for (const double unit : units) squares += (unit - mean) * (unit - mean);
  const auto n = static_cast<double>(units.size());
  return statistics::student_quantile(0.975, n - 1) * std::sqrt(squares / (n - 1) / n);
}

// How far the mean is known on one side from the own limits of the values alone; empty where none
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

// The values of one statistic; LIMITS: the position of its lower limit, which the upper follows.
std::vector<Value> values_of(std::span<const Repeat> repeats, std::optional<std::size_t> statistic,
                             std::size_t limits) {
  std::vector<Value> values;
  for (const Repeat& repeat : repeats) {
    const auto& value = statistic ? repeat.statistics[*statistic] : repeat.mean;
    if (value)
      values.push_back(
          {repeat.session, *value, repeat.statistics[limits], repeat.statistics[limits + 1]});
  }
  return values;
}

// Over all samples, with equal weight per repeat.
std::optional<double> spread_of(std::span<const Repeat> repeats) {
  double within = 0, sum = 0, squares = 0;
  std::size_t spreads = 0, means = 0;
  for (const Repeat& repeat : repeats) {
    if (const auto& sd = repeat.statistics[k_statistic_sd]) {
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
      if (repeat.statistics[k_statistic_sd]) return repeat.statistics[k_statistic_sd];
  }
  const double n = static_cast<double>(std::max<std::size_t>(means, 1)), mean = sum / n;
  return std::sqrt(within / static_cast<double>(spreads) +
                   std::max(0.0, squares / n - mean * mean));
}

template <class Combine>
std::optional<double> combined(std::span<const Repeat> repeats, std::size_t statistic,
                               Combine combine) {
  std::optional<double> out;
  for (const Repeat& repeat : repeats)
    if (const auto& value = repeat.statistics[statistic])
      out = out ? combine(*out, *value) : *value;
  return out;
}

constexpr auto k_least = [](double a, double b) { return std::min(a, b); };
constexpr auto k_most = [](double a, double b) { return std::max(a, b); };

}  // namespace

Repeat over_repeats(std::span<const Repeat> repeats) {
  Repeat out{.session = repeats.front().session, .mean = {}, .statistics = {}};
  const auto put = [&out](const Pooled& one, std::size_t limits) {
    out.statistics[limits] = one.low;
    out.statistics[limits + 1] = one.high;
  };
  const Pooled mean = pooled(values_of(repeats, std::nullopt, k_statistic_interval), false);
  out.mean = mean.value;
  put(mean, k_statistic_interval);
  if (!mean.value) {  // a record of another program may hold limits without a value
    put({{},
         combined(repeats, k_statistic_interval, k_least),
         combined(repeats, k_statistic_interval + 1, k_most)},
        k_statistic_interval);
  }
  for (std::size_t i = 0; i < k_percentiles; ++i) {
    const std::size_t limits = k_first_percentile_interval + 2 * i;
    const Pooled one = pooled(values_of(repeats, k_first_percentile + i, limits), true);
    out.statistics[k_first_percentile + i] = one.value;
    put(one, limits);
  }
  out.statistics[k_statistic_sd] = spread_of(repeats);
  out.statistics[k_statistic_min] = combined(repeats, k_statistic_min, k_least);
  out.statistics[k_statistic_max] = combined(repeats, k_statistic_max, k_most);
  out.statistics[k_statistic_n] =
      combined(repeats, k_statistic_n, [](double a, double b) { return a + b; });
  return out;
}

}  // namespace orch::measure
