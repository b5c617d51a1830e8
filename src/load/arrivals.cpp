#include "load/arrivals.hpp"

#include "base/text.hpp"
#include "load/draw.hpp"

namespace orch::load {
namespace {

constexpr struct {
  Arrival arrival;
  std::string_view name;
} k_arrivals[] = {{Arrival::constant, "constant"},
                  {Arrival::poisson, "poisson"},
                  {Arrival::gamma, "gamma"},
                  {Arrival::trace, "trace"}};

}  // namespace

std::string Load::text() const {
  switch (kind) {
    case Kind::closed: return fmt::format("concurrency {}", concurrency);
    case Kind::max: return fmt::format("as fast as it goes ({} open)", concurrency);
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
  return invalid(fmt::format("unknown --arrival '{}'{}; there is: {}", name,
                             did_you_mean(name, names), join(names, ", ")));
}

std::string_view name_of(Arrival arrival) {
  for (const auto& row : k_arrivals)
    if (row.arrival == arrival) return row.name;
  return "";
}

std::vector<std::int64_t> draw_arrivals(const Load& load, std::uint64_t seed, std::size_t count) {
  Draw draw(seed);
  const double mean_gap_ns = 1e9 / load.request_rate;
  std::vector<std::int64_t> out;
  out.reserve(count);
  double at_ns = 0;  // as a real number: rounding does not add up
  for (std::size_t i = 0; i < count; ++i) {
    switch (load.arrival) {
      case Arrival::constant: at_ns = static_cast<double>(i) * mean_gap_ns; break;
      case Arrival::poisson: at_ns += draw.exponential() * mean_gap_ns; break;
      case Arrival::gamma:
        at_ns += draw.gamma(load.burstiness) / load.burstiness * mean_gap_ns;
        break;
      case Arrival::trace: break;
    }
    out.push_back(std::llround(at_ns));
  }
  return out;
}

}  // namespace orch::load
