// Series whose true mean is known, for tests of what is said about means. The generator is small, fast and the same
// everywhere: standard distributions differ from library to library.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace orch::measure {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  // Between 0 and 1, both excluded (SplitMix64).
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  double exponential() { return -std::log(uniform()); }
  double normal() { return std::sqrt(2 * exponential()) * std::cos(2 * std::acos(-1.0) * uniform()); }

 private:
  std::uint64_t state_;
};

enum class QueueBegins { empty, as_in_steady_state };

// Sojourn times of an M/M/1 queue whose mean service takes 1: their mean is 1 / (1 - UTILISATION).
inline std::vector<double> sojourn_times(Draws& draws, int n, double utilisation, QueueBegins begins) {
  std::vector<double> out;
  double wait = 0;
  if (begins == QueueBegins::as_in_steady_state && draws.uniform() < utilisation) wait = draws.exponential() / (1 - utilisation);
  for (int i = 0; i < n; ++i) {
    const double service = draws.exponential();
    out.push_back(wait + service);
    wait = std::max(0.0, wait + service - draws.exponential() / utilisation);
  }
  return out;
}

// Around 10; each value keeps KEPT of how far the one before was off.
inline std::vector<double> autoregression(Draws& draws, int n, double kept) {
  std::vector<double> out;
  double off = draws.normal() / std::sqrt(1 - kept * kept);
  for (int i = 0; i < n; ++i) {
    out.push_back(10 + off);
    off = kept * off + draws.normal();
  }
  return out;
}

template <class Each>
std::vector<double> series(int n, Each each) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(each(i));
  return out;
}

}  // namespace orch::measure
