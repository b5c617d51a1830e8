#include "core/statistics/verdict.hpp"

#include <gtest/gtest.h>

namespace orch::statistics {
namespace verdict_test {

SessionDifference found(double difference, double low, double high, double p) {
  return {.difference = difference,
          .inference = Inference{.low = low, .high = high, .p = p, .level = 0.95}};
}

TEST(Verdict, OfASignificantDifferenceFollowsTheDirectionOfTheMetric) {
  const SessionDifference rose = found(5, 2, 8, 0.01);
  EXPECT_EQ(judge(rose, {.better = Better::higher}).verdict, Verdict::better);
  EXPECT_EQ(judge(rose, {.better = Better::lower}).verdict, Verdict::worse);
  const SessionDifference fell = found(-5, -8, -2, 0.01);
  EXPECT_EQ(judge(fell, {.better = Better::higher}).verdict, Verdict::worse);
  EXPECT_EQ(judge(fell, {.better = Better::lower}).verdict, Verdict::better);
}

TEST(Verdict, OfAnInsignificantOneStatesTheLargestDifferenceStillPossible) {
  const Judgement judgement = judge(found(1, -2, 4, 0.4), {});
  EXPECT_EQ(judgement.verdict, Verdict::no_difference);
  EXPECT_EQ(judgement.bound, 4);
}

TEST(Verdict, WithASizeIsNoDifferenceOnlyIfTheIntervalExcludesThatSize) {
  EXPECT_EQ(judge(found(1, -2, 4, 0.4), {.size = 5}).verdict, Verdict::no_difference);
  EXPECT_EQ(judge(found(1, -2, 4, 0.4), {.size = 3}).verdict, Verdict::not_enough_data);
  EXPECT_EQ(judge(found(-1, -4, 2, 0.4), {.size = 3}).verdict, Verdict::not_enough_data);
}

TEST(Verdict, SaysWhenASignificantDifferenceIsTooSmallToMatter) {
  EXPECT_TRUE(judge(found(1, 0.5, 1.5, 0.01), {.size = 3}).within_size);
  EXPECT_FALSE(judge(found(3, 1, 5, 0.01), {.size = 3}).within_size);
  EXPECT_FALSE(judge(found(1, 0.5, 1.5, 0.01), {}).within_size);
}

TEST(Verdict, TakesTheAdjustedPValue) {
  EXPECT_EQ(judge(found(5, 2, 8, 0.01), {.adjusted_p = 0.16}).verdict, Verdict::no_difference);
  EXPECT_EQ(judge(found(5, 2, 8, 0.01), {.size = 3, .adjusted_p = 0.16}).verdict,
            Verdict::not_enough_data);
}

TEST(Verdict, WithoutAnInferenceIsNoClaim) {
  const SessionDifference none{.difference = 40, .no_claim = NoClaim::one_session};
  EXPECT_EQ(judge(none, {.size = 3}).verdict, Verdict::no_claim);
  EXPECT_EQ(judge(none, {}).bound, 0);
}

}  // namespace verdict_test
}  // namespace orch::statistics
