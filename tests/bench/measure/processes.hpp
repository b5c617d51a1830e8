// Random series with a known mean, to test intervals and steady state. The generator is the same on
// every machine; the distributions of standard libraries differ.
#pragma once

#include <algorithm>
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
  double normal() {
    return std::sqrt(2 * exponential()) * std::cos(2 * std::acos(-1.0) * uniform());
  }

 private:
  std::uint64_t state_;
};

enum class QueueBegins { empty, as_in_steady_state };

// Sojourn times of an M/M/1 queue whose mean service takes 1: their mean is 1 / (1 - UTILISATION).
inline std::vector<double> sojourn_times(Draws& draws, int n, double utilisation,
                                         QueueBegins begins) {
  std::vector<double> out;
  double wait = 0;
  if (begins == QueueBegins::as_in_steady_state && draws.uniform() < utilisation)
    wait = draws.exponential() / (1 - utilisation);
  for (int i = 0; i < n; ++i) {
    const double service = draws.exponential();
    out.push_back(wait + service);
    wait = std::max(0.0, wait + service - draws.exponential() / utilisation);
  }
  return out;
}

// Around 10; each value keeps the share KEPT of the previous deviation.
inline std::vector<double> autoregression(Draws& draws, int n, double kept) {
  std::vector<double> out;
  double off = draws.normal() / std::sqrt(1 - kept * kept);
  for (int i = 0; i < n; ++i) {
    out.push_back(10 + off);
    off = kept * off + draws.normal();
  }
  return out;
}

// Sojourn times of Poisson arrivals at WORKERS, each busy for UTILISATION of the time, whose mean
// service takes 1; the queue is in steady state.
inline std::vector<double> multi_server_sojourn_times(Draws& draws, int n, int workers,
                                                      double utilisation) {
  constexpr int k_warm_up = 500;
  std::vector<double> free(static_cast<std::size_t>(workers), 0);
  std::vector<double> out;
  double arrival = 0;
  for (int i = 0; i < k_warm_up + n; ++i) {
    arrival += draws.exponential() / (workers * utilisation);
    double& worker = *std::min_element(free.begin(), free.end());
    worker = std::max(worker, arrival) + draws.exponential();
    if (i >= k_warm_up) out.push_back(worker - arrival);
  }
  return out;
}

// Their mean, by Erlang's formula.
inline double multi_server_mean(int workers, double utilisation) {
  double inverse = 1;
  for (int i = 1; i <= workers; ++i) inverse = 1 + inverse * i / (workers * utilisation);
  return 1 + 1 / (workers * (inverse * (1 - utilisation) + utilisation) * (1 - utilisation));
}

// TTFT of a server that works in waves of CYCLE requests: within a wave it rises by RAMP, from 20
// on; waves vary by SHARED, requests by OWN.
inline std::vector<double> waves(Draws& draws, int count, int cycle, double ramp, double shared,
                                 double own) {
  std::vector<double> out;
  for (int wave = 0; wave < count; ++wave) {
    const double wave_offset = shared * draws.normal();
    for (int i = 0; i < cycle; ++i)
      out.push_back(20 + ramp * i / cycle + wave_offset + own * draws.normal());
  }
  return out;
}
inline double mean_of_waves(int cycle, double ramp) {
  return 20 + ramp * (cycle - 1) / (2.0 * cycle);
}

template <class Each> std::vector<double> series(int n, Each each) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(each(i));
  return out;
}

}  // namespace orch::measure
