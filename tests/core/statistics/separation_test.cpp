#include "core/statistics/verdict.hpp"

#include <gtest/gtest.h>

namespace orch::statistics {
namespace separation_test {

TEST(Separation, FromALimitNeedsTheWholeIntervalOnOneSide) {
  EXPECT_EQ(separation_from({.low = 40, .high = 48}, 50), Separation::below);
  EXPECT_EQ(separation_from({.low = 52, .high = 60}, 50), Separation::above);
  EXPECT_EQ(separation_from({.low = 40, .high = 51}, 50), Separation::not_separated);
  EXPECT_EQ(separation_from({.low = 40, .high = 50}, 50), Separation::not_separated);
}

TEST(Separation, AnUnboundedSideSeparatesFromNothingOnThatSide) {
  EXPECT_EQ(separation_from({.low = 40}, 50), Separation::not_separated);
  EXPECT_EQ(separation_from({.low = 52}, 50), Separation::above);
  EXPECT_EQ(separation_from({.high = 48}, 50), Separation::below);
  EXPECT_EQ(separation_from({}, 50), Separation::not_separated);
}

// sqrt(3^2 + 4^2) = 5: a difference of 6 is separated although 10..16 and 12..23 overlap.
TEST(Separation, OfTwoEstimatesAddsTheFacingDistancesInSquares) {
  const BoundedEstimate a{.value = 13, .limits = {.low = 10, .high = 16}};
  const BoundedEstimate b{.value = 19, .limits = {.low = 15, .high = 27}};
  const Limits difference = limits_of_difference(a, b);
  EXPECT_DOUBLE_EQ(*difference.high, -1);
  EXPECT_DOUBLE_EQ(*difference.low, -6 - std::hypot(3.0, 8.0));
  EXPECT_EQ(separation_between(a, b), Separation::below);
  EXPECT_EQ(separation_between(b, a), Separation::above);
  EXPECT_EQ(separation_between(a, {.value = 17, .limits = {.low = 13, .high = 25}}),
            Separation::not_separated);
}

TEST(Separation, OfTwoEstimatesNeedsOnlyTheLimitsThatFaceEachOther) {
  const BoundedEstimate a{.value = 13, .limits = {.high = 16}};
  EXPECT_EQ(separation_between(a, {.value = 19, .limits = {.low = 15}}), Separation::below);
  EXPECT_EQ(separation_between(a, {.value = 19, .limits = {.high = 20}}),
            Separation::not_separated);
}

}  // namespace separation_test
}  // namespace orch::statistics
