// Quantiles and probabilities of the normal, Student's t and the F distribution, and p values
// from them. The only place that evaluates a distribution. Knows no data.
#pragma once

namespace orch::statistics {

// Probabilities are within (0, 1); DEGREES of freedom are positive and need not be whole numbers.
double normal_probability(double z);  // P(Z <= z)
double normal_quantile(double probability);

double student_probability(double t, double degrees);  // P(T <= t)
double student_quantile(double probability, double degrees);
// P(|T| >= |t|); 0 for an infinite t.
double two_sided_p(double t, double degrees);

// P(F >= f) with DEGREES_ABOVE in the numerator and DEGREES_BELOW in the denominator; f >= 0.
double f_exceedance(double f, double degrees_above, double degrees_below);

}  // namespace orch::statistics
