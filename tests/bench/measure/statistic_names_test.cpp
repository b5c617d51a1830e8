#include "bench/measure/statistic_names.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orch {
namespace statistic_names_test {

TEST(StatisticNames, AreDifferent) {
  EXPECT_EQ(std::set<std::string_view>(k_statistic_names.begin(), k_statistic_names.end()).size(),
            k_statistic_names.size());
}

TEST(StatisticNames, HaveASuffixExceptTheMean) {
  EXPECT_EQ(k_suffixed_statistics.size() + 1, k_statistic_names.size());
  EXPECT_EQ(std::find(k_suffixed_statistics.begin(), k_suffixed_statistics.end(), "mean"),
            k_suffixed_statistics.end());
}

}  // namespace statistic_names_test
}  // namespace orch
