// The names of the statistics of a metric. Columns of results.db, keys of measurement.json and
// suffixes of metrics in views and on the command line are these names. It knows no formula.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace orch {

inline constexpr std::array<std::string_view, 12> k_statistic_names = {
    "mean", "sd",  "min",  "max", "p50",          "p90",
    "p95",  "p99", "p999", "n",   "interval_low", "interval_high"};

// The statistics that have a suffix: a metric's own name stands for its mean or its single value.
inline constexpr std::span<const std::string_view> k_suffixed_statistics =
    std::span(k_statistic_names).subspan(1);
// Positions within k_suffixed_statistics; the two limits of the interval come last.
inline constexpr std::size_t k_statistic_n = 8;
static_assert(k_suffixed_statistics[k_statistic_n] == "n");

}  // namespace orch
