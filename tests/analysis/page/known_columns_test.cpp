// Which columns reports know, and in which order they have parameters.
#include "bench/measure/metrics.hpp"
#include "results/query/table.hpp"
#include "spec/keys/matrix_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::report {
namespace known_columns_test {

TEST(ReportedMetric, ScoresOfOurScorersAreBetterTheHigher) {
  for (const std::string_view scorer : keys::k_scorer_names) {
    const measure::MetricRow* known = measure::reported_metric("score_" + std::string(scorer));
    ASSERT_TRUE(known) << scorer;
    EXPECT_EQ(known->shown.better, measure::Better::higher) << scorer;
  }
  EXPECT_EQ(measure::reported_metric("score_judge"), nullptr);
}

TEST(ParametersInOrder, HaveTheMostTellingFirstAndTheOthersByName) {
  EXPECT_THAT(parameters_in_order({"zeta", "alpha", "concurrency", "model"}),
              testing::ElementsAre("model", "concurrency", "alpha", "zeta"));
}

}  // namespace known_columns_test
}  // namespace orch::report
