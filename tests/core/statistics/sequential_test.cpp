// The boundary and the decision of one look. The level over all looks is simulated in
// tests/statistics_simulation.
#include "core/statistics/sequential.hpp"

#include <gtest/gtest.h>

namespace orch::statistics {
namespace sequential_test {

constexpr double k_pocock = 0.5, k_obrien_fleming = 0;
const std::vector<int> k_five = {1, 2, 3, 4, 5};

// Jennison, Turnbull: Group Sequential Methods (2000), chapter 2.
TEST(BoundaryConstant, IsThatOfPublishedTables) {
  EXPECT_NEAR(boundary_constant(k_five, k_pocock, 0.05), 2.413, 0.001);
  EXPECT_NEAR(boundary_constant(k_five, k_obrien_fleming, 0.05), 2.040, 0.001);
  EXPECT_NEAR(boundary_constant(k_five, 0.25, 0.05), 2.136, 0.001);
  EXPECT_NEAR(boundary_constant(std::vector{1, 2}, k_pocock, 0.05), 2.178, 0.001);
  EXPECT_NEAR(boundary_constant(k_five, k_pocock, 0.01), 2.986, 0.001);
}

TEST(BoundaryConstant, OfOneLookIsTheNormalQuantile) {
  EXPECT_NEAR(boundary_constant(std::vector{7}, 0.35, 0.05), 1.95996, 1e-4);
}

TEST(Looks, BeginAtThreeSessionsWithALevelThatGrows) {
  const std::vector<Look> plan = looks(10);
  ASSERT_EQ(plan.size(), 8u);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(plan[i].sessions, static_cast<int>(i) + 3);
    EXPECT_LT(plan[i].alpha, 0.04);
    EXPECT_GT(plan[i].alpha, i == 0 ? 0 : plan[i - 1].alpha);
  }
}

TEST(Looks, OfFewSessionsIsOneAtTheFullLevel) {
  EXPECT_EQ(looks(2), (std::vector<Look>{{2, k_look_alpha}}));
  EXPECT_EQ(looks(3, 0.01), (std::vector<Look>{{3, 0.01}}));
  EXPECT_EQ(looks(4).size(), 2u);
}

SessionDifference found(double low, double high, double p) {
  return {.difference = (low + high) / 2,
          .inference = Inference{.low = low, .high = high, .p = p, .level = 0.98}};
}

TEST(Step, StopsForADifferenceAtTheLevelOfItsLook) {
  EXPECT_EQ(step(found(1, 9, 0.01), 3, false), Step::differs);
  EXPECT_EQ(step(found(-1, 9, 0.03), 3, false), Step::go_on);
  EXPECT_EQ(step(found(-1, 9, 0.03), 3, true), Step::ended);
}

TEST(Step, StopsWhenNoDifferenceOfTheSizeIsPossible) {
  EXPECT_EQ(step(found(-1, 2, 0.4), 3, false), Step::same);
  EXPECT_EQ(step(found(-1, 3.1, 0.4), 3, false), Step::go_on);
}

TEST(Step, GoesOnWithoutAnInference) {
  EXPECT_EQ(step({.no_claim = NoClaim::one_session}, 3, false), Step::go_on);
  EXPECT_EQ(step({.no_claim = NoClaim::no_common_pair}, 3, true), Step::ended);
}

}  // namespace sequential_test
}  // namespace orch::statistics
