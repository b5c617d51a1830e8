#include "load/arrivals.hpp"

#include <cmath>
#include <random>

#include "base/text.hpp"

namespace orch::load {
namespace {

constexpr struct { Arrival arrival; std::string_view name; } k_arrivals[] = {
    {Arrival::constant, "constant"}, {Arrival::poisson, "poisson"}, {Arrival::gamma, "gamma"}, {Arrival::trace, "trace"}};

// The standard library's distributions differ between implementations; its engine does not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  // Of (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1.0p-53; }
  double exponential() { return -std::log(uniform()); }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform()); }

  // Of mean SHAPE. G. Marsaglia, W. W. Tsang: A simple method for generating gamma variables, 2000; below shape 1 with
  // their boost: gamma(a) = gamma(a + 1) * u^(1/a).
  double gamma(double shape) {
    if (shape < 1) {
      const double boost = std::pow(uniform(), 1 / shape);
      return gamma(shape + 1) * boost;
    }
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::string Load::text() const {
  switch (kind) {
    case Kind::closed: return fmt::format("concurrency {}", concurrency);
    case Kind::max: return fmt::format("as fast as it goes ({} open)", concurrency);
    case Kind::open: break;
  }
  if (arrival == Arrival::trace) return "a trace";
  const std::string of = arrival == Arrival::gamma ? fmt::format("gamma {:g}", burstiness) : std::string(name_of(arrival));
  return fmt::format("{:g} requests/s ({})", request_rate, of);
}

Result<Arrival> parse_arrival(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& row : k_arrivals) {
    if (row.name == name) return row.arrival;
    names.emplace_back(row.name);
  }
  return invalid(fmt::format("unknown --arrival '{}'{}; there is: {}", name, did_you_mean(name, names), join(names, ", ")));
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
      case Arrival::gamma: at_ns += draw.gamma(load.burstiness) / load.burstiness * mean_gap_ns; break;
      case Arrival::trace: break;
    }
    out.push_back(std::llround(at_ns));
  }
  return out;
}

}  // namespace orch::load
