// Quantiles and probabilities of the normal, Student's t and the F distribution, and p values from
// them. Distributions are evaluated nowhere else.
#pragma once

#include <optional>

namespace orch::statistics {

// Probabilities are within (0, 1). DEGREES of freedom are positive, not necessarily whole.
double normal_probability(double z);  // P(Z <= z)
double normal_quantile(double probability);

double student_probability(double t, double degrees);  // P(T <= t)
double student_quantile(double probability, double degrees);
// P(|T| >= |t|); 0 for an infinite t.
double two_sided_p(double t, double degrees);

// P(F >= f) with DEGREES_ABOVE in the numerator and DEGREES_BELOW in the denominator; f >= 0.
double f_exceedance(double f, double degrees_above, double degrees_below);

// Which order statistics bound a percentile, without an assumption about the distribution.

// The fraction u of (n + 1) at which an order statistic, interpolated between two neighbours, is
// below the P-quantile with probability UPPER: the limit of a one-sided interval. UPPER above 0.5
// gives a lower limit, below 0.5 an upper one. N is the (effective) number of independent values,
// not necessarily whole. nullopt if even the least (or greatest) value is not enough: an upper
// limit of p at 97.5 % exists if p^n <= 0.025.
//
// The interpolated order statistic of fraction u is beta distributed with the parameters (n + 1) u
// and (n + 1)(1 - u) at the quantile's level (Hutson: Journal of Applied Statistics 26, 1999). Its
// distribution function is evaluated by Peizer's and Pratt's approximation (Journal of the American
// Statistical Association 63, 1968), whose error is below 0.001 here.
std::optional<double> order_share(double n, double p, double upper);

// In a first-order autoregression whose correlation at lag k is r^k, the indicators of "below the
// P-quantile" correlate less. Returns the sum of their correlations over all lags as a fraction of
// that of the autoregression, r / (1 - r): 0.64 for the median and r -> 0, and less in the tails,
// where extreme values of a normal process hardly follow each other.
//
// The correlation of the indicators at r^k is the sum over m >= 1 of (phi(z) He[m-1](z))^2 / (m! p
// (1 - p)) r^(k m) with Hermite polynomials He (Mehler's formula). R is in [0, 1).
double indicator_share(double p, double r);

}  // namespace orch::statistics
