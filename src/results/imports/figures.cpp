#include "results/imports/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/measure/statistic_names.hpp"
#include "core/base/text.hpp"

namespace orch::imports {

namespace {

constexpr double k_largest = 1e15;  // beyond any time in ms, rate or count

struct Unit {
  std::string_view word;
  double ms = 0;  // 0: no time
  std::string_view suffix = {};
};
constexpr Unit k_units[] = {
    {"ns", 1e-6, "ns"},
    {"nanoseconds", 1e-6, "ns"},
    {"us", 1e-3, "us"},
    {"usec", 1e-3, "us"},
    {"microseconds", 1e-3, "us"},
    {"ms", 1, "ms"},
    {"msec", 1, "ms"},
    {"milliseconds", 1, "ms"},
    {"s", 1e3, "s"},
    {"sec", 1e3, "s"},
    {"seconds", 1e3, "s"},
    {"%", 0, "percent"},
    {"tokens/sec", 0, "tps"},
    {"requests/sec", 0, "rps"},
    {"requests", 0, ""},
    {"tokens", 0, "tokens"},
    {"count", 0, ""},
    {"W", 0, "w"},
    {"GB", 0, "gb"},
    {"MJ", 0, "mj"},
    {"tokens/sec/user", 0, "tps"},
};

const Unit* find_unit(std::string_view word) {
  const auto found =
      std::ranges::find_if(k_units, [&](const Unit& unit) { return unit.word == word; });
  return found == std::end(k_units) ? nullptr : found;
}

}  // namespace

record::NamedMetric& Figures::named(std::string_view name) {
  const auto found =
      std::ranges::find_if(all_, [&](const record::NamedMetric& one) { return one.name == name; });
  return found != all_.end()
             ? *found
             : all_.emplace_back(record::NamedMetric{.name = std::string(name), .mean = {}});
}

Status Figures::set(std::string_view name, std::string_view statistic, double value,
                    bool is_signed) {
  if (!std::isfinite(value) || std::abs(value) > k_largest)
    return invalid(fmt::format("{} is no possible value", value));
  if (value < 0 && !is_signed) return invalid(fmt::format("{} is less than 0", value));
  if (statistic.empty() || statistic == "mean") {
    named(name).mean = value;
    return {};
  }
  const auto known = std::ranges::find(k_suffixed_statistics, statistic);
  if (known == k_suffixed_statistics.end())
    named(fmt::format("{}_{}", name, statistic)).mean = value;
  else
    named(name).statistics[static_cast<std::size_t>(known - k_suffixed_statistics.begin())] = value;
  return {};
}

std::optional<double> to_ms(std::string_view unit) {
  const Unit* known = find_unit(unit);
  return known != nullptr && known->ms > 0 ? std::optional(known->ms) : std::nullopt;
}

std::string snake_case(std::string_view text) {
  std::string name;
  for (const char c : lower(text)) {
    if (is_lower(c) || is_digit(c)) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

std::string name_of_theirs(std::string_view tool, std::string_view theirs, std::string_view unit) {
  static constexpr std::size_t k_longest = 64;  // of a column
  const Unit* known = find_unit(unit);
  const std::string suffix = known != nullptr ? std::string(known->suffix) : snake_case(unit);
  const std::string name = fmt::format("{}_{}{}{}", snake_case(tool), snake_case(theirs),
                                       suffix.empty() ? "" : "_", suffix);
  return name.substr(0, k_longest);
}

}  // namespace orch::imports
