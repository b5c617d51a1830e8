// How many digits of a figure mean something. Knows no metric.
#pragma once

#include <optional>
#include <string>

namespace orch::report {

// The limits of an interval; both, one, or none.
struct Limits {
  std::optional<double> low, high;
};

// VALUE to the second significant digit of half the width of its interval, but with no fewer than
// two digits; without both limits to four significant digits, and a whole number as it is. A digit
// before the point is never rounded away.
std::string figure(double value, const Limits& limits = {});
// "9.8 to 10.4" with the digits of figure(); "≥ 9.8" and "≤ 10.4" for one limit; "" for none.
std::string interval(double value, const Limits& limits);

}  // namespace orch::report
