// The names of metrics that code refers to, and the statistics of a metric with their values. The
// names are columns of results.db, keys of measurement.json, and parts of the columns of views.
#pragma once

#include "core/base/enum_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace orch {

// Rows of the metric table (bench/measure/metrics.hpp), which has more.
namespace metric {
inline constexpr std::string_view ttft_ms = "ttft_ms", ttft_ms_intended = "ttft_ms_intended",
                                  itl_ms = "itl_ms", tpot_ms = "tpot_ms",
                                  event_gap_ms = "event_gap_ms",
                                  request_latency_ms = "request_latency_ms",
                                  request_latency_ms_intended = "request_latency_ms_intended",
                                  input_tps = "input_tps", output_tps = "output_tps",
                                  output_tps_per_user = "output_tps_per_user",
                                  output_tps_per_gpu = "output_tps_per_gpu",
                                  requests_per_s = "requests_per_s", goodput_rps = "goodput_rps",
                                  error_rate = "error_rate", isl_counted = "isl_counted",
                                  osl_counted = "osl_counted", cache_share = "cache_share",
                                  send_lag_ms = "send_lag_ms", power_w = "power_w",
                                  energy_j_per_token = "energy_j_per_token",
                                  server_start_s = "server_start_s", build_s = "build_s",
                                  engine_gib = "engine_gib", ttst_ms = "ttst_ms";
}  // namespace metric

enum class Statistic : std::uint8_t {
  mean,
  sd,
  min,
  max,
  p50,
  p90,
  p95,
  p99,
  p999,
  n,
  interval_low,  // of the mean
  interval_high,
  p50_interval_low,
  p50_interval_high,
  p90_interval_low,
  p90_interval_high,
  p95_interval_low,
  p95_interval_high,
  p99_interval_low,
  p99_interval_high,
  p999_interval_low,
  p999_interval_high,
};

constexpr auto names_of(Tag<Statistic>) {
  return value_names("mean", "sd", "min", "max", "p50", "p90", "p95", "p99", "p999", "n",
                     "interval_low", "interval_high", "p50_interval_low", "p50_interval_high",
                     "p90_interval_low", "p90_interval_high", "p95_interval_low",
                     "p95_interval_high", "p99_interval_low", "p99_interval_high",
                     "p999_interval_low", "p999_interval_high");
}

inline constexpr auto k_statistic_names = names_of(Tag<Statistic>());

// The statistics that have a suffix: a metric's own name stands for its mean or its single value.
inline constexpr std::span<const std::string_view> k_suffixed_statistics =
    std::span(k_statistic_names).subspan(1);

// The statistics in k_suffixed_statistics as enumerators, in the same order.
inline constexpr auto k_suffixed = [] {
  std::array<Statistic, k_suffixed_statistics.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Statistic>(i + 1);
  return all;
}();

// "ttft_ms_p99" -> "ttft_ms"; leaves a name without a statistic unchanged.
constexpr std::string_view without_statistic(std::string_view column) {
  for (const std::string_view one : k_suffixed_statistics)
    if (column.size() > one.size() + 1 && column.ends_with(one) &&
        column[column.size() - one.size() - 1] == '_')
      return column.substr(0, column.size() - one.size() - 1);
  return column;
}

// A percentile with the limits of its interval.
struct Percentile {
  int per_mille;
  Statistic value, low, high;
};
inline constexpr std::array<Percentile, 5> k_percentiles = {{
    {500, Statistic::p50, Statistic::p50_interval_low, Statistic::p50_interval_high},
    {900, Statistic::p90, Statistic::p90_interval_low, Statistic::p90_interval_high},
    {950, Statistic::p95, Statistic::p95_interval_low, Statistic::p95_interval_high},
    {990, Statistic::p99, Statistic::p99_interval_low, Statistic::p99_interval_high},
    {999, Statistic::p999, Statistic::p999_interval_low, Statistic::p999_interval_high},
}};

// A value, or nullopt, for each statistic that has a suffix.
class StatisticValues {
 public:
  std::optional<double>& operator[](Statistic one) { return values_[index_of(one)]; }
  const std::optional<double>& operator[](Statistic one) const { return values_[index_of(one)]; }

  bool has_any() const {
    return std::ranges::any_of(values_, [](const auto& one) { return one.has_value(); });
  }

 private:
  static std::size_t index_of(Statistic one) { return static_cast<std::size_t>(one) - 1; }

  std::array<std::optional<double>, k_suffixed_statistics.size()> values_ = {};
};

}  // namespace orch
