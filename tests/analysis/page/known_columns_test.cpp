// The table of metrics that people know.
#include "analysis/page/page_columns.hpp"

#include "spec/keys/matrix_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::report {
namespace known_columns_test {

TEST(KnownMetric, IsFoundByItsColumnAndByThatOfAStatistic) {
  ASSERT_TRUE(known_metric("output_tps"));
  EXPECT_EQ(known_metric("output_tps")->better, page::Better::higher);
  EXPECT_EQ(known_metric("ttft_ms_p99"), known_metric("ttft_ms"));
  EXPECT_EQ(known_metric("ttft_ms_intended_p90"), known_metric("ttft_ms_intended"));
}

TEST(KnownMetric, ScoresOfOurScorersAreBetterTheHigher) {
  for (const std::string_view scorer : keys::k_scorer_names) {
    const KnownMetric* known = known_metric("score_" + std::string(scorer));
    ASSERT_TRUE(known) << scorer;
    EXPECT_EQ(known->better, page::Better::higher) << scorer;
  }
  EXPECT_EQ(known_metric("score_judge"), nullptr);
}

TEST(KnownMetric, OfAnotherNameIsNone) {
  EXPECT_EQ(known_metric("ttft"), nullptr);
  EXPECT_EQ(known_metric("_p99"), nullptr);
  EXPECT_EQ(known_metric(""), nullptr);
}

TEST(ParametersInOrder, HaveTheMostTellingFirstAndTheOthersByName) {
  EXPECT_THAT(parameters_in_order({"zeta", "alpha", "concurrency", "model"}),
              testing::ElementsAre("model", "concurrency", "alpha", "zeta"));
}

}  // namespace known_columns_test
}  // namespace orch::report
