// 95 % confidence intervals of the mean of autocorrelated values of one run (for independent
// repeats see over_repeats.hpp). Limits have the unit of the values.
#pragma once

#include "bench/measure/statistics.hpp"
#include "core/statistics/verdict.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace orch::measure {

struct Interval {
  double low = 0;
  double high = 0;

  // The distance of the farther limit from MEAN, as a fraction of MEAN. Infinite if the mean is
  // zero and the interval has a width.
  double relative_to(double mean) const;
};

inline constexpr std::int64_t k_interval_least = 30;
inline constexpr std::int64_t k_cycles_least = 5;

// The interval of the mean of VALUES, given in sending order. Successive waiting times are
// correlated: at a utilisation of 0.8 the mean of 2,000 varies as much as that of 25 independent
// values, and the textbook interval covers the true mean in 18 % of runs, not in 95 %. CYCLE: the
// values come in rounds of this many, one for each slot of a closed loop. If a server answers a
// round as one wave, values vary with their position in the round, but rounds hardly vary;
// therefore a batch never splits a round.
//
// Method: batch means whose correlation is modelled as a first-order autoregression, as in ASAP3
// (Steiger, Lada, Wilson, Joines, Alexopoulos, Goldsman: ACM TOMACS 15, 2005). The variance is
// estimated from at most 100 batches. With at least 40 rounds it is also estimated from 20 batches,
// because 100 hide slow changes in noise; the greater estimate is used. The correlation of
// successive batches, with its bias removed (Kendall; Marriott and Pope, 1954), is used from 0.2
// on, because less may be chance. From 20 batches, which estimate it badly, at most 0.5 is used. A
// correlation r multiplies the variance by (1 + r) / (1 - r) and divides the degrees of freedom of
// Student's t by the same factor. For skewness both limits are shifted (Johnson, Journal of the
// American Statistical Association 73, 1978; the formula for limits is Chen's, same journal 90,
// 1995): by g (1 + 2 t^2) / 6 standard errors, where the skewness g is bounded; the limit that
// moves towards the mean shifts by half of that. Hall's cubic and its inverse shift a limit tenfold
// at a moderate skewness and are not used.
//
// nullopt if n is too small by the method's own tests: fewer than k_interval_least values or
// k_cycles_least rounds, or a correlation (or trend) that leaves fewer than 6 degrees of freedom; a
// longer run helps. Equal values give a width of zero; no interval exceeds the range of the values.
//
// Coverage by simulation (tests/bench/measure/interval_coverage_test.cpp has the table): the mean
// M/M/1 sojourn time of 2,000 requests, beginning in steady state or with an empty queue, is
// covered by 95 % of the intervals at a utilisation of 0.5 and by 94 % at 0.8, and 96 % of the runs
// have an interval. The mean of independent values, autoregressions and waves is covered by 94 to
// 98 %, with half widths of 1.1 to 1.35 times those for a known spread (30 lognormal values: 92 %).
// The weakness of the method: a run without a burst does not show that bursts exist. 200 requests
// to 8 workers at a utilisation of 0.7 give 90 %, and so do 5 to 7 waves that a skewed disturbance
// affects as a whole.
std::optional<Interval> interval_of_mean(std::span<const double> values, std::int64_t cycle = 1);

// The interval of sum(ABOVE) / sum(BELOW). Values of the same index belong together; no value of
// BELOW is negative. Used for a rate (ABOVE: work done, BELOW: time taken) and for the mean of
// values that some indices lack (BELOW: 1 or 0). The interval is that of the mean deviation ABOVE -
// ratio * BELOW (the ratio estimator of Cochran's Sampling Techniques). nullopt if that interval is
// nullopt, or if BELOW sums to zero.
std::optional<Interval> interval_of_ratio(std::span<const double> above,
                                          std::span<const double> below, std::int64_t cycle = 1);

// How much more the mean of correlated values varies than that of independent ones.
struct Inflation {
  double factor = 1;   // of the variance: n / factor is the effective number of values
  double degrees = 0;  // of freedom of the estimate
};

// The inflation by the method of interval_of_mean, from DEVIATIONS from the mean, in sending order,
// with 0 for a request without a value. nullopt if the method has no estimate: fewer than
// k_cycles_least rounds, a trend, or only zeros.
std::optional<Inflation> inflation_of(std::span<const double> deviations, std::int64_t cycle = 1);

// 95 % intervals of percentiles of the correlated values of one run, without assumptions about
// their distribution. Limits have the unit of the values.

// A limit is nullopt if there are too few values to bound the percentile on that side.
using PercentileLimits = statistics::Limits;

// In the order of k_percentiles.
using LimitsOfPercentiles = std::array<std::optional<PercentileLimits>, k_percentiles.size()>;

// The percentile of a column such as ttft_ms_p99; nullopt for other columns.
std::optional<Percentile> percentile_of(std::string_view column);

// How many independent values the percentile PER_MILLE needs for an upper limit at 95 %: p99 needs
// 368. Correlated values count for less.
std::int64_t values_for_upper_limit(int per_mille);

// VALUES are in sending order, nullopt if a request has none. CYCLE: as for interval_of_mean. No
// limits for a percentile that VALUES do not support (records_needed).
//
// Method: a limit is an order statistic of the values, interpolated between two neighbours. Its
// rank follows from the beta distribution of order statistics (Hutson: Calculating nonparametric
// confidence intervals for quantiles using fractional order statistics, Journal of Applied
// Statistics 26, 1999). The effective number of values takes the place of n. It is n divided by the
// variance inflation of the share of values below the percentile, and is reduced further for the
// degrees of freedom of that estimate (Korn, Graubard: Survey Methodology 24, 1998).
//
// The inflation is estimated by the method of interval_of_mean. From 250 values on it is that of
// the indicators "below the percentile", at the percentile itself or at the last one with 50 values
// beyond; with fewer values it follows from that of the ranks. Farther out, the correlation is
// assumed to fall by the square root of the factor by which that of an autoregression falls (see
// indicator_share), because that of a queue hardly falls at all.
//
// At 95 %, an upper limit of p99 needs 368 independent values, and one of p999 3,688. Values with
// unknown inflation (see inflation_of) have no limits on either side; for equal values both limits
// are the value itself.
//
// Coverage and limits by simulation: docs/statistics.md;
// tests/bench/measure/percentile_coverage_test.cpp prints the table.
LimitsOfPercentiles limits_of_percentiles(std::span<const std::optional<double>> values,
                                          std::int64_t cycle = 1);

}  // namespace orch::measure
