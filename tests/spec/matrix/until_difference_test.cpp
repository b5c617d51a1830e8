// measure.until_difference: which difference decides, between which values, and what is refused.
#include "spec/matrix/support.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace until_difference_test {

const std::string k_axes = R"(name: x
runner: toy
axes:
  precision: [f16, q8_0]
  length: [{isl: 128, osl: 16}, {isl: 256, osl: 32}]
  tp: [1]
)";

std::string errors_of(const std::string& measure) {
  Errors errors;
  parse_matrix(k_axes + "measure: {" + measure + "}\n", "m.yaml", errors);
  return text_of(errors);
}

Matrix matrix_of(const std::string& measure) {
  Errors errors;
  Matrix matrix = parse_matrix(k_axes + "measure: {" + measure + "}\n", "m.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  return matrix;
}

TEST(UntilDifference, IsAShareOfAColumnBetweenTheValuesOfAnAxis) {
  const Matrix matrix =
      matrix_of("until_difference: 3 %, of: ttft_ms_p90, between: precision, most_sessions: 6");
  ASSERT_TRUE(matrix.measure.until_difference);
  const UntilDifference& until = *matrix.measure.until_difference;
  EXPECT_DOUBLE_EQ(until.size, 0.03);
  EXPECT_EQ(until.metric, "ttft_ms_p90");
  EXPECT_EQ(until.metric_where, (Location{"m.yaml", 7, 38}));
  EXPECT_EQ(until.between, "precision");
  EXPECT_EQ(until.most_sessions, 6);
}

TEST(UntilDifference, IsOfTheThroughputAndOfAtMostTenSessionsUnlessTheMatrixSaysOtherwise) {
  const Matrix matrix = matrix_of("until_difference: 2.5%, between: length");
  const UntilDifference& until = *matrix.measure.until_difference;
  EXPECT_DOUBLE_EQ(until.size, 0.025);
  EXPECT_EQ(until.metric, "output_tps");
  EXPECT_EQ(until.most_sessions, 10);
}

TEST(UntilDifference, RefusesASizeThatIsNoShare) {
  for (const char* size : {"0.03", "0 %", "-3 %", "100 %", "three %", "[3 %]", "nan %"})
    EXPECT_NE(errors_of("until_difference: " + std::string(size) + ", between: precision")
                  .find("m.yaml:7:29: 'measure.until_difference' must be a share above 0 and below "
                        "100 %, such as 3 %, not "),
              std::string::npos)
        << size;
}

TEST(UntilDifference, NeedsAnAxisWithTwoValues) {
  EXPECT_EQ(errors_of("until_difference: 3 %"),
            "m.yaml:7:29: 'measure.until_difference' lacks 'between'; add the axis whose values "
            "are compared, such as between: precision\n");
  EXPECT_EQ(
      errors_of("until_difference: 3 %, between: tp"),
      "m.yaml:7:43: 'measure.between' is 'tp', which has only one value; name one of precision, "
      "length, isl, osl\n");
  EXPECT_EQ(errors_of("until_difference: 3 %, between: precison"),
            "m.yaml:7:43: 'measure.between' is 'precison', which is not an axis; did you mean "
            "'precision'?\n");
}

TEST(UntilDifference, MissesNoKeyThatBelongsToIt) {
  EXPECT_EQ(errors_of("between: precision"),
            "m.yaml:7:20: 'measure.between' belongs to 'until_difference', which is missing; add "
            "until_difference: 3 %\n");
  EXPECT_NE(errors_of("until_difference: 3 %, between: precision, most_sessions: 1")
                .find("'measure.most_sessions' must be a whole number from 2 to 100, not"),
            std::string::npos);
  EXPECT_NE(errors_of("until_difference: 3 %, between: precision, of: [a]")
                .find("'measure.of' must be a column of results, such as output_tps, not a list"),
            std::string::npos);
}

TEST(UntilDifference, AnAxisOfMapsSetsItsParametersTogether) {
  const auto lengths = alternatives_of(matrix_of("seed: 1"), "length");
  ASSERT_EQ(lengths.size(), 2u);
  ASSERT_EQ(lengths[1].size(), 2u);
  EXPECT_EQ(lengths[1][0].first, "isl");
  EXPECT_EQ(lengths[1][0].second.text, "256");
  EXPECT_EQ(alternatives_of(matrix_of("seed: 1"), "osl").size(), 2u);
  EXPECT_TRUE(alternatives_of(matrix_of("seed: 1"), "batch_size").empty());
}

}  // namespace until_difference_test
}  // namespace orch::matrix
