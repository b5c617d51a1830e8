// 95 % confidence intervals of the mean of one run's values, which depend on their neighbours (over repeats, which do not:
// store/repeats_interval.hpp). Limits have the unit of the values. It knows nothing of requests or metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace orch::measure {

struct Interval {
  double low = 0;
  double high = 0;

  // How far the farther limit is from MEAN, as a share of it; infinite where the mean is zero and the interval is not.
  double relative_to(double mean) const;
};

inline constexpr std::int64_t k_interval_least = 20;

// Of the mean of VALUES in their order, the order of sending. Waiting times follow their neighbours: at a utilisation of
// 0.8 the mean of 2,000 varies as much as that of 25 independent ones, and the textbook interval holds it in 18 % of runs, not in 95 %.
//
// Method: batch means with the two adjustments of Skart (Tafazzoli, Steiger, Wilson: IIE Transactions 43, 2011). The values
// are cut into 10 batches. Their correlation with the next one, freed of its bias as by Kendall and Marriott-Pope
// (1954), widens the interval as a first-order autoregression says; skewness, from 20 half batches, moves both limits by the
// inverse of Hall's cubic (1992). What was estimated beside the spread costs a degree of freedom each: Student's t with 7.
//
// None when n is too small by the method's own tests: fewer than k_interval_least values; or batches that still follow each
// other with a correlation of 0.8 or more, which a trend does too, and longer runs mend. Equal values give a width of zero.
//
// Simulated (tests/measure/interval_test.cpp): the mean M/M/1 sojourn time is held by 96 % of the intervals at a utilisation of
// 0.5 and by 94 % at 0.8, from 2,000 requests, found in steady state or empty, with an interval for 97 % of the runs;
// of independent values by 96 to 97 %. Its limit: a run that met no rush cannot know that there are some. At 0.9
// 2,000 requests give 91 %, at 0.95 81 %.
std::optional<Interval> interval_of_mean(std::span<const double> values);

// Of the sum of ABOVE over the sum of BELOW, of which the values with one index belong together: a rate, where ABOVE is what was
// done and BELOW the time that it took. The mean of what each pair is off by, ABOVE - ratio * BELOW, has the interval.
// None where that has none, or BELOW adds up to nothing.
std::optional<Interval> interval_of_ratio(std::span<const double> above, std::span<const double> below);

// The 97.5 % quantile of Student's t; DEGREES at least 1.
double student_t(std::int64_t degrees);

}  // namespace orch::measure
