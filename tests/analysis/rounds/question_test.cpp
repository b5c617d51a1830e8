// Which sides are compared: what the matrix and the command line say, and what is refused.
#include "analysis/rounds/question.hpp"

#include <gtest/gtest.h>

namespace orch::rounds {
namespace question_test {

matrix::Matrix matrix_of(const std::string& measure = "{seed: 1}") {
  Errors errors;
  matrix::Matrix matrix = matrix::parse_matrix(R"(name: x
runner: toy
axes:
  precision: [f16, q8_0, q4_0]
  tp: [1, 2, 4]
  pp: [1, 2]
  length: [{isl: 128, osl: 16}, {isl: 256, osl: 32}]
  stream: [true, false]
measure: )" + measure + "\n",
                                               "m.yaml", errors);
  EXPECT_TRUE(errors.empty());
  return matrix;
}

Question asked(const Asked& asked, const std::string& measure = "{seed: 1}") {
  auto question = question_of(matrix_of(measure), asked);
  EXPECT_TRUE(question.ok()) << (question.ok() ? "" : question.error().message);
  if (!question.ok() || !*question) return {};
  return **question;
}

std::string refused(const Asked& asked) {
  const auto question = question_of(matrix_of(), asked);
  return question.ok() ? "" : question.error().message;
}

TEST(Question, OfAMatrixHasEveryValueOfTheAxis) {
  const Question question =
      asked({}, "{until_difference: 5 %, of: ttft_ms, between: precision, most_sessions: 7}");
  EXPECT_EQ(question.metric, "ttft_ms");
  EXPECT_DOUBLE_EQ(question.size, 0.05);
  EXPECT_EQ(question.most, 7);
  ASSERT_EQ(question.sides.size(), 3u);
  EXPECT_EQ(question.sides[2].label, "q4_0");
  EXPECT_EQ(question.sides[2].sql, "(\"precision\" = 'q4_0')");
}

TEST(Question, OfTheCommandLineTakesPrecedence) {
  const Question question =
      asked({.resolve = "q8_0 against q4_0", .size = "1.5%", .metric = "itl_ms", .most = 4},
            "{until_difference: 5 %, of: ttft_ms, between: tp}");
  EXPECT_EQ(question.metric, "itl_ms");
  EXPECT_DOUBLE_EQ(question.size, 0.015);
  EXPECT_EQ(question.most, 4);
  ASSERT_EQ(question.sides.size(), 2u);
  EXPECT_EQ(question.sides[0].label, "q8_0");
  EXPECT_EQ(question.sides[1].label, "q4_0");
}

TEST(Question, WithoutAMatrixThatSaysMoreIsOfThreePercentThroughputInTenSessions) {
  const Question question = asked({.resolve = "f16 against q8_0"});
  EXPECT_EQ(question.metric, "output_tps");
  EXPECT_DOUBLE_EQ(question.size, 0.03);
  EXPECT_EQ(question.most, 10);
}

TEST(Question, IsNotThereUnlessSomeoneAsks) {
  const auto question = question_of(matrix_of(), {});
  ASSERT_TRUE(question.ok());
  EXPECT_FALSE(*question);
}

TEST(Question, NamesOfAnAxisOfMapsAreAllOfItsParameters) {
  const Question question = asked({.resolve = "isl 128, osl 16 against isl 256, osl 32"});
  EXPECT_EQ(question.sides[1].sql,
            "(\"isl\" = '256' OR \"isl\" = 256) AND (\"osl\" = '32' OR "
            "\"osl\" = 32)");
}

TEST(Question, AValueOfSeveralAxesIsAmbiguous) {
  EXPECT_EQ(refused({.resolve = "1 against 2"}),
            "--resolve: '1' and '2' are values of tp and pp; write \"tp = 1 against tp = 2\"");
  EXPECT_EQ(asked({.resolve = "1 against 4"}).sides[1].sql, "(\"tp\" = '4' OR \"tp\" = 4)");
}

TEST(Question, WhatIsNoValueIsSql) {
  const Question question = asked({.resolve = "tp = 1 and pp = 2 against tp = 2 and pp = 1"});
  EXPECT_EQ(question.sides[0].sql, "tp = 1 and pp = 2");
  EXPECT_EQ(question.sides[1].label, "tp = 2 and pp = 1");
}

TEST(Question, RefusesOneSideAndTheSameSideTwice) {
  EXPECT_EQ(refused({.resolve = "f16"}),
            "--resolve is 'f16'; write two sides, such as \"f16 against q8_0\" or \"tp = 1 against "
            "tp = 2\"");
  EXPECT_NE(refused({.resolve = "f16 against "}).find("write two sides"), std::string::npos);
  EXPECT_NE(refused({.resolve = "f16 against q8_0 against q4_0"}).find("write two sides"),
            std::string::npos);
  EXPECT_EQ(refused({.resolve = "f16 against f16"}), "--resolve has 'f16' on both sides");
  EXPECT_EQ(refused({.resolve = "f16 against q8_0", .size = "3"}),
            "--size is '3'; write a share above 0 and below 100 %, such as 3%");
}

TEST(Question, MissesNoOptionThatBelongsToAComparison) {
  EXPECT_NE(refused({.budget_s = 60.0}).find("add --resolve \"A against B\""), std::string::npos);
  EXPECT_NE(refused({.most = 4}).find("add --resolve \"A against B\""), std::string::npos);
}

TEST(Question, OfATruthValueMeetsBothFormsOfAColumn) {
  EXPECT_EQ(asked({.resolve = "true against false"}).sides[0].sql,
            "(\"stream\" = 'true' OR \"stream\" = true)");
}

TEST(Duration, HasUnits) {
  EXPECT_EQ(seconds_of("90s"), 90.0);
  EXPECT_EQ(seconds_of("90m"), 5400.0);
  EXPECT_EQ(seconds_of("1.5h"), 5400.0);
  EXPECT_EQ(seconds_of("2h 30m"), 9000.0);
  EXPECT_EQ(seconds_of("1d2h"), 93600.0);
  for (const char* wrong : {"", "90", "h", "0s", "2 hours", "-1h", "1e3s", "1..2h", "2h30"})
    EXPECT_EQ(seconds_of(wrong), std::nullopt) << wrong;
}

}  // namespace question_test
}  // namespace orch::rounds
