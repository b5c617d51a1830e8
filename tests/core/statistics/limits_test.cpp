#include "core/statistics/verdict.hpp"

#include <gtest/gtest.h>

namespace orch::statistics {
namespace limits_test {

TEST(Limits, AreEqualIfBothSidesAre) {
  EXPECT_EQ((Limits{.low = 1, .high = {}}), (Limits{.low = 1, .high = {}}));
  EXPECT_NE((Limits{.low = 1, .high = {}}), (Limits{.low = 1, .high = 2}));
}

}  // namespace limits_test
}  // namespace orch::statistics
