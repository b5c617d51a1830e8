// Expected values: scipy.stats 1.17.1.
#include "core/statistics/student.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace orch::statistics {
namespace student_test {

TEST(Student, QuantilesAreThoseOfScipy) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706204736174694, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.302652729749462, 1e-10);
  EXPECT_NEAR(student_quantile(0.975, 3.5), 2.9400886379827282, 1e-10);
  EXPECT_NEAR(student_quantile(0.975, 18), 2.1009220402410382, 1e-10);
  EXPECT_NEAR(student_quantile(0.975, 200), 1.9718962236316089, 1e-10);
  EXPECT_NEAR(student_quantile(0.975, 201), 1.971836506779859, 1e-10);
  EXPECT_NEAR(student_quantile(0.8, 18), 0.8620486679895989, 1e-10);
  EXPECT_NEAR(student_quantile(0.025, 100), -1.9839715185235518, 1e-10);
}

TEST(Student, ApproachesTheNormalDistribution) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_probability(-1.3), 0.09680048458561036, 1e-14);
  EXPECT_NEAR(student_quantile(0.975, 1e9), normal_quantile(0.975), 1e-7);
}

TEST(Student, PValuesCountBothTails) {
  EXPECT_NEAR(two_sided_p(2.5, 7.3), 0.03965023466560043, 1e-12);
  EXPECT_DOUBLE_EQ(two_sided_p(-2.5, 7.3), two_sided_p(2.5, 7.3));
  EXPECT_EQ(two_sided_p(0, 7.3), 1);
  EXPECT_EQ(two_sided_p(std::numeric_limits<double>::infinity(), 3), 0);
}

TEST(Student, FProbabilitiesAreThoseOfScipy) {
  EXPECT_NEAR(f_exceedance(3.2, 4, 9), 0.06798311811747716, 1e-12);
  EXPECT_EQ(f_exceedance(std::numeric_limits<double>::infinity(), 4, 9), 0);
}

}  // namespace student_test
}  // namespace orch::statistics
