// Expected values: scipy.stats.ttest_ind (1.17.1) over the means of logarithms.
#include "core/statistics/session_difference.hpp"

#include "core/statistics/student.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace orch::statistics {
namespace session_difference_test {

Session session(double at_c1, double at_c8) { return {{"c1", at_c1}, {"c8", at_c8}}; }

const Sessions k_a = {session(100, 200), session(104, 196), session(99, 203)};
const Sessions k_b = {session(110, 205), session(103, 209), session(107, 214)};

TEST(SessionDifference, OfEqualNumbersOfSessionsIsPooledStudentT) {
  const SessionDifference found = session_difference(k_a, k_b);
  EXPECT_NEAR(*found.difference, 5.215444644959776, 1e-9);
  ASSERT_TRUE(found.inference);
  EXPECT_NEAR(found.inference->low, 2.4168589487011727, 1e-9);
  EXPECT_NEAR(found.inference->high, 8.090502925709828, 1e-9);
  EXPECT_NEAR(found.inference->p, 0.006357886319665037, 1e-12);
  EXPECT_EQ(found.inference->degrees, 4);
  EXPECT_EQ(found.inference->spread, SpreadSource::pooled);
  EXPECT_FALSE(found.no_claim);
  EXPECT_EQ(found.pairs, 2u);
}

TEST(SessionDifference, OfUnequalNumbersOfSessionsIsWelch) {
  Sessions b = k_b;
  b.push_back(session(108, 199));
  const SessionDifference found = session_difference(k_a, b);
  EXPECT_NEAR(*found.difference, 4.721000274118168, 1e-9);
  EXPECT_NEAR(found.inference->low, 2.182202623941143, 1e-9);
  EXPECT_NEAR(found.inference->high, 7.322876360099379, 1e-9);
  EXPECT_NEAR(found.inference->p, 0.00711546331992453, 1e-12);
  EXPECT_NEAR(found.inference->degrees, 3.7086281294222276, 1e-10);
  EXPECT_EQ(found.inference->spread, SpreadSource::welch);
}

TEST(SessionDifference, OnTheAdditiveScaleHasTheMetricsUnit) {
  const SessionDifference found =
      session_difference(k_a, k_b, {.scale = Scale::additive, .level = 0.9});
  EXPECT_NEAR(*found.difference, 7.666666666666657, 1e-9);
  EXPECT_NEAR(found.inference->low, 4.758346999722287, 1e-9);
  EXPECT_NEAR(found.inference->high, 10.574986333611026, 1e-9);
  EXPECT_NEAR(found.inference->p, 0.00492874486284168, 1e-12);
}

TEST(SessionDifference, TurnsItsSignWithTheSides) {
  const SessionDifference there = session_difference(k_a, k_b);
  const SessionDifference back = session_difference(k_b, k_a);
  EXPECT_NEAR((1 + *there.difference / 100) * (1 + *back.difference / 100), 1, 1e-12);
  EXPECT_NEAR(there.inference->p, back.inference->p, 1e-12);
}

Sessions apart(const std::vector<double>& at_c1, const std::vector<double>& at_c8) {
  Sessions out;
  for (const double value : at_c1) out.push_back({{"c1", value}});
  for (const double value : at_c8) out.push_back({{"c8", value}});
  return out;
}

constexpr DifferenceOptions k_apart{.scale = Scale::additive, .apart_a = true, .apart_b = true};

// By hand: means 16.5 and 23; variances of the means of the pairs, divided by 2 * 2 pairs, are
// 2/2/4, 4/3/4, 2/2/4 and 8/2/4 with 1, 2, 1 and 1 degrees of freedom.
TEST(SessionDifference, OfSessionsThatAreApartAddsTheVariancesOfThePairs) {
  const SessionDifference found =
      session_difference(apart({10, 12}, {20, 22, 24}), apart({13, 15}, {30, 34}), k_apart);
  EXPECT_DOUBLE_EQ(*found.difference, 6.5);
  ASSERT_TRUE(found.inference);
  EXPECT_NEAR(found.inference->standard_error, std::sqrt(11.0 / 6), 1e-12);
  const double degrees = 121.0 / 36 / (1.0 / 16 + 1.0 / 18 + 1.0 / 16 + 1);
  EXPECT_NEAR(found.inference->degrees, degrees, 1e-12);
  EXPECT_NEAR(found.inference->high - found.inference->low,
              2 * student_quantile(0.975, degrees) * std::sqrt(11.0 / 6), 1e-9);
  EXPECT_EQ(found.sessions_a, 2u) << "the fewest of a pair";
  EXPECT_EQ(found.pairs, 2u);
}

// Of side A, which measured both pairs in each session, the means of the sessions count: 15, 17.
TEST(SessionDifference, OfOneSideApartKeepsTheSessionsOfTheOther) {
  const SessionDifference found =
      session_difference({session(10, 20), session(12, 22)}, apart({13, 15}, {30, 34}),
                         {.scale = Scale::additive, .apart_b = true});
  EXPECT_DOUBLE_EQ(*found.difference, 7);
  EXPECT_NEAR(found.inference->standard_error, std::sqrt(2.0 / 2 + 2.0 / 2 / 4 + 8.0 / 2 / 4),
              1e-12);
}

TEST(SessionDifference, OfSessionsThatAreApartNeedsTwoOfEachPair) {
  const SessionDifference found =
      session_difference(apart({10, 12}, {20}), apart({13, 15}, {30, 34}), k_apart);
  EXPECT_EQ(found.no_claim, NoClaim::one_session);
  EXPECT_DOUBLE_EQ(*found.difference, 7.5);
  EXPECT_EQ(found.sessions_a, 1u);
}

// A session that lacks the slow point would otherwise look fast.
TEST(SessionDifference, UsesOnlyThePairsThatEverySessionHas) {
  Sessions b = k_b;
  b[1].push_back({"c64", 5000});
  Sessions a = k_a;
  a[0].erase(a[0].begin());
  const SessionDifference more = session_difference(k_a, b);
  EXPECT_DOUBLE_EQ(*more.difference, *session_difference(k_a, k_b).difference);
  EXPECT_EQ(more.pairs_left_out, 1u);
  const SessionDifference fewer = session_difference(a, b);
  EXPECT_EQ(fewer.pairs, 1u);
  EXPECT_EQ(fewer.pairs_left_out, 2u);
  EXPECT_NEAR(*fewer.difference, 100 * (std::cbrt(205.0 * 209 * 214 / (200.0 * 196 * 203)) - 1),
              1e-9);
}

TEST(SessionDifference, CountsARepeatedPairOnceWithItsMean) {
  Sessions a = k_a;
  a[0] = {{"c1", 50}, {"c8", 200}, {"c1", 200}};  // the geometric mean is 100
  EXPECT_NEAR(*session_difference(a, k_b).difference, 5.215444644959776, 1e-9);
}

TEST(SessionDifference, OfOneSessionOnASideClaimsNothingButTellsTheDifference) {
  const SessionDifference found = session_difference({k_a[0]}, k_b);
  EXPECT_EQ(found.no_claim, NoClaim::one_session);
  EXPECT_FALSE(found.inference);
  ASSERT_TRUE(found.difference);
  EXPECT_GT(*found.difference, 0);
}

TEST(SessionDifference, OfOneSessionASideUsesALentSpread) {
  const SessionDifference found =
      session_difference({k_a[0]}, {k_b[0]}, {.lent = LentSpread{0.02, 0.05, 9}});
  EXPECT_NEAR(*found.difference, 6.183802907976536, 1e-9);
  EXPECT_NEAR(found.inference->low, -0.3974152669899681, 1e-9);
  EXPECT_NEAR(found.inference->high, 13.199873579819608, 1e-9);
  EXPECT_NEAR(found.inference->p, 0.06289746335817237, 1e-12);
  EXPECT_EQ(found.inference->spread, SpreadSource::lent);
}

TEST(SessionDifference, PoolsALentSpreadWithThatOfTheSides) {
  const SessionDifference found = session_difference(k_a, k_b, {.lent = LentSpread{0.02, 0.05, 9}});
  EXPECT_NEAR(found.inference->p, 0.004079637966500417, 1e-12);
  EXPECT_NEAR(found.inference->standard_error, 0.014615907884350382, 1e-12);
  EXPECT_EQ(found.inference->degrees, 13);
}

TEST(SessionDifference, RefusesALentSpreadThatTheSidesContradict) {
  const LentSpread narrow{.sd = 0.001, .pair_sd = 0.001, .degrees = 9};
  const SessionDifference found = session_difference(k_a, k_b, {.lent = narrow});
  EXPECT_EQ(found.inference->spread, SpreadSource::pooled);
  EXPECT_NEAR(found.inference->p, 0.006357886319665037, 1e-12);
  EXPECT_EQ(session_difference({k_a[0]}, k_b, {.lent = narrow}).no_claim,
            NoClaim::spread_contradicted);
}

TEST(SessionDifference, SaysWhyItHasNone) {
  EXPECT_EQ(session_difference({}, k_b).no_claim, NoClaim::no_session);
  const Sessions other = {{{"c2", 1}}, {{"c2", 2}}};
  EXPECT_EQ(session_difference(other, k_b).no_claim, NoClaim::no_common_pair);
  Sessions zero = k_a;
  zero[2][1].value = 0;
  EXPECT_EQ(session_difference(zero, k_b).no_claim, NoClaim::value_not_positive);
  EXPECT_TRUE(session_difference(zero, k_b, {.scale = Scale::additive}).inference);
  Sessions undefined = k_a;
  undefined[2][1].value = std::numeric_limits<double>::quiet_NaN();
  const SessionDifference found = session_difference(undefined, k_b, {.scale = Scale::additive});
  EXPECT_EQ(found.no_claim, NoClaim::value_not_finite);
  EXPECT_FALSE(found.difference);
}

TEST(SessionDifference, OfEqualValuesIsZeroAndOfConstantOnesCertain) {
  const Sessions a = {session(0.1, 0.7), session(0.1, 0.7), session(0.1, 0.7)};
  const SessionDifference none = session_difference(a, a);
  EXPECT_EQ(*none.difference, 0);
  EXPECT_EQ(none.inference->p, 1);
  EXPECT_EQ(none.inference->standard_error, 0);
  const Sessions b = {session(0.2, 0.7), session(0.2, 0.7), session(0.2, 0.7)};
  const SessionDifference found = session_difference(a, b);
  EXPECT_EQ(found.inference->p, 0);
  EXPECT_DOUBLE_EQ(found.inference->low, *found.difference);
}

// Means of logarithms 0.01 and -0.01 around a common one: a variance of 2e-4 on both sides.
TEST(SessionSd, IsTheSpreadBehindTheStandardError) {
  const auto value = [](double logarithm) { return Session{{"c1", 100 * std::exp(logarithm)}}; };
  const Sessions a = {value(0.01), value(-0.01)}, b = {value(0.06), value(0.04)};
  EXPECT_NEAR(*session_sd(session_difference(a, b)), std::sqrt(2e-4), 1e-12);
  const Sessions more = {value(0.06), value(0.04), value(0.06), value(0.04)};
  const SessionDifference unequal = session_difference(a, more);
  EXPECT_NEAR(*session_sd(unequal), unequal.inference->standard_error / std::sqrt(0.75), 1e-12);
  EXPECT_FALSE(session_sd(session_difference({value(0)}, b)));
}

TEST(SessionDifference, OfOnePairIsOverItsValues) {
  const auto at_c1 = [](double a, double b, double c) {
    return Sessions{{{"c1", a}}, {{"c1", b}}, {{"c1", c}}};
  };
  const SessionDifference found = session_difference(at_c1(100, 104, 99), at_c1(110, 103, 107));
  EXPECT_NEAR(*found.difference, 5.596223014890037, 1e-9);
  EXPECT_NEAR(found.inference->low, -1.286046205124554, 1e-9);
  EXPECT_NEAR(found.inference->high, 12.9583193292097, 1e-9);
  EXPECT_NEAR(found.inference->p, 0.08830691189073882, 1e-12);
}

TEST(LentSpread, IsThatWithinGroupsOfOneConfiguration) {
  const std::vector<Sessions> groups = {
      {session(10, 20), session(11, 21), session(9.5, 20.5), session(10.2, 19.4)},
      {session(50, 3), session(52, 3.2), session(49, 3.1)}};
  const auto spread = lent_spread(groups);
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->sd, 0.035457343060568705, 1e-12);
  EXPECT_NEAR(spread->pair_sd, 0.042956721032907784, 1e-12);
  EXPECT_EQ(spread->degrees, 5);
}

TEST(LentSpread, NeedsSixSessionsOfOneConfiguration) {
  Sessions group;
  for (int i = 0; i < 5; ++i) group.push_back(session(10 + i, 20));
  EXPECT_FALSE(lent_spread(std::vector<Sessions>{group}));
  group.push_back(session(10, 21));
  EXPECT_TRUE(lent_spread(std::vector<Sessions>{group}));
  // One session of each of six configurations tells nothing.
  std::vector<Sessions> alone;
  for (const Session& one : group) alone.push_back({one});
  EXPECT_FALSE(lent_spread(alone));
}

TEST(LentSpread, LeavesOutAPairWithAValueThatTheScaleDoesNotAllow) {
  Sessions group;
  for (int i = 0; i < 6; ++i) group.push_back(session(i, 20 + i));
  Sessions without;
  for (int i = 0; i < 6; ++i) without.push_back({{"c8", 20.0 + i}});
  EXPECT_DOUBLE_EQ(lent_spread(std::vector<Sessions>{group})->sd,
                   lent_spread(std::vector<Sessions>{without})->sd);
}

TEST(LargestDifference, IsBetweenSessionsOfOneGroup) {
  const std::vector<Sessions> groups = {{session(100, 100), session(110, 110), session(99, 99)},
                                        {session(10, 10)}};
  EXPECT_NEAR(*largest_difference(groups), std::log(110.0 / 99), 1e-12);
  EXPECT_FALSE(largest_difference(std::vector<Sessions>{{session(10, 10)}}));
}

TEST(FarLarger, IsBeyondThreeErrorsOfTheAssumedSpreadAndBeyondWhatWasSeen) {
  const auto is_far = [](const Sessions& a, const Sessions& b, std::optional<double> seen = {}) {
    return is_far_larger(session_difference(a, b), seen);
  };
  const Sessions one = {session(100, 100)};
  EXPECT_TRUE(is_far(one, {session(190, 190)})) << "log 1.9 = 0.642 > 3 * 0.15 * sqrt 2 = 0.636";
  EXPECT_FALSE(is_far(one, {session(188, 188)}));
  EXPECT_TRUE(is_far(one, {session(52, 52)})) << "a loss counts the same";
  EXPECT_FALSE(is_far(one, {session(190, 190)}, std::log(2)));
  EXPECT_TRUE(is_far(one, {session(176, 176), session(174, 174)})) << "two sessions: 0.551";
  EXPECT_FALSE(is_far(k_a, k_a)) << "there is a claim";
  EXPECT_FALSE(is_far(one, {session(0, 190)})) << "no ratio";
}

}  // namespace session_difference_test
}  // namespace orch::statistics
