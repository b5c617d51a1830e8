#include "analysis/plot/canvas.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::plot {
namespace scale_test {

using testing::ElementsAre;

std::vector<std::string> labels(const Scale& scale, std::size_t most) {
  std::vector<std::string> out;
  for (const Tick& tick : scale.ticks(most)) out.push_back(tick.label);
  return out;
}

TEST(Scale, TicksOfALogAxisAreOneTwoFive) {
  EXPECT_THAT(labels(Scale(ScaleKind::log, {1, 100}, {0, 1}), 7),
              ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_THAT(labels(Scale(ScaleKind::log, {0.5, 60'000}, {0, 1}), 7),
              ElementsAre("1", "10", "100", "1,000", "10,000"));
}

TEST(Scale, ANarrowLogAxisHasEvenSteps) {
  EXPECT_THAT(labels(Scale(ScaleKind::log, {11.6, 19.5}, {0, 1}), 7),
              ElementsAre("12", "14", "16", "18"));
}

TEST(Scale, TicksOfALinearAxisAreRoundAndNotTooMany) {
  EXPECT_THAT(labels(Scale(ScaleKind::linear, {0, 10}, {0, 1}), 6),
              ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_LE(labels(Scale(ScaleKind::linear, {0, 3.7e6}, {0, 1}), 5).size(), 5u);
}

TEST(Scale, PercentilesAreEvenlyFarApart) {
  const Scale scale(ScaleKind::nines, {0, 0.999}, {0, 300});
  EXPECT_NEAR(scale(0), 0, 1e-9);
  EXPECT_NEAR(scale(0.9), 100, 1e-9);
  EXPECT_NEAR(scale(0.99), 200, 1e-9);
  EXPECT_NEAR(scale(0.999), 300, 1e-9);
  EXPECT_THAT(labels(scale, 9), ElementsAre("p0", "p50", "p90", "p99", "p99.9"));
}

TEST(Scale, ALogAxisIsLogarithmic) {
  const Scale scale(ScaleKind::log, {1, 100}, {0, 200});
  EXPECT_NEAR(scale(10), 100, 1e-9);
  EXPECT_FALSE(scale.shows(0));
  EXPECT_FALSE(scale.shows(-1));
  EXPECT_FALSE(scale.shows(NAN));
}

TEST(Scale, TheRangeLeavesRoomAndLeavesOutWhatItCannotShow) {
  const double values[] = {10, 100, 0, INFINITY};
  const Range log = range_of(values, ScaleKind::log);
  EXPECT_LT(log.low, 10);
  EXPECT_GT(log.low, 5);
  EXPECT_GT(log.high, 100);
  EXPECT_LT(log.high, 200);
  const double one[] = {5};
  const Range linear = range_of(one, ScaleKind::linear);
  EXPECT_EQ(linear.low, 0);
  EXPECT_GT(linear.high, 5);
  const Range none = range_of({}, ScaleKind::log);
  EXPECT_LT(none.low, none.high);
}

TEST(Scale, NumbersHaveTheDigitsThatMean) {
  EXPECT_EQ(number(1234567), "1,234,567");
  EXPECT_EQ(number(12345.678), "12,346");
  EXPECT_EQ(number(1.23456), "1.235");
  EXPECT_EQ(number(0.000123456), "0.0001235");
  EXPECT_EQ(number(2.5), "2.5");
  EXPECT_EQ(number(-1500), "-1,500");
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(NAN), "-");
}

}  // namespace scale_test
}  // namespace orch::plot
