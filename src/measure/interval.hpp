// 95 % confidence intervals of the mean of one run's values, which depend on their neighbours (over
// repeats, which do not: store/repeats_interval.hpp). Limits have the unit of the values. It knows
// nothing of requests or metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace orch::measure {

struct Interval {
  double low = 0;
  double high = 0;

  // How far the farther limit is from MEAN, as a share of it; infinite where the mean is zero and
  // the interval is not.
  double relative_to(double mean) const;
};

inline constexpr std::int64_t k_interval_least = 30;
inline constexpr std::int64_t k_cycles_least = 5;

// Of the mean of VALUES in their order, the order of sending. Waiting times follow their
// neighbours: at a utilisation of 0.8 the mean of 2,000 varies as much as that of 25 independent
// ones, and the textbook interval holds it in 18 % of runs, not in 95 %. CYCLE: values that come in
// rounds of so many, one for each slot of a closed loop. Where a server answers such a round as one
// wave, positions within it differ and rounds hardly do; so no batch cuts a round.
//
// Method: batch means whose correlation is modelled as a first-order autoregression, as by ASAP3
// (Steiger, Lada, Wilson, Joines, Alexopoulos, Goldsman: ACM TOMACS 15, 2005). The variance is
// estimated from at most 100 batches and, because 100 do not show what is slow and hidden by noise,
// from 20 as well where there are 40 rounds; the greater counts. The correlation of a batch with
// the next one, freed of its bias as by Kendall and Marriott-Pope (1954), counts from 0.2 on; less
// is chance, and 20 batches, which tell it badly, say no more than 0.5. It widens the interval by
// (1 + r) / (1 - r) and takes degrees of freedom of Student's t by the same factor. For skewness
// both limits move as by Johnson (Journal of the American Statistical Association 73, 1978; the
// formula for limits is Chen's, same journal 90, 1995): by g (1 + 2 t^2) / 6 standard errors,
// bounded, and on the near side by half of that. Hall's cubic and its inverse, which move a limit
// tenfold at a moderate skewness, are not used.
//
// None when n is too small by the method's own tests: fewer than k_interval_least values or
// k_cycles_least rounds; or a correlation that leaves fewer than 6 degrees of freedom, which a
// trend does too, and longer runs mend. Equal values give a width of zero; no interval reaches
// beyond the values.
//
// Simulated (tests/measure/interval_coverage_test.cpp has the table): the mean M/M/1 sojourn time
// is held by 95 % of the intervals at a utilisation of 0.5 and by 94 % at 0.8, from 2,000 requests,
// found in steady state or empty, with an interval for 96 % of the runs; the mean of independent
// values, autoregressions and waves by 94 to 98 %, with half widths of 1.1 to 1.35 times what
// knowing the true spread gives (30 lognormal values: 92 %). Its limit: a run that met no rush
// cannot know that there are some. 200 requests to 8 workers at a utilisation of 0.7 give 90 %, and
// so do 5 to 7 waves that a skewed disturbance hits as a whole.
std::optional<Interval> interval_of_mean(std::span<const double> values, std::int64_t cycle = 1);

// Of the sum of ABOVE over the sum of BELOW, of which the values with one index belong together,
// and none below is negative: a rate, where ABOVE is what was done and BELOW the time that it took;
// or a mean of values that some indices lack, where BELOW is 1 or 0. The mean of what each pair is
// off by, ABOVE - ratio * BELOW, has the interval (the ratio estimator of Cochran's Sampling
// Techniques). None where that has none, or BELOW adds up to nothing.
std::optional<Interval> interval_of_ratio(std::span<const double> above,
                                          std::span<const double> below, std::int64_t cycle = 1);

// The 97.5 % quantile of Student's t; DEGREES at least 1.
double student_t(std::int64_t degrees);

}  // namespace orch::measure
