// Expected values: the formula with scipy.stats 1.17.1's quantiles.
#include "core/statistics/sequential.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace orch::statistics {
namespace detectable_test {

TEST(Detectable, DifferenceFollowsFromSpreadSessionsAndPower) {
  EXPECT_NEAR(*detectable_difference(0.02, 9), 0.02813881750656612, 1e-12);
  EXPECT_NEAR(*detectable_difference(0.02, 2), 0.10726625803058568, 1e-11);
  EXPECT_NEAR(*detectable_difference(0.02, 5, {.power = 0.9}), 0.04683737284158495, 1e-12);
}

TEST(Detectable, OneSessionASideNeedsALentSpread) {
  EXPECT_FALSE(detectable_difference(0.01, 1));
  EXPECT_NEAR(*detectable_difference(0.01, 1, {.lent_degrees = 9}), 0.044484950592686846, 1e-12);
}

TEST(Detectable, SessionsNeededAreTheFewestThatFindTheSize) {
  const double three = std::log(1.03), five = std::log(1.05);
  EXPECT_EQ(sessions_needed(three, 0.01), 4);
  EXPECT_EQ(sessions_needed(five, 0.01), 3);
  EXPECT_EQ(sessions_needed(three, 0.02), 9);
  EXPECT_EQ(sessions_needed(five, 0.02), 4);
  EXPECT_EQ(sessions_needed(three, 0.024), 12);
  EXPECT_EQ(sessions_needed(five, 0.024), 5);
  EXPECT_EQ(sessions_needed(three, 0.052), 50);
  EXPECT_EQ(sessions_needed(five, 0.052), 19);
}

TEST(Detectable, SessionsNeededAreAtLeastTwoOrOneWithALentSpread) {
  EXPECT_EQ(sessions_needed(0.5, 0.001), 2);
  EXPECT_EQ(sessions_needed(0.5, 0.001, {.lent_degrees = 9}), 1);
  EXPECT_EQ(sessions_needed(0.01, 0), 2);
}

TEST(Detectable, SessionsNeededAreUnknownAboveTheMost) {
  EXPECT_FALSE(sessions_needed(0.001, 0.5));
  EXPECT_FALSE(sessions_needed(std::log(1.03), 0.02, {}, 8));
  EXPECT_EQ(sessions_needed(std::log(1.03), 0.02, {}, 9), 9);
}

}  // namespace detectable_test
}  // namespace orch::statistics
