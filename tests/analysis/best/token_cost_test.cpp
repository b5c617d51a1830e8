// The cost of tokens, by the formulas of docs/choosing.md.
#include "analysis/best/best_question.hpp"

#include <gtest/gtest.h>

namespace orch::best {
namespace token_cost_test {

TEST(PriceOfAnHour, CountsEachGpuOfTheServer) {
  EXPECT_DOUBLE_EQ(*price_of_hour({.gpu_hour = 2.5}, 4), 10);
}

TEST(PriceOfAnHour, AddsTheMachine) {
  EXPECT_DOUBLE_EQ(*price_of_hour({.gpu_hour = 2.5, .machine_hour = 1}, 2), 6);
  EXPECT_DOUBLE_EQ(*price_of_hour({.machine_hour = 0.4}, {}), 0.4);
}

TEST(PriceOfAnHour, IsUnknownWithoutTheGpusOrAPrice) {
  EXPECT_FALSE(price_of_hour({.gpu_hour = 2.5}, {}));
  EXPECT_FALSE(price_of_hour({.gpu_hour = 2.5}, 0));
  EXPECT_FALSE(price_of_hour({}, 4));
}

TEST(CostOfTokens, IsThePriceOverTheTokensOfAnHour) {
  const auto cost = token_cost(2.5, {.output_tps = 3000, .input_tps = 9000}, {});
  EXPECT_NEAR(cost->output, 0.2315, 0.0001);
  EXPECT_FALSE(cost->input);
}

TEST(CostOfTokens, OfBothKindsPaysThePriceOnce) {
  const Rates rates{.output_tps = 3000, .input_tps = 9000};
  const auto cost = token_cost(2.5, rates, 4);
  EXPECT_DOUBLE_EQ(cost->output, 4 * *cost->input);
  const double paid =
      (cost->output * rates.output_tps + *cost->input * *rates.input_tps) * 3600 / 1e6;
  EXPECT_NEAR(paid, 2.5, 1e-12);
}

TEST(CostOfTokens, IsUnknownWithoutTokens) {
  EXPECT_FALSE(token_cost(2.5, {.output_tps = 0, .input_tps = 9000}, {}));
  EXPECT_FALSE(token_cost(2.5, {.output_tps = 3000, .input_tps = {}}, 4));
}

}  // namespace token_cost_test
}  // namespace orch::best
