// Expected values: statsmodels' multipletests.
#include "core/statistics/sequential.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::statistics {
namespace holm_test {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<double> k_p = {0.01, 0.04, 0.03, 0.005, 0.5};

TEST(Holm, AdjustsAsStatsmodels) {
  EXPECT_THAT(holm(k_p),
              ElementsAre(DoubleNear(0.04, 1e-15), DoubleNear(0.09, 1e-15), DoubleNear(0.09, 1e-15),
                          DoubleNear(0.025, 1e-15), DoubleNear(0.5, 1e-15)));
}

TEST(Holm, NeverExceedsOneAndLeavesASingleComparison) {
  EXPECT_THAT(holm(std::vector<double>{0.6, 0.7}), ElementsAre(1, 1));
  EXPECT_THAT(holm(std::vector<double>{0.03}), ElementsAre(0.03));
  EXPECT_THAT(holm({}), IsEmpty());
}

}  // namespace holm_test
}  // namespace orch::statistics
