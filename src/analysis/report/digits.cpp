#include "analysis/report/digits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace orch::report {

namespace {

constexpr int k_most_decimals = 9;

// The power of ten of the first digit of SIZE, which is greater than 0.
int magnitude(double size) { return static_cast<int>(std::floor(std::log10(size))); }

int decimals_of(double value, const Limits& limits) {
  static constexpr int k_without_limits = 4, k_least = 2;
  const double size = std::fabs(value);
  const int first = size > 0 ? magnitude(size) : 0;
  const double half = limits.low && limits.high ? (*limits.high - *limits.low) / 2 : 0;
  if (half > 0) return std::max(1 - magnitude(half), k_least - 1 - first);
  return value == std::floor(value) ? 0 : k_without_limits - 1 - first;
}

std::string in_decimals(double value, int decimals) {
  const double size = std::fabs(value);
  if (!std::isfinite(value) || size >= 1e15 || (size > 0 && size < 1e-4))
    return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, k_most_decimals));
}

}  // namespace

std::string figure(double value, const Limits& limits) {
  return in_decimals(value, decimals_of(value, limits));
}

std::string interval(double value, const Limits& limits) {
  const int decimals = decimals_of(value, limits);
  if (limits.low && limits.high)
    return fmt::format("{} to {}", in_decimals(*limits.low, decimals),
                       in_decimals(*limits.high, decimals));
  if (limits.low) return "≥ " + in_decimals(*limits.low, decimals);
  if (limits.high) return "≤ " + in_decimals(*limits.high, decimals);
  return "";
}

}  // namespace orch::report
