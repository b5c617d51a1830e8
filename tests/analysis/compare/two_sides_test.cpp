// Differences between two sides and their verdicts.
#include "analysis/compare/two_sides.hpp"

#include "analysis/compare/selections.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace orch::compare {
namespace two_sides_test {

const Row& row_of(const std::vector<Row>& rows, const std::string& metric,
                  const std::string& pair = "") {
  for (const Row& row : rows)
    if (row.metric == metric && row.pair == pair) return row;
  throw std::logic_error("no such row");
}

TEST(Comparison, finds_a_difference_that_is_large_beside_the_sessions) {
  const Comparison found =
      compare(side_of("f16", 1, {100, 101, 99}), side_of("q8_0", 2, {120, 121, 119}), {});
  const Row& row = row_of(found.overall, "output_tps");
  EXPECT_NEAR(*row.result.difference, 20, 0.1);
  EXPECT_EQ(word_of(row), "better");
  EXPECT_NEAR(*row.a, 200, 0.1) << "the geometric mean of 100 and 400";
  EXPECT_EQ(row.result.sessions_a, 3u);
  EXPECT_LT(*row.detectable, 10);
  EXPECT_EQ(word_of(row_of(found.overall, "ttft_ms")), "better") << "lower is better";
  EXPECT_EQ(found.points.size(), 4u);
  EXPECT_NEAR(*row_of(found.points, "output_tps", "concurrency 4").a, 400, 0.1);
}

TEST(Comparison, of_equal_sides_claims_nothing_and_bounds_what_there_may_be) {
  const Comparison found =
      compare(side_of("f16", 1, {100, 102, 98}), side_of("q8_0", 2, {101, 99, 100}), {});
  const Row& row = row_of(found.overall, "output_tps");
  EXPECT_EQ(word_of(row), "none shown");
  EXPECT_GT(row.judgement.bound, 1);
  EXPECT_LT(row.judgement.bound, 10);
}

TEST(Comparison, with_a_size_that_matters_says_how_many_sessions_would_find_it) {
  const Comparison found =
      compare(side_of("f16", 1, {100, 105, 95}), side_of("q8_0", 2, {103, 97, 100}), {.size = 3.0});
  const Row& row = row_of(found.overall, "output_tps");
  EXPECT_EQ(word_of(row), "not enough data");
  ASSERT_TRUE(row.sessions_needed);
  EXPECT_GT(*row.sessions_needed, 3);
  EXPECT_GT(*row_of(found.points, "output_tps", "concurrency 1").sessions_needed,
            *row.sessions_needed)
      << "judged among more";
  EXPECT_NEAR(found.session_s, 60, 1e-9);
}

TEST(Comparison, of_one_session_a_side_makes_no_claim) {
  const Comparison found = compare(side_of("f16", 1, {100}), side_of("q8_0", 2, {200}), {});
  const Row& row = row_of(found.overall, "output_tps");
  EXPECT_EQ(word_of(row), "no claim");
  EXPECT_NEAR(*row.result.difference, 100, 0.1) << "the figure is still shown";
  EXPECT_FALSE(row.result.inference);
}

TEST(Comparison, of_one_session_a_side_borrows_the_spread_of_earlier_ones) {
  std::vector<std::pair<std::size_t, double>> asked;  // metric, concentration
  const Comparison found =
      compare(side_of("f16", 1, {100}), side_of("q8_0", 2, {200}),
              {.lent = [&](std::size_t metric,
                           double concentration) -> std::optional<statistics::LentSpread> {
                asked.emplace_back(metric, concentration);
                return statistics::LentSpread{.sd = 0.02, .pair_sd = 0.03, .degrees = 9};
              }});
  const Row& row = row_of(found.overall, "output_tps");
  EXPECT_EQ(word_of(row), "better");
  EXPECT_EQ(row.result.inference->spread, statistics::SpreadSource::lent);
  EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, double>>{{0, 1}, {1, 1}}))
      << "each metric, of one server a round";
}

TEST(Comparison, corrects_for_the_number_of_comparisons) {
  const Comparison found =
      compare(side_of("f16", 1, {100, 102, 98}), side_of("q8_0", 2, {105, 107, 103}), {});
  for (const Row& row : found.points) EXPECT_GE(row.adjusted_p, row.result.inference->p);
  EXPECT_GT(row_of(found.points, "output_tps", "concurrency 1").adjusted_p,
            row_of(found.points, "output_tps", "concurrency 1").result.inference->p);
}

TEST(Comparison, of_shares_is_a_difference_in_percentage_points) {
  Selected a = side_of("f16", 1, {1, 1, 1}), b = side_of("q8_0", 2, {1, 1, 1});
  for (Selected* side : {&a, &b}) {
    side->metrics[0] = "error_rate";
    for (Measured& row : side->rows) row.values[0] = side == &a ? 0.0 : 0.25;
  }
  const Row row = row_of(compare(a, b, {.size = 3.0}).overall, "error_rate");
  EXPECT_EQ(row.result.scale, statistics::Scale::additive);
  EXPECT_EQ(row.unit, Unit::points);
  EXPECT_DOUBLE_EQ(*row.result.difference, 25);
  EXPECT_EQ(word_of(row), "worse");
}

TEST(Comparison, notices_that_one_side_was_measured_before_the_other) {
  EXPECT_TRUE(compare(side_of("f16", 1, {1, 1}), side_of("q8_0", 2, {1, 1}), {}).alternates);
  EXPECT_FALSE(compare(side_of("f16", 1, {1, 1}), side_of("q8_0", 12, {1, 1}), {}).alternates);
}

// The end counts: here the last session of A goes on while the first of B begins.
TEST(Comparison, of_sides_that_overlap_in_time_alternates) {
  Selected a = side_of("f16", 1, {1, 1}), b = side_of("q8_0", 4, {1, 1});
  EXPECT_FALSE(compare(a, b, {}).alternates);
  a.rows.back().ended_at = b.rows.front().begun_at + 1;
  EXPECT_TRUE(compare(a, b, {}).alternates);
}

// Two loads of one server: neither came before the other.
TEST(Comparison, of_sides_that_share_a_session_alternates) {
  const Selected a = SideOf().add(1, "f16", 1, 100).selected;
  const Selected b = SideOf().add(1, "f16", 4, 400).selected;
  EXPECT_TRUE(compare(a, b, {}).alternates);
}

TEST(Comparison, without_a_common_point_has_no_row_at_a_point) {
  SideOf a, b;
  a.add(1, "f16", 1, 100), a.add(1, "f16", 2, 100);
  b.add(2, "f16", 4, 100), b.add(2, "f16", 2, 100);
  a.selected.rows.pop_back(), b.selected.rows.pop_back();
  // concurrency differs, and so the sides are one pair that nothing tells apart.
  const Comparison found = compare(a.selected, b.selected, {});
  EXPECT_EQ(found.pairing.differing.size(), 1u);
  EXPECT_TRUE(found.points.empty());
}

}  // namespace two_sides_test
}  // namespace orch::compare
