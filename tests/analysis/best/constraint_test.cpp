// Conditions in parts, and whether intervals leave them open.
#include "analysis/best/best_question.hpp"

#include <gtest/gtest.h>

namespace orch::best {
namespace constraint_test {

std::string parts(const std::string& sql) {
  const auto condition = read_condition(sql);
  if (!condition) return condition.error().text();
  std::string out;
  for (const Comparison& one : condition->comparisons)
    out += fmt::format("[{} {} {}]", one.column, one.operation, one.number);
  for (const std::string& other : condition->others) out += "{" + other + "}";
  return out;
}

TEST(Condition, IsSplitIntoComparisonsWithNumbers) {
  EXPECT_EQ(parts("ttft_ms_p99 < 50 AND \"tp\" <= 4"), "[ttft_ms_p99 < 50][tp <= 4]");
  EXPECT_EQ(parts("50 > ttft_ms and -1.5 <= x"), "[ttft_ms < 50][x >= -1.5]");
  EXPECT_EQ(parts("x == 1 AND y != 2"), "[x = 1][y <> 2]");
}

TEST(Condition, KeepsOtherPartsAsTheyAreWritten) {
  EXPECT_EQ(parts("precision = 'f16 AND q8' AND x < 2"), "[x < 2]{precision = 'f16 AND q8'}");
  EXPECT_EQ(parts("x BETWEEN 1 AND 2 AND y < 3"), "[y < 3]{x BETWEEN 1 AND 2}");
  EXPECT_EQ(parts("(x < 1 AND y < 2)"), "{(x < 1 AND y < 2)}");
  EXPECT_EQ(parts("x < 2 * 3"), "{x < 2 * 3}");
}

TEST(Condition, WithOrIsOnePart) {
  EXPECT_EQ(parts("x < 1 AND y < 2 OR z < 3"), "{x < 1 AND y < 2 OR z < 3}");
}

TEST(Condition, IsOneExpression) {
  EXPECT_EQ(parts("x < 1); DROP TABLE run; --").find("--subject-to: "), 0u);
  EXPECT_EQ(parts(""), "");
}

Kept kept(const std::string& sql, const Figure& figure) {
  return judge(read_condition(sql)->comparisons.at(0), figure);
}

TEST(Comparison, IsJudgedAtBothEndsOfTheInterval) {
  EXPECT_EQ(kept("x < 50", {44, {38, 49}}), Kept::surely);
  EXPECT_EQ(kept("x < 50", {44, {38, 61}}), Kept::open);
  EXPECT_EQ(kept("x < 50", {60, {55, 61}}), Kept::broken);
  EXPECT_EQ(kept("x >= 50", {60, {55, 61}}), Kept::surely);
  EXPECT_EQ(kept("x > 55", {60, {55, 61}}), Kept::open);
  EXPECT_EQ(kept("x <= 38", {44, {38, 49}}), Kept::open);
}

TEST(Comparison, IsOpenWhereTheIntervalHasNoEnd) {
  EXPECT_EQ(kept("x < 50", {44, {38, {}}}), Kept::open);
  EXPECT_EQ(kept("x > 30", {44, {38, {}}}), Kept::surely);
  EXPECT_EQ(kept("x < 50", {60, {55, {}}}), Kept::broken);
}

TEST(Comparison, OfEqualityNeedsAnExactFigure) {
  EXPECT_EQ(kept("x = 4", {4, {4, 4}}), Kept::surely);
  EXPECT_EQ(kept("x = 4", {4, {3, 5}}), Kept::open);
  EXPECT_EQ(kept("x <> 4", {6, {5, 7}}), Kept::surely);
}

TEST(FigureText, HasTheDigitsThatTheIntervalAllows) {
  EXPECT_EQ(figure_text({44.32, {38.21, 61.04}}), "44 (38 to 61)");
  EXPECT_EQ(figure_text({44.32, {38.21, {}}}), "44.32 (≥ 38.21)");
  EXPECT_EQ(figure_text({44.32, {}}), "44.32");
}

}  // namespace constraint_test
}  // namespace orch::best
