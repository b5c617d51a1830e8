// Expressions that read the same values are computed together, without an effect on results.
#include "core/sql/expression_table.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::sql {
namespace expression_group_test {

// Overridable expressions are never in a group.
std::unique_ptr<ExpressionTable> table_with(const std::vector<TableExpression>& expressions,
                                            bool together = true) {
  auto table = std::make_unique<ExpressionTable>();
  table->add_column("isl", ColumnType::integer);
  table->add_column("model", ColumnType::text);
  table->add_column("release", ColumnType::version);
  table->add_column("x", ColumnType::any);
  int line = 0;
  for (TableExpression expression : expressions) {
    expression.what = fmt::format("let '{}'", expression.name);
    expression.where = {"m.yaml", ++line, 3};
    expression.overridable = !together;
    table->add(std::move(expression));
  }
  Errors errors;
  EXPECT_TRUE(table->create(errors)) << errors.front().text();
  return table;
}

std::string show(const Cell& cell) {
  if (is_null(cell)) return "NULL";
  if (const auto* text = std::get_if<std::string>(&cell)) return "'" + *text + "'";
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("real {}", *real);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  return "a blob";
}

// The results of one row joined by spaces, or the diagnosis.
std::string evaluate(ExpressionTable& table, const std::vector<Cell>& row, std::size_t expressions,
                     bool together = true) {
  std::vector<ValueId> inputs;
  for (const Cell& cell : row) inputs.push_back(table.intern(cell));
  if (!together) inputs.resize(row.size() + expressions, k_null);
  std::vector<ValueId> results(expressions);
  if (Status status = table.evaluate(inputs, results); !status) return status.error().text();
  std::string text;
  for (const ValueId id : results) text += (text.empty() ? "" : " ") + show(table.cell(id));
  return text;
}

std::vector<std::string> divisions(const ExpressionTable& table) {
  std::vector<std::string> out;
  for (const Division& one : table.divisions())
    out.push_back(fmt::format("{}: expression {}, row {}: {} not {}", to_string(one.where),
                              one.expression, one.row, show(one.as_written), show(one.as_real)));
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ExpressionGroup, a_failing_member_is_named_and_later_rows_are_right) {
  const auto table = table_with({{.name = "a", .sql = "isl + 1"},
                                 {.name = "b", .sql = "abs(isl)"},
                                 {.name = "c", .sql = "isl / 2"},
                                 {.name = "d", .sql = "abs(isl + 1 - 1)"}});
  EXPECT_EQ(evaluate(*table, {std::int64_t{3}, "", "", ""}, 4), "4 3 1 3");
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_EQ(evaluate(*table, {std::numeric_limits<std::int64_t>::min(), "", "", ""}, 4),
              "m.yaml:2:3: let 'b': it cannot be computed: integer overflow");
  EXPECT_EQ(evaluate(*table, {std::int64_t{-4}, "", "", ""}, 4), "-3 4 -2 4");
  EXPECT_EQ(evaluate(*table, {std::int64_t{3}, "", "", ""}, 4), "4 3 1 3");
}

TEST(ExpressionGroup, the_first_failing_expression_is_reported_in_any_group) {
  const std::vector<TableExpression> expressions = {{.name = "a", .sql = "isl"},
                                                    {.name = "b", .sql = "abs(x)"},
                                                    {.name = "c", .sql = "abs(isl)"}};
  const auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(evaluate(*table_with(expressions), {least, "", "", least}, 3),
            "m.yaml:2:3: let 'b': it cannot be computed: integer overflow");
}

TEST(ExpressionGroup, values_whose_sum_of_lengths_exceeds_the_limit_are_computed) {
  const auto table = table_with({{.name = "a", .sql = "model || 'a'"},
                                 {.name = "b", .sql = "model || 'b'"},
                                 {.name = "c", .sql = "length(model)"}});
  const std::string text(25'000, 't');
  EXPECT_EQ(evaluate(*table, {std::int64_t{1}, text, "", ""}, 3),
            fmt::format("'{0}a' '{0}b' 25000", text));
}

TEST(ExpressionGroup, a_member_reads_a_blob_of_another_as_text) {
  const auto table = table_with({{.name = "a", .sql = "CAST(model AS BLOB)"},
                                 {.name = "b", .sql = "typeof(a) || (model = 'q')"}});
  EXPECT_EQ(evaluate(*table, {std::int64_t{1}, "q", "", ""}, 2), "'q' 'text1'");
}

TEST(ExpressionGroup, a_real_division_too_deep_for_sqlite_leaves_the_expression_as_written) {
  std::string deep = "isl";
  for (int i = 0; i < 600; ++i) deep += " / 1";
  const auto table = table_with({{.name = "a", .sql = deep}, {.name = "b", .sql = "isl + 1"}});
  EXPECT_EQ(evaluate(*table, {std::int64_t{7}, "", "", ""}, 2), "7 8");
}

TEST(ExpressionGroup, a_member_has_the_same_result_as_alone) {
  const std::vector<TableExpression> expressions = {
      {.name = "whole", .sql = "isl / 3", .type = ColumnType::real},
      {.name = "text", .sql = "isl * 2", .type = ColumnType::text},
      {.name = "number", .sql = "'0' || isl", .type = ColumnType::integer},
      {.name = "free", .sql = "isl / 2.0"},
      {.name = "chained",
       .sql =
           "typeof(whole) || typeof(text) || typeof(number) || (text < '5') || whole / 2 || isl"},
      {.name = "newest", .sql = "max(release, substr(model, 1, 3))", .type = ColumnType::version},
      {.name = "older", .sql = "release < '0.14' AND model <> ''"},
      {.name = "compared",
       .sql = "(newest < '0.9') || (newest = release) || typeof(newest) || (model = '1')"},
      {.name = "kind", .sql = "typeof(x) || coalesce(x, '-') || isl"},
      {.name = "mixed", .sql = "CASE WHEN x > isl THEN x ELSE isl END"},
      {.name = "again", .sql = "mixed || '/' || kind || (mixed = x) || isl"},
      {.name = "divided", .sql = "CASE WHEN isl > 5 THEN mixed / 2 ELSE x / isl END"},
      {.name = "apart", .sql = "length(text) + length(kind)"},
  };
  const std::vector<Cell> whole = {std::int64_t{0},  std::int64_t{-7},      std::int64_t{5},
                                   std::int64_t{12}, std::int64_t{1} << 53, Cell()};
  const std::vector<Cell> texts = {"",    "0.9",      "0.14.0", "1",   "01",
                                   "1e2", "\xc3\xa4", "qwen",   Cell()};
  const std::vector<Cell> any = {std::int64_t{2}, 2.0, "2",   "2.0",           -0.5,
                                 1e300,           "",  "abc", std::int64_t{9}, Cell()};
  const auto together = table_with(expressions);
  const auto alone = table_with(expressions, false);
  std::mt19937 random(4);
  const auto one_of = [&](const std::vector<Cell>& cells) {
    return cells[random() % cells.size()];
  };
  for (int i = 0; i < 3000; ++i) {
    const std::vector<Cell> row = {one_of(whole), one_of(texts), one_of(texts), one_of(any)};
    ASSERT_EQ(evaluate(*together, row, expressions.size()),
              evaluate(*alone, row, expressions.size(), false))
        << show(row[0]) << " " << show(row[1]) << " " << show(row[2]) << " " << show(row[3]);
  }
  EXPECT_EQ(divisions(*together), divisions(*alone));
  EXPECT_EQ(divisions(*together).size(), 2u);
}

TEST(ExpressionGroup, expressions_read_a_given_value_in_place_of_its_default) {
  ExpressionTable table;
  table.add_column("isl", ColumnType::integer);
  table.add({.name = "least", .what = "let", .sql = "isl - 1"});
  table.add({.name = "prompts", .what = "default", .sql = "isl * 2", .overridable = true});
  table.add({.name = "most", .what = "let", .sql = "prompts + isl"});
  Errors errors;
  ASSERT_TRUE(table.create(errors));
  EXPECT_EQ(evaluate(table, {std::int64_t{8}, Cell()}, 3), "7 16 24");
  EXPECT_EQ(evaluate(table, {std::int64_t{8}, std::int64_t{3}}, 3), "7 3 11");
  EXPECT_EQ(evaluate(table, {std::int64_t{9}, std::int64_t{3}}, 3), "8 3 12");
  EXPECT_EQ(evaluate(table, {std::int64_t{9}, Cell()}, 3), "8 18 27");
}

TEST(ExpressionGroup, combinations_that_repeat_late_are_computed_correctly) {
  const auto table = table_with({{.name = "a", .sql = "isl + 1"}, {.name = "b", .sql = "isl * 2"}});
  for (int pass = 0; pass < 2; ++pass)
    for (std::int64_t isl = 0; isl < 150'000; isl += pass ? 977 : 1)
      ASSERT_EQ(evaluate(*table, {isl, "", "", ""}, 2), fmt::format("{} {}", isl + 1, isl * 2));
}

}  // namespace expression_group_test
}  // namespace orch::sql
