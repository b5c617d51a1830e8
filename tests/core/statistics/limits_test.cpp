#include "core/statistics/verdict.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace orch::statistics {
namespace limits_test {

TEST(Limits, AreEqualIfBothSidesAre) {
  EXPECT_EQ((Limits{.low = 1, .high = {}}), (Limits{.low = 1, .high = {}}));
  EXPECT_NE((Limits{.low = 1, .high = {}}), (Limits{.low = 1, .high = 2}));
}

// The distances to the limits that face each other: sqrt(3^2 + 4^2) = 5.
TEST(Limits, OfADifferenceAddTheFacingDistancesInSquares) {
  const BoundedEstimate a{.value = 13, .limits = {.low = 10, .high = 16}};
  const BoundedEstimate b{.value = 19, .limits = {.low = 15, .high = 27}};
  const Limits difference = limits_of_difference(a, b);
  EXPECT_DOUBLE_EQ(*difference.high, -1);
  EXPECT_DOUBLE_EQ(*difference.low, -6 - std::hypot(3.0, 8.0));
}

TEST(Limits, OfADifferenceNeedTheLimitsThatFaceEachOther) {
  const BoundedEstimate a{.value = 13, .limits = {.high = 16}};
  EXPECT_EQ(limits_of_difference(a, {.value = 19, .limits = {.low = 15}}),
            (Limits{.low = {}, .high = -1}));
  EXPECT_EQ(limits_of_difference(a, {.value = 19, .limits = {.high = 20}}), Limits{});
}

}  // namespace limits_test
}  // namespace orch::statistics
