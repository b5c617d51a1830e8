// The difference between two sides as a store has it.
#include "analysis/report/support.hpp"
#include "analysis/rounds/question.hpp"

namespace orch {
namespace observe_test {

class Observed : public ReportTest {
 protected:
  Result<statistics::SessionDifference> difference(const rounds::PairOfPoint& a,
                                                   const rounds::PairOfPoint& b,
                                                   const std::string& metric = "output_tps") {
    return rounds::observed_difference(
        reader().database(), {.experiment = "quick", .metric = metric, .a = a, .b = b}, 0.95);
  }
  const rounds::PairOfPoint one_{{"tiny_c1-aaaaaa", "alone"}};
  const rounds::PairOfPoint four_{{"tiny_c4-aaaaaa", "alone"}};
};

TEST_F(Observed, difference_is_that_of_the_valid_measurements_of_both_sides) {
  const auto found = difference(one_, four_);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->sessions_a, 1u);
  EXPECT_EQ(found->sessions_b, 1u);
  ASSERT_TRUE(found->difference);
  EXPECT_NEAR(*found->difference, 1, 1e-6) << "101 against 100 tokens/s";
  EXPECT_EQ(found->no_claim, statistics::NoClaim::one_session);
}

TEST_F(Observed, points_of_different_pairs_are_not_compared) {
  const auto found = difference(one_, {{"tiny_c4-aaaaaa", "another"}});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->no_claim);
  EXPECT_FALSE(found->difference);
}

TEST_F(Observed, a_point_with_a_hostile_name_is_only_a_name) {
  const auto found = difference({{"x'); DROP TABLE run; --", "alone"}}, four_);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->sessions_a, 0u);
}

TEST_F(Observed, metric_is_one_that_we_measure_or_that_the_store_has) {
  EXPECT_TRUE(rounds::check_metric(nullptr, "ttft_ms_p99").ok());
  EXPECT_TRUE(rounds::check_metric(&reader().database(), "output_tps").ok());
  const Status unknown = rounds::check_metric(nullptr, "ttft_sm");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "'ttft_sm' is not a metric; did you mean 'ttft_ms'?");
  EXPECT_FALSE(rounds::check_metric(&reader().database(), "drop table").ok());
}

}  // namespace observe_test
}  // namespace orch
