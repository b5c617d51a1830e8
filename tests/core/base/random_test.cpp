// Random numbers: reproducible, and of the right distribution.
#include "core/base/random.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace random_test {

constexpr int k_draws = 20000;

template <class Draw> double mean_of(Draw draw) {
  double sum = 0;
  for (int i = 0; i < k_draws; ++i) sum += draw();
  return sum / k_draws;
}

TEST(Random, IsTheSameForOneSeed) {
  Random a(7), b(7), c(8);
  const double first = a.uniform();
  EXPECT_EQ(first, b.uniform());
  EXPECT_NE(first, c.uniform());
  EXPECT_NEAR(Random(1).uniform(), 0.1338766, 1e-7);
}

TEST(Random, HasTheMeansOfItsDistributions) {
  Random random(1);
  EXPECT_NEAR(mean_of([&] { return random.uniform(); }), 0.5, 0.01);
  EXPECT_NEAR(mean_of([&] { return random.exponential(); }), 1, 0.03);
  EXPECT_NEAR(mean_of([&] { return random.normal(); }), 0, 0.03);
  EXPECT_NEAR(mean_of([&] { return random.gamma(0.5); }), 0.5, 0.03);
  EXPECT_NEAR(mean_of([&] { return random.gamma(4); }), 4, 0.06);
}

}  // namespace random_test
}  // namespace orch
