#include "bench/record/measurement.hpp"

#include "core/base/text.hpp"

namespace orch::record {

namespace {

constexpr struct {
  Arrival arrival;
  std::string_view name;
} k_arrivals[] = {{Arrival::constant, "constant"},
                  {Arrival::poisson, "poisson"},
                  {Arrival::gamma, "gamma"},
                  {Arrival::trace, "trace"}};

}  // namespace

bool is_tool_name(std::string_view name) {
  static constexpr std::size_t k_longest = 64;
  const auto is_small = [](char c) { return is_lower(c) || is_digit(c); };
  return !name.empty() && name.size() <= k_longest && is_small(name[0]) &&
         std::ranges::all_of(
             name, [&](char c) { return is_small(c) || c == '.' || c == '_' || c == '-'; });
}

std::string Load::text() const {
  switch (kind) {
    case Kind::closed: return fmt::format("concurrency {}", concurrency);
    case Kind::max: return fmt::format("as fast as possible ({} open)", concurrency);
    case Kind::open: break;
  }
  if (arrival == Arrival::trace) return "a trace";
  const std::string of = arrival == Arrival::gamma ? fmt::format("gamma {:g}", burstiness)
                                                   : std::string(name_of(arrival));
  return fmt::format("{:g} requests/s ({})", request_rate, of);
}

Result<Arrival> parse_arrival(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& row : k_arrivals) {
    if (row.name == name) return row.arrival;
    names.emplace_back(row.name);
  }
  return invalid(fmt::format("unknown --arrival '{}'{}; known: {}", name, did_you_mean(name, names),
                             join(names, ", ")));
}

std::string_view name_of(Arrival arrival) {
  for (const auto& row : k_arrivals)
    if (row.arrival == arrival) return row.name;
  return "";
}

}  // namespace orch::record
