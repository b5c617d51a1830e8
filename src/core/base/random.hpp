// Random numbers that are the same on every machine for a given seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace orch {

// Uses only an engine of the standard library: its distributions differ between implementations.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Uniform over (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1.0p-53; }
  double exponential() { return -std::log(uniform()); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * M_PI * uniform());
  }

  // Gamma distributed with mean SHAPE and scale 1 (G. Marsaglia, W. W. Tsang: A simple method for
  // generating gamma variables, 2000). Below shape 1: gamma(a) = gamma(a + 1) * u^(1/a).
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

}  // namespace orch
