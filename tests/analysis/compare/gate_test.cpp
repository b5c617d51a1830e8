// What passes a gate, and what never does in silence.
#include "analysis/compare/selections.hpp"
#include "analysis/compare/two_sides.hpp"

#include <gmock/gmock.h>

namespace orch::compare {
namespace gate_test {

using testing::Contains;
using testing::HasSubstr;

Comparison equal() {
  return compare(side_of("f16", 1, {100, 101, 99}), side_of("q8_0", 2, {100, 99, 101}), {});
}

GateResult gate(const Comparison& comparison, const std::string& sql,
                const std::set<Allowed>& allowed = {}) {
  auto result = check_gate(comparison, sql, allowed);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? *result : GateResult{};
}

std::string refusal(const std::string& sql) {
  const auto result = check_gate(equal(), sql, {});
  return result.ok() ? "" : result.error().message;
}

// Both sides with the first measurement of A changed by CHANGE.
template <class Change> Comparison with(Change change) {
  Selected a = side_of("f16", 1, {100, 101, 99});
  change(a.rows[0]);
  return compare(a, side_of("q8_0", 2, {100, 99, 101}), {});
}

TEST(Gate, a_lower_score_of_a_scorer_of_ours_is_worse) {
  const auto verdict_of_fall_in = [](const std::string& metric) {
    Selected a = side_of("fp8", 1, {1, 1, 1}), b = side_of("int4", 2, {0.7, 0.7, 0.7});
    a.metrics[0] = b.metrics[0] = metric;
    return std::string(word_of(compare(a, b, {}).overall.at(0)));
  };
  EXPECT_EQ(verdict_of_fall_in("score_exact"), "worse");
  EXPECT_EQ(verdict_of_fall_in("score_judge"), "differs") << "a scorer of the user's";
}

TEST(Gate, passes_when_its_sql_is_true_for_every_row) {
  const GateResult result = gate(equal(), "worst_loss < 20");
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.rows, 6u);
}

TEST(Gate, fails_for_each_row_that_its_sql_is_false_for) {
  const GateResult result = gate(equal(), "metric <> 'ttft_ms' OR worst_loss < 0.001");
  EXPECT_EQ(result.failures.size(), 3u);
  EXPECT_THAT(result.failures, Contains(HasSubstr("ttft_ms over all points: false; no difference "
                                                  "larger than ")));
  EXPECT_THAT(result.failures, Contains(HasSubstr("ttft_ms at concurrency 4: false")));
}

TEST(Gate, fails_where_nothing_can_be_claimed) {
  const Comparison one = compare(side_of("f16", 1, {100}), side_of("q8_0", 2, {100}), {});
  const GateResult result = gate(one, "change_low > -50");
  EXPECT_THAT(result.failures,
              Contains(HasSubstr("output_tps over all points: no claim: a side has one session")));
}

TEST(Gate, fails_for_invalid_measurements_unless_they_are_allowed) {
  const Comparison comparison = with([](Measured& row) { row.valid = false; });
  const GateResult result = gate(comparison, "1");
  EXPECT_THAT(result.failures,
              Contains(HasSubstr("output_tps at concurrency 1: 1 invalid measurement")));
  const GateResult allowed = gate(comparison, "1", {Allowed::invalid});
  EXPECT_TRUE(allowed.passed());
  EXPECT_THAT(allowed.allowed, Contains(HasSubstr("invalid measurement")))
      << "and it is still said";
}

TEST(Gate, fails_for_unsupported_percentiles_and_disturbed_measurements) {
  EXPECT_THAT(gate(with([](Measured& row) { row.unsupported = "ttft_ms"; }), "1").failures,
              Contains(HasSubstr("ttft_ms over all points: 1 measurement with too few requests")));
  EXPECT_THAT(gate(with([](Measured& row) { row.disturbed = true; }), "1").failures,
              Contains(HasSubstr("1 measurement disturbed")));
}

TEST(Gate, fails_for_a_point_of_one_side) {
  SideOf a{side_of("f16", 1, {100, 101, 99})};
  a.add(1, "f16", 16, 5);
  const Comparison comparison = compare(a.selected, side_of("q8_0", 2, {100, 99, 101}), {});
  EXPECT_THAT(gate(comparison, "1").failures, Contains("concurrency 16: only side A has it"));
  EXPECT_TRUE(gate(comparison, "1", {Allowed::unpaired}).passed());
}

TEST(Gate, fails_for_a_row_without_a_value_on_one_side) {
  Selected b = side_of("q8_0", 2, {100, 99, 101});
  for (Measured& row : b.rows) row.values[1].reset();
  const Comparison comparison = compare(side_of("f16", 1, {100, 101, 99}), b, {});
  EXPECT_THAT(gate(comparison, "verdict <> 'worse'").failures,
              Contains("ttft_ms over all points: side B has no value"));
  const GateResult allowed = gate(comparison, "verdict <> 'worse'", {Allowed::unpaired});
  EXPECT_TRUE(allowed.passed());
  EXPECT_THAT(allowed.allowed, Contains("ttft_ms over all points: side B has no value"));
}

TEST(Gate, fails_for_a_metric_that_neither_side_has) {
  Selected a = side_of("f16", 1, {100, 101, 99}), b = side_of("q8_0", 2, {100, 99, 101});
  for (Selected* side : {&a, &b})
    for (Measured& row : side->rows) row.values[1].reset();
  EXPECT_THAT(gate(compare(a, b, {}), "1").failures,
              Contains("ttft_ms: no common point has a value"));
}

TEST(Gate, fails_for_a_row_without_a_claim_unless_that_is_allowed) {
  const Comparison one = compare(side_of("f16", 1, {100}), side_of("q8_0", 2, {90}), {});
  EXPECT_THAT(gate(one, "verdict <> 'worse'").failures,
              Contains(HasSubstr("output_tps over all points: no claim: a side has one session")));
  for (const char* sql : {"verdict <> 'worse'", "worst_loss < 5"}) {
    const GateResult allowed = gate(one, sql, {Allowed::no_claim});
    EXPECT_TRUE(allowed.passed()) << sql;
    EXPECT_EQ(allowed.allowed.size(), 6u) << "and every row is still told";
  }
  EXPECT_FALSE(gate(one, "verdict = 'better'", {Allowed::no_claim}).passed()) << "that is false";
  EXPECT_TRUE(gate(equal(), "verdict <> 'worse'").passed());
}

TEST(Gate, fails_where_its_sql_is_unknown_unless_that_is_allowed) {
  EXPECT_THAT(gate(equal(), "NULL").failures, Contains(HasSubstr(": unknown (NULL); ")));
  EXPECT_TRUE(gate(equal(), "NULL", {Allowed::unknown}).passed());
  EXPECT_FALSE(gate(equal(), "NULL", {Allowed::no_claim}).passed());
}

// Sides with METRIC instead of output_tps and ttft_ms.
Comparison of(const std::string& metric, const std::vector<double>& a,
              const std::vector<double>& b) {
  Selected side_a = side_of("f16", 1, {1, 1, 1}), side_b = side_of("q8_0", 2, {1, 1, 1});
  for (auto [side, values] : {std::pair(&side_a, &a), std::pair(&side_b, &b)}) {
    side->metrics = {metric};
    for (std::size_t i = 0; i < side->rows.size(); ++i) side->rows[i].values = {(*values)[i / 2]};
  }
  return compare(side_a, side_b, {});
}

TEST(Gate, asks_in_percentage_points_about_shares) {
  const Comparison half_fails = of("error_rate", {0, 0, 0}, {0.5, 0.5, 0.5});
  EXPECT_THAT(gate(half_fails, "worst_loss < 5").failures,
              Contains("error_rate over all points: false; worse by 50.0 points"));
  EXPECT_TRUE(gate(half_fails, "worst_loss < 50.1").passed());
  const Comparison rare = of("error_rate", {0.001, 0.001, 0.001}, {0.002, 0.002, 0.002});
  EXPECT_TRUE(gate(rare, "worst_loss < 0.11").passed()) << "one in a thousand more";
  EXPECT_FALSE(gate(rare, "worst_loss < 0.09").passed());
}

TEST(Gate, asks_in_percent_about_metrics_that_may_be_zero) {
  const Comparison found = of("goodput_rps", {8, 8, 8}, {0, 0, 0});
  EXPECT_TRUE(gate(found, "change = -100 AND worst_loss = 100").passed());
  EXPECT_THAT(gate(of("goodput_rps", {0, 0, 0}, {8, 8, 8}), "change > 0").failures,
              Contains(HasSubstr("unknown (NULL); better by 8.0000")))
      << "in % of nothing";
}

TEST(Gate, fails_for_sessions_without_the_metric) {
  const Comparison comparison = with([](Measured& row) { row.values[1].reset(); });
  EXPECT_THAT(gate(comparison, "1").failures,
              Contains("ttft_ms over all points: 1 valid measurement without a value of it"));
  EXPECT_TRUE(gate(comparison, "1", {Allowed::missing}).passed());
}

TEST(Gate, fails_when_there_is_nothing_to_ask) {
  Selected none = side_of("f16", 1, {});
  const GateResult result = gate(compare(none, none, {}), "1");
  EXPECT_FALSE(result.passed());
}

TEST(Gate, explains_an_unknown_column) {
  EXPECT_THAT(refusal("worst_los < 1"), HasSubstr("no such column: worst_los"));
}

TEST(Gate, refuses_sql_that_aggregates_all_rows_and_names_the_remedy) {
  for (const char* sql : {"max(worst_loss) < 5", "count(*) > 0", "(SELECT sum(comparison.change))"})
    EXPECT_THAT(refusal(sql), HasSubstr("write a subquery")) << sql;
  EXPECT_TRUE(gate(equal(), "(SELECT max(worst_loss) FROM comparison) < 20").passed());
}

TEST(Gate, takes_one_expression_only) {
  EXPECT_THAT(refusal("1) OR (1"), HasSubstr("SQLite: near \")\": syntax error"));
  EXPECT_THAT(refusal("1, 1"), HasSubstr("SQLite: "));
  EXPECT_FALSE(check_gate_sql("chang > 1").ok());
  EXPECT_TRUE(check_gate_sql("change > 1 -- and no more").ok());
}

// Asked twice, a row would be neither true nor false now and then.
TEST(Gate, asks_once_about_each_row) {
  for (int i = 0; i < 20; ++i)
    for (const std::string& line : gate(equal(), "random() > 0").failures)
      EXPECT_THAT(line, testing::Not(HasSubstr("NULL")));
}

TEST(Gate, ends_sql_that_takes_too_much_memory) {
  EXPECT_FALSE(check_gate(equal(), "length(randomblob(900000000)) > 0", {}).ok());
}

TEST(Gate, runs_no_second_statement) {
  EXPECT_FALSE(check_gate(equal(), "1); DROP TABLE comparison; --", {}).ok());
}

TEST(Gate, names_what_may_be_allowed) {
  EXPECT_EQ(parse_name<Allowed>("no-claim"), Allowed::no_claim);
  EXPECT_FALSE(parse_name<Allowed>("everything"));
}

}  // namespace gate_test
}  // namespace orch::compare
