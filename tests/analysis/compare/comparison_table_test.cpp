// A comparison as a table for programs, a table for people, and sentences.
#include "analysis/compare/comparison_text.hpp"
#include "analysis/compare/selections.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace orch::compare {
namespace comparison_table_test {

Comparison three_sessions(std::optional<double> size = {}) {
  return compare(side_of("f16", 1, {100, 105, 95}), side_of("q8_0", 2, {103, 97, 100}),
                 {.size = size});
}

TEST(ComparisonTable, has_a_column_for_each_documented_one) {
  const report::Table table = comparison_table(three_sessions());
  ASSERT_EQ(table.columns.size(), comparison_columns().size());
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    EXPECT_EQ(table.columns[i], comparison_columns()[i].name);
  EXPECT_EQ(table.rows.size(), 2u + 4u) << "two metrics over all points, and at each of two";
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

TEST(ComparisonTable, tells_how_much_worse_b_may_be_in_the_direction_that_is_worse) {
  const Comparison better =
      compare(side_of("f16", 1, {100, 101, 99}), side_of("q8_0", 2, {120, 121, 119}), {});
  const report::Table table = comparison_table(better);
  std::size_t loss = 0;
  while (table.columns[loss] != "worst_loss") ++loss;
  EXPECT_EQ(std::get<double>(table.rows[0][loss]), 0) << "more tokens/s";
  EXPECT_EQ(std::get<double>(table.rows[1][loss]), 0) << "less TTFT";
  const report::Table equal = comparison_table(three_sessions());
  EXPECT_GT(std::get<double>(equal.rows[0][loss]), 1);
  EXPECT_GT(std::get<double>(equal.rows[1][loss]), 1);
}

TEST(Verdict, without_a_size_bounds_the_difference) {
  const Comparison found = three_sessions();
  const std::string text = verdict_of(found.overall[0], found);
  EXPECT_TRUE(text.starts_with("no difference larger than ")) << text;
  EXPECT_TRUE(text.ends_with(" % shown")) << text;
}

TEST(Verdict, of_an_interval_without_zero_that_the_correction_undoes_says_so) {
  const Comparison found =
      compare(side_of("f16", 1, {100, 105, 95}), side_of("q8_0", 2, {113, 118.7, 107.3}), {});
  ASSERT_GT(found.overall[0].result.inference->low, 0);
  const std::string text = verdict_of(found.overall[0], found);
  EXPECT_TRUE(text.starts_with("not significant among 2 comparisons (p 0.08); up to 26.")) << text;
}

TEST(Verdict, with_a_size_says_what_would_be_enough) {
  const Comparison found = three_sessions(3.0);
  const std::string text = verdict_of(found.overall[0], found);
  EXPECT_TRUE(text.starts_with("not enough data; ")) << text;
  EXPECT_NE(text.find(" sessions a side would do, about "), std::string::npos) << text;
}

// A remark, no verdict: gates and the word still say that nothing is claimed.
TEST(Verdict, of_one_session_tells_a_change_that_no_sessions_ever_had) {
  const Selected a = side_of("f16", 1, {100});
  const auto text = [&](double tps, std::optional<double> largest) {
    const Comparison found = compare(a, side_of("q8_0", 2, {tps}),
                                     {.largest = [largest](std::size_t) { return largest; }});
    EXPECT_EQ(word_of(found.overall[0]), "no claim");
    return verdict_of(found.overall[0], found);
  };
  EXPECT_TRUE(
      text(22, {}).starts_with("no claim: a side has one session, but the change is far "
                               "larger than sessions usually differ (15 %)"))
      << text(22, {});
  EXPECT_NE(text(22, std::log(1.5)).find("than sessions ever differed here (50.0 %)"),
            std::string::npos);
  EXPECT_EQ(text(22, std::log(5.0)).find("far larger"), std::string::npos)
      << "sessions differed by as much before";
  EXPECT_EQ(text(60, {}).find("far larger"), std::string::npos) << "-40 %";
}

TEST(Verdict, without_a_session_says_why) {
  Selected a = side_of("f16", 1, {100, 101}), b = side_of("q8_0", 2, {100, 101});
  for (Selected* side : {&a, &b}) side->metrics[0] = "ttft_ms_p99";
  for (Measured& row : a.rows) row.unsupported = "ttft_ms_p99", row.values[1].reset();
  const Comparison found = compare(a, b, {});
  EXPECT_EQ(verdict_of(found.overall[0], found),
            "no claim: a side has too few requests for a p99, which needs 100");
  EXPECT_EQ(verdict_of(found.overall[1], found), "no claim: a side has no value of it");
}

TEST(Verdict, of_enough_sessions_by_chance_not_enough_data_asks_for_no_fewer) {
  const Comparison found = compare(side_of("f16", 1, {100, 101, 99, 100}),
                                   side_of("q8_0", 2, {97.6, 98.6, 96.6, 97.6}), {.size = 3.2});
  Row row = found.overall[0];
  row.judgement.verdict = statistics::Verdict::not_enough_data;
  ASSERT_LE(row.sessions_needed, 4);
  EXPECT_EQ(verdict_of(row, found),
            "not enough data, although 4 sessions a side usually find a change of that size");
}

TEST(Verdict, of_one_session_says_that_it_says_nothing) {
  const Comparison found = compare(side_of("f16", 1, {100}), side_of("q8_0", 2, {200}), {});
  EXPECT_EQ(verdict_of(found.overall[0], found),
            "no claim: a side has one session, but the change is far larger than sessions usually "
            "differ (15 %)");
  EXPECT_EQ(more_sessions(found.overall[0], found),
            "3 sessions a side would allow a claim, about 4 min more");
}

TEST(Verdict, by_a_lent_spread_says_so) {
  const auto lent = [](std::size_t, double) -> std::optional<statistics::LentSpread> {
    return statistics::LentSpread{.sd = 0.02, .pair_sd = 0.03, .degrees = 9};
  };
  const Comparison found =
      compare(side_of("f16", 1, {100}), side_of("q8_0", 2, {200}), {.lent = lent});
  EXPECT_EQ(verdict_of(found.overall[0], found),
            "better by 100.0 % (by the spread of other sessions)");
  EXPECT_EQ(verdict_of(three_sessions().overall[0], three_sessions()).find("earlier"),
            std::string::npos);
}

TEST(PointsTable, has_only_points_that_differ_unless_all_are_wanted) {
  EXPECT_TRUE(points_table(three_sessions(), false).rows.empty());
  EXPECT_EQ(points_table(three_sessions(), true).rows.size(), 4u);
}

}  // namespace comparison_table_test
}  // namespace orch::compare
