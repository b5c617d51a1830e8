// 95 % intervals of percentiles of the correlated values of one run, without an assumption about
// their distribution. Limits have the unit of the values. Does not know requests or metrics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/measure/statistics.hpp"
#include "core/statistics/limits.hpp"

namespace orch::measure {

// A side without a limit: the values are too few to bound the percentile there.
using PercentileLimits = statistics::Limits;

// p50, p90, p95, p99, p999: in the order of k_statistic_fields.
inline constexpr std::array k_percentiles_per_mille = {500, 900, 950, 990, 999};
using LimitsOfPercentiles =
    std::array<std::optional<PercentileLimits>, k_percentiles_per_mille.size()>;

// "p99", "p999": as columns end.
std::string percentile_name(int per_mille);
// Of a column like ttft_ms_p99; empty for one of no percentile.
std::optional<int> percentile_of(std::string_view column);

// How many independent values give the percentile PER_MILLE an upper limit at 95 %: p99 needs 368.
// Correlated ones are worth less.
std::int64_t values_for_upper_limit(int per_mille);

// VALUES are in the order of sending, and empty where a request has none. CYCLE: as of
// interval_of_mean. No limits for a percentile that VALUES do not support (records_needed).
//
// Method: a limit is an order statistic of the values, interpolated between two neighbours, whose
// rank follows from the beta distribution of order statistics (Hutson: Calculating nonparametric
// confidence intervals for quantiles using fractional order statistics, Journal of Applied
// Statistics 26, 1999). For n, the effective number of values is taken. It is n over the variance
// inflation of the share of values below the percentile, and is reduced further for the degrees of
// freedom of that estimate (Korn, Graubard: Survey Methodology 24, 1998).
//
// The inflation is estimated by the method of interval_of_mean. From 250 values on it is that of
// the indicators "below the percentile", at the percentile itself or at the last one with 50 values
// beyond; with fewer values it follows from that of the ranks. Beyond that the correlation is taken
// to fall: by the square root of the factor by which that of an autoregression falls, because that
// of a queue hardly falls at all (see indicator_share).
//
// At 95 %, an upper limit of p99 needs 368 independent values, and one of p999 3,688. Values whose
// inflation is unknown (see inflation_of) have no limits on either side; equal values have the
// value itself on both.
//
// Coverage and limits by simulation: docs/statistics.md;
// tests/bench/measure/percentile_coverage_test.cpp prints the table.
LimitsOfPercentiles limits_of_percentiles(std::span<const std::optional<double>> values,
                                          std::int64_t cycle = 1);

}  // namespace orch::measure
