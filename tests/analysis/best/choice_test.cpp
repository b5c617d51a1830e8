// The best of each group, without its luck.
#include "analysis/best/choice.hpp"

#include "analysis/best/planted.hpp"

namespace orch::best {
namespace choice_test {

class ChoiceTest : public BestTest {};

TEST_F(ChoiceTest, PutsTheBestFirst) {
  have({{.concurrency = 1, .tps = {100}, .p99 = 30},
        {.concurrency = 4, .tps = {300}, .p99 = 40},
        {.concurrency = 8, .tps = {200}, .p99 = 20}});
  EXPECT_EQ(order_of(chosen({.maximize = "output_tps"}).groups[0]), "c4 c8 c1");
  EXPECT_EQ(order_of(chosen({.minimize = "ttft_ms_p99"}).groups[0]), "c8 c1 c4");
}

TEST_F(ChoiceTest, OfAGroupIsByEqualValues) {
  have({{.concurrency = 1, .tps = {100}}, {.concurrency = 4, .tps = {300}}});
  const Choice choice = chosen({.maximize = "output_tps", .by = {"concurrency"}});
  ASSERT_EQ(choice.groups.size(), 2u);
  EXPECT_EQ(choice.groups[0].by, std::vector<std::string>{"1"});
  EXPECT_EQ(order_of(choice.groups[1]), "c4");
}

TEST_F(ChoiceTest, NamesTheBestThatSurelyMeetsTheCondition) {
  have({{.concurrency = 1, .tps = {100}, .p99 = 20, .p99_low = 18, .p99_high = 24},
        {.concurrency = 4, .tps = {300}, .p99 = 44, .p99_low = 38, .p99_high = {}}});
  const Choice choice = chosen({.maximize = "output_tps", .subject_to = "ttft_ms_p99 < 50"});
  EXPECT_EQ(order_of(choice.groups[0]), "c4 c1");
  EXPECT_EQ(choice.groups[0].surely, 1u);
}

TEST_F(ChoiceTest, IsCorrectedTowardsTheMeanByTheShareOfNoise) {
  have({{.concurrency = 1, .tps = {100}, .half = 10},
        {.concurrency = 4, .tps = {110}, .half = 10},
        {.concurrency = 8, .tps = {105}, .half = 10}});
  const Choice choice = chosen({.maximize = "output_tps"});
  const auto& rows = choice.groups[0].rows;
  ASSERT_TRUE(rows[0].corrected);
  EXPECT_LT(*rows[0].corrected, 106) << "their spread is no larger than their noise";
  EXPECT_GT(*rows[2].corrected, 100);
}

// The spread of a load is no noise: it would hide that of those which are close to the best.
TEST_F(ChoiceTest, IsCorrectedAmongThoseCloseToTheBestOnly) {
  const std::vector<PlantedPoint> close = {{.concurrency = 8, .tps = {300}, .half = 30},
                                           {.concurrency = 12, .tps = {330}, .half = 30},
                                           {.concurrency = 16, .tps = {315}, .half = 30}};
  std::vector<PlantedPoint> all = {{.concurrency = 1, .tps = {30}, .half = 3},
                                   {.concurrency = 2, .tps = {60}, .half = 6}};
  all.insert(all.end(), close.begin(), close.end());
  have(all);
  const Group group = chosen({.maximize = "output_tps"}).groups[0];
  EXPECT_EQ(group.close, 3u);
  ASSERT_TRUE(group.rows[0].corrected);
  EXPECT_LT(*group.rows[0].corrected, 318) << "their spread is no larger than their noise";
  EXPECT_FALSE(group.rows[3].corrected);
  EXPECT_FALSE(group.rows[4].corrected);
}

TEST_F(ChoiceTest, IsNotCorrectedWhereItIsToldApart) {
  have({{.concurrency = 1, .tps = {100}, .half = 1},
        {.concurrency = 4, .tps = {300}, .half = 3},
        {.concurrency = 8, .tps = {200}, .half = 2}});
  const Choice choice = chosen({.maximize = "output_tps"});
  EXPECT_EQ(choice.groups[0].close, 1u);
  for (const Ranked& row : choice.groups[0].rows) EXPECT_FALSE(row.corrected);
}

TEST_F(ChoiceTest, OfAParameterHasNoRivals) {
  have({{.concurrency = 1, .tps = {100}}, {.concurrency = 4, .tps = {300}}});
  const Group group = chosen({.maximize = "concurrency"}).groups[0];
  EXPECT_EQ(order_of(group), "c4 c1");
  EXPECT_FALSE(group.rows[1].rivalry);
  EXPECT_EQ(told({.maximize = "concurrency"}).find("luckiest"), std::string::npos);
}

TEST_F(ChoiceTest, OfSqlIsByItsValue) {
  have({{.concurrency = 1, .tps = {100}}, {.concurrency = 4, .tps = {300}}});
  const Group group = chosen({.maximize = "output_tps / concurrency"}).groups[0];
  EXPECT_EQ(order_of(group), "c1 c4");
  EXPECT_DOUBLE_EQ(group.rows[1].row.objective->value, 75);
  const auto refused = choose(database(), *question({.maximize = "output_tps / no_such"}));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(),
              testing::HasSubstr("--maximize: SQLite: no such column: no_such"));
}

TEST_F(ChoiceTest, IsNotCorrectedWithoutIntervalsOfThree) {
  have({{.concurrency = 1, .tps = {100}}, {.concurrency = 4, .tps = {300}}});
  EXPECT_FALSE(chosen({.maximize = "output_tps"}).groups[0].rows[0].corrected);
}

TEST_F(ChoiceTest, OfTwoMetricsIsAFrontAndWhatReachesIt) {
  have({{.concurrency = 1, .tps = {100}, .p99 = 10, .p99_low = 9, .p99_high = 11},
        {.concurrency = 4, .tps = {300}, .p99 = 40, .p99_low = 35, .p99_high = 45},
        {.concurrency = 6, .tps = {290}, .p99 = 41, .p99_low = 30, .p99_high = 50, .half = 2},
        {.concurrency = 8, .tps = {200}, .p99 = 60, .p99_low = 55, .p99_high = 65}});
  const Choice choice = chosen({.front = "output_tps,ttft_ms_p99"});
  ASSERT_EQ(order_of(choice.groups[0]), "c4 c6 c8 c1");
  const auto& rows = choice.groups[0].rows;
  EXPECT_TRUE(rows[0].on_front);
  EXPECT_TRUE(!rows[1].on_front && rows[1].reaches_front);
  EXPECT_TRUE(!rows[2].on_front && !rows[2].reaches_front);
  EXPECT_TRUE(rows[3].on_front);
}

}  // namespace choice_test
}  // namespace orch::best
