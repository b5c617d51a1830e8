#include "bench/load/arrivals.hpp"

#include "core/base/random.hpp"

namespace orch::load {

std::vector<std::int64_t> draw_arrivals(const record::Load& load, std::uint64_t seed,
                                        std::size_t count) {
  Random draw(seed);
  const double mean_gap_ns = 1e9 / load.request_rate;
  std::vector<std::int64_t> out;
  out.reserve(count);
  double at_ns = 0;  // as a real number: rounding does not add up
  for (std::size_t i = 0; i < count; ++i) {
    switch (load.arrival) {
      case record::Arrival::constant: at_ns = static_cast<double>(i) * mean_gap_ns; break;
      case record::Arrival::poisson: at_ns += draw.exponential() * mean_gap_ns; break;
      case record::Arrival::gamma:
        at_ns += draw.gamma(load.burstiness) / load.burstiness * mean_gap_ns;
        break;
      case record::Arrival::trace: break;
    }
    out.push_back(std::llround(at_ns));
  }
  return out;
}

}  // namespace orch::load
