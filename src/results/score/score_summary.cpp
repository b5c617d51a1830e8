#include "results/score/score_summary.hpp"

#include "core/statistics/student.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orch::score {

namespace {

constexpr double k_upper_tail = 0.975;  // of a 95 % interval

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_of(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// E. B. Wilson, Journal of the American Statistical Association 22, 1927.
statistics::Limits wilson(double share, double n) {
  const double z = statistics::normal_quantile(k_upper_tail), z2 = z * z;
  const double center = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = z / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  // At the ends the formula gives them but for rounding.
  return {.low = share == 0 ? 0 : center - half, .high = share == 1 ? 1 : center + half};
}

}  // namespace

statistics::Limits limits_of_mean(std::span<const double> values) {
  if (values.size() < 2) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  if (std::ranges::all_of(values, [](double x) { return x == 0 || x == 1; }))
    return wilson(mean, n);
  const double squares = squares_of(values, mean);
  if (squares == 0) return {};
  const double half =
      statistics::student_quantile(k_upper_tail, n - 1) * std::sqrt(squares / (n - 1) / n);
  statistics::Limits limits{.low = mean - half, .high = mean + half};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least >= 0 && *most <= 1)
    limits = {.low = std::max(0.0, *limits.low), .high = std::min(1.0, *limits.high)};
  return limits;
}

record::NamedMetric summary(std::string name,
                            const std::map<std::string, std::vector<double>>& by_prompt) {
  std::vector<double> values;
  values.reserve(by_prompt.size());
  for (const auto& [prompt, scores] : by_prompt) values.push_back(mean_of(scores));
  record::NamedMetric out{.name = std::move(name), .mean = {}, .statistics = {}};
  if (values.empty()) return out;
  out.mean = mean_of(values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  out.statistics[k_statistic_sd] =
      std::sqrt(squares_of(values, *out.mean) / static_cast<double>(values.size()));
  out.statistics[k_statistic_min] = *least;
  out.statistics[k_statistic_max] = *most;
  out.statistics[k_statistic_n] = static_cast<double>(values.size());
  const statistics::Limits limits = limits_of_mean(values);
  out.statistics[k_statistic_interval] = limits.low;
  out.statistics[k_statistic_interval + 1] = limits.high;
  return out;
}

}  // namespace orch::score
