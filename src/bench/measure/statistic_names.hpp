// The names of the statistics of a metric. Columns of results.db, keys of measurement.json and
// suffixes of metrics in views and on the command line are these names. It knows no formula.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace orch {

inline constexpr std::array<std::string_view, 22> k_statistic_names = {"mean",
                                                                       "sd",
                                                                       "min",
                                                                       "max",
                                                                       "p50",
                                                                       "p90",
                                                                       "p95",
                                                                       "p99",
                                                                       "p999",
                                                                       "n",
                                                                       "interval_low",
                                                                       "interval_high",
                                                                       "p50_interval_low",
                                                                       "p50_interval_high",
                                                                       "p90_interval_low",
                                                                       "p90_interval_high",
                                                                       "p95_interval_low",
                                                                       "p95_interval_high",
                                                                       "p99_interval_low",
                                                                       "p99_interval_high",
                                                                       "p999_interval_low",
                                                                       "p999_interval_high"};

// The statistics that have a suffix: a metric's own name stands for its mean or its single value.
inline constexpr std::span<const std::string_view> k_suffixed_statistics =
    std::span(k_statistic_names).subspan(1);

// Positions within k_suffixed_statistics.
inline constexpr std::size_t k_statistic_sd = 0, k_statistic_min = 1, k_statistic_max = 2;
inline constexpr std::size_t k_statistic_n = 8;
inline constexpr std::size_t k_statistic_interval = 9;  // of the mean: low, then high
// The percentiles in ascending order, and in the same order both limits of each.
inline constexpr std::size_t k_percentiles = 5;
inline constexpr std::size_t k_first_percentile = 3, k_first_percentile_interval = 11;
static_assert(k_suffixed_statistics[k_statistic_sd] == "sd");
static_assert(k_suffixed_statistics[k_statistic_max] == "max");
static_assert(k_suffixed_statistics[k_statistic_n] == "n");
static_assert(k_suffixed_statistics[k_statistic_interval] == "interval_low");
static_assert(k_suffixed_statistics[k_first_percentile] == "p50");
static_assert(k_suffixed_statistics[k_first_percentile_interval] == "p50_interval_low");

}  // namespace orch
