#include "core/sql/expression_scan.hpp"

#include <gtest/gtest.h>

namespace orch::sql {
namespace expression_scan_test {

std::vector<std::string> written(std::string_view expression) {
  std::vector<std::string> out;
  for (const Token& token : scan_expression(expression).tokens) out.emplace_back(token.written);
  return out;
}

TEST(ExpressionScan, SplitsWordsNumbersTextsAndOperators) {
  EXPECT_EQ(written("isl<=2.5e3 AND \"a b\" || 'it''s'"),
            (std::vector<std::string>{"isl", "<=", "2.5e3", "AND", "\"a b\"", "||", "'it''s'"}));
}

TEST(ExpressionScan, NamesTheOffsetOfAFault) {
  for (const auto& [expression, offset] : std::vector<std::pair<std::string, std::size_t>>{
           {"1; 2", 1}, {"1) OR (1", 1}, {"isl + ?", 6}, {"1 -- x", 2}}) {
    const auto fault = scan_expression(expression).fault;
    ASSERT_TRUE(fault) << expression;
    EXPECT_EQ(fault->offset, offset) << expression;
  }
  EXPECT_TRUE(scan_expression("  ").fault);
  EXPECT_TRUE(scan_expression("'open").fault);
  EXPECT_TRUE(scan_expression("(1").fault);
  EXPECT_FALSE(scan_expression("(1)").fault);
}

TEST(ExpressionScan, FindsAVersionThatIsComparedWithANumber) {
  const std::vector<std::string> versions = {"release"};
  const auto fault = [&](std::string_view expression) {
    return find_version_as_number(scan_expression(expression).tokens, versions);
  };
  EXPECT_TRUE(fault("release >= 0.10"));
  EXPECT_FALSE(fault("release >= '0.10'"));
  EXPECT_FALSE(fault("isl >= 0.10"));
}

TEST(ExpressionScan, RewritesDivisionsAsRealOnes) {
  const std::string_view expression = "isl / 2";
  const auto real = with_real_division(expression, scan_expression(expression).tokens);
  ASSERT_TRUE(real);
  EXPECT_EQ(real->offset, 4u);
  EXPECT_NE(real->sql, expression);
  EXPECT_FALSE(with_real_division("isl * 2", scan_expression("isl * 2").tokens));
}

}  // namespace expression_scan_test
}  // namespace orch::sql
