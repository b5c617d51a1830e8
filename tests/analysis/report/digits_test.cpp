// Digits of figures and of their intervals.
#include "analysis/report/digits.hpp"

#include <gtest/gtest.h>

namespace orch::report {
namespace digits_test {

TEST(Figure, has_the_digits_that_its_interval_supports) {
  EXPECT_EQ(figure(123.456, {120.0, 126.9}), "123.5");
  EXPECT_EQ(figure(123.456, {23.0, 223.0}), "123");
  EXPECT_EQ(figure(0.123456, {0.12, 0.127}), "0.1235");
  EXPECT_EQ(figure(98765.4, {98000.0, 99600.0}), "98765");
  EXPECT_EQ(figure(1.0, {0.2, 30.0}), "1.0") << "no fewer than two";
}

TEST(Figure, has_four_digits_without_an_interval) {
  EXPECT_EQ(figure(0.000123), "0.0001230");
  EXPECT_EQ(figure(1.23456), "1.235");
  EXPECT_EQ(figure(123456.7), "123457") << "no digit before the point is rounded away";
  EXPECT_EQ(figure(100), "100") << "a whole number has no zeros behind it";
  EXPECT_EQ(figure(0), "0");
  EXPECT_EQ(figure(1.5e-7), "1.5e-07");
  EXPECT_EQ(figure(5.5, {5.0, std::nullopt}), "5.500") << "one limit says nothing of the digits";
  EXPECT_EQ(figure(2.0, {2.0, 2.0}), "2");
}

TEST(Interval, is_written_with_the_digits_of_its_figure) {
  EXPECT_EQ(interval(123.456, {120.0, 126.9}), "120.0 to 126.9");
  EXPECT_EQ(interval(5.25, {4.5, std::nullopt}), "≥ 4.500");
  EXPECT_EQ(interval(5.25, {std::nullopt, 6}), "≤ 6.000");
  EXPECT_EQ(interval(5.0, {}), "");
}

}  // namespace digits_test
}  // namespace orch::report
