// Expressions in, cells or whole diagnostics out.
#include "core/sql/expression_table.hpp"

#include "core/base/text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::sql {
namespace expression_table_test {

struct Named {
  std::string name;
  std::string sql;
};

std::unique_ptr<ExpressionTable> table_with(const std::vector<Named>& expressions) {
  auto table = std::make_unique<ExpressionTable>();
  table->add_column("isl", ColumnType::integer);
  table->add_column("model", ColumnType::text);
  table->add_column("release", ColumnType::version);
  int line = 0;
  for (const auto& [name, sql] : expressions)
    table->add({.name = name,
                .what = name.empty() ? "exclude" : fmt::format("let '{}'", name),
                .sql = sql,
                .where = {"m.yaml", ++line, 3}});
  return table;
}

std::string all(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

// Every diagnostic of create(), one on a line; "" when there is none.
std::string diagnosis(const std::vector<Named>& expressions) {
  Errors errors;
  const bool created = table_with(expressions)->create(errors);
  EXPECT_EQ(created, errors.empty());
  return all(errors);
}

std::string refusal(const std::string& sql) { return diagnosis({{"x", sql}}); }

std::string show(const Cell& cell) {
  if (is_null(cell)) return "NULL";
  if (const auto* text = std::get_if<std::string>(&cell)) return "'" + *text + "'";
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("real {}", *real);
  return std::to_string(std::get<std::int64_t>(cell));
}

// One row through a table that was created: the results joined by spaces, or the diagnosis.
std::string evaluate(ExpressionTable& table, const std::vector<Cell>& row,
                     std::size_t expressions) {
  std::vector<ValueId> inputs;
  for (const Cell& cell : row) inputs.push_back(table.intern(cell));
  std::vector<ValueId> results(expressions);
  if (Status status = table.evaluate(inputs, results); !status) return status.error().text();
  std::string text;
  for (const ValueId id : results) text += (text.empty() ? "" : " ") + show(table.cell(id));
  return text;
}

std::string evaluate(const std::vector<Named>& expressions,
                     const std::vector<Cell>& row = {std::int64_t{128}, "qwen", "0.14.0"}) {
  Errors errors;
  auto table = table_with(expressions);
  if (!table->create(errors)) return all(errors);
  return evaluate(*table, row, expressions.size());
}

TEST(ExpressionTable, evaluates_arithmetic_text_and_comparisons_over_columns) {
  EXPECT_EQ(evaluate({{"", "isl * 2 + 1"},
                      {"", "model || '-x'"},
                      {"", "isl > 100 AND model = 'qwen'"},
                      {"", "isl / 3.0 > 42"}}),
            "257 'qwen-x' 1 1");
  EXPECT_EQ(evaluate({{"", "CASE WHEN isl < 10 THEN 'a' ELSE 'b' END"},
                      {"", "model LIKE 'q%'"},
                      {"", "isl IN (1, 128)"},
                      {"", "1 / 0"}}),
            "'b' 1 1 NULL");
}

TEST(ExpressionTable, an_expression_reads_earlier_and_later_ones) {
  EXPECT_EQ(evaluate({{"c", "b + 1"}, {"b", "a + 1"}, {"a", "isl"}}), "130 129 128");
}

TEST(ExpressionTable, a_name_is_found_however_it_is_written) {
  EXPECT_EQ(evaluate({{"twice", "ISL * 2"},
                      {"", "\"isl\" + [Isl] + `iSL`"},
                      {"", "isl+Twice+\"TWICE\""},
                      {"say \"a\"", "isl + 3"},
                      {"", "\"say \"\"a\"\"\" - isl"}}),
            "256 384 640 131 3");
}

TEST(ExpressionTable, a_declared_type_converts_compared_values) {
  EXPECT_EQ(evaluate({{"", "isl = '128'"}, {"", "model = 5"}},
                     {std::int64_t{128}, "5", std::monostate{}}),
            "1 1");
}

TEST(ExpressionTable, versions_compare_part_by_part) {
  EXPECT_EQ(evaluate({{"", "release < '0.9.0'"},
                      {"", "release >= '0.14'"},
                      {"", "release = '0.14.00'"},
                      {"", "max(release, '0.9.1')"}}),
            "0 1 1 '0.14.0'");
}

TEST(ExpressionTable, a_given_value_replaces_an_overridable_expression) {
  ExpressionTable table;
  table.add_column("isl", ColumnType::integer);
  table.add({.name = "prompts",
             .what = "default",
             .sql = "isl * 2",
             .where = {},
             .type = ColumnType::integer,
             .overridable = true});
  table.add({.name = "twice", .what = "let", .sql = "prompts * 2", .where = {}});
  Errors errors;
  ASSERT_TRUE(table.create(errors)) << all(errors);
  EXPECT_EQ(evaluate(table, {std::int64_t{8}, std::monostate{}}, 2), "16 32");
  EXPECT_EQ(evaluate(table, {std::int64_t{8}, std::int64_t{3}}, 2), "3 6");
  EXPECT_EQ(evaluate(table, {std::int64_t{8}, std::monostate{}}, 2), "16 32");
}

TEST(ExpressionTable, evicted_combinations_are_computed_again) {
  auto table = table_with({{"a", "isl + 1"}, {"", "a * 2 + length(model)"}});
  Errors errors;
  ASSERT_TRUE(table->create(errors)) << all(errors);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::int64_t isl = 0; isl < 70'000; isl += pass ? 977 : 1)
      ASSERT_EQ(evaluate(*table, {isl, "ab", ""}, 2),
                fmt::format("{} {}", isl + 1, 2 * (isl + 1) + 2));
  }
}

TEST(ExpressionTable, values_of_different_types_are_different_combinations) {
  auto table = std::make_unique<ExpressionTable>();
  table->add_column("x", ColumnType::any);
  table->add({.what = "let", .sql = "typeof(x) || x"});
  Errors errors;
  ASSERT_TRUE(table->create(errors)) << all(errors);
  EXPECT_EQ(evaluate(*table, {std::int64_t{1}}, 1), "'integer1'");
  EXPECT_EQ(evaluate(*table, {1.0}, 1), "'real1.0'");
  EXPECT_EQ(evaluate(*table, {"1"}, 1), "'text1'");
  EXPECT_EQ(evaluate(*table, {std::monostate{}}, 1), "NULL");
}

TEST(ExpressionTable, a_declared_type_converts_the_result_of_an_expression) {
  ExpressionTable table;
  table.add({.name = "i", .what = "let", .sql = "2.0 * 4", .type = ColumnType::integer});
  table.add({.name = "t", .what = "let", .sql = "5 + 1", .type = ColumnType::text});
  table.add({.name = "r", .what = "let", .sql = "3", .type = ColumnType::real});
  Errors errors;
  ASSERT_TRUE(table.create(errors)) << all(errors);
  EXPECT_EQ(evaluate(table, {}, 3), "8 '6' real 3");
}

// --- integer division

std::string divisions(const std::vector<Named>& expressions,
                      const std::vector<std::int64_t>& lengths) {
  auto table = table_with(expressions);
  Errors errors;
  if (!table->create(errors)) return all(errors);
  for (const std::int64_t isl : lengths) evaluate(*table, {isl, "qwen", ""}, expressions.size());
  std::string text;
  for (const Division& one : table->divisions())
    text += fmt::format("{}: expression {}, row {}: {} not {}\n", to_string(one.where),
                        one.expression, one.row, show(one.as_written), show(one.as_real));
  return text;
}

TEST(ExpressionTable, an_integer_division_that_changes_a_result_is_found_once_at_its_first_row) {
  EXPECT_EQ(divisions({{"a", "isl + isl / 2"}, {"", "(isl / 3) > 1"}, {"", "a * 2"}}, {4, 6, 5, 7}),
            "m.yaml:2:8: expression 1, row 0: 0 not 1\n"
            "m.yaml:1:13: expression 0, row 2: 7 not real 7.5\n");
}

TEST(ExpressionTable, a_division_without_effect_on_the_result_is_not_reported) {
  EXPECT_EQ(divisions({{"", "isl / 2.0"},
                       {"", "isl / 2"},
                       {"", "model = 'a/b'"},
                       {"", "floor(isl / 2)"},
                       {"", "CAST(isl / 3 AS INTEGER)"},
                       {"", "'bs' || (isl / 2) || '.'"},
                       {"", "isl / 0"}},
                      {4, 8}),
            "");
  EXPECT_EQ(divisions({{"", "'bs' || (isl / 2)"}}, {5}),
            "m.yaml:1:16: expression 0, row 0: 'bs2' not 'bs2.5'\n");
  EXPECT_EQ(divisions({{"", "10 * isl / 4 / 2"}}, {3}),
            "m.yaml:1:12: expression 0, row 0: 3 not real 3.75\n");
}

TEST(ExpressionTable, lists_the_columns_that_an_expression_names) {
  auto table = table_with({{"a", "ISL + \"isl\" + coalesce(NULL, 'model')"},
                           {"b", "a + length([model])"},
                           {"", "'isl'"}});
  Errors errors;
  ASSERT_TRUE(table->create(errors)) << all(errors);
  EXPECT_EQ(table->reads(0), (std::set<std::string>{"isl"}));
  EXPECT_EQ(table->reads(1), (std::set<std::string>{"a", "model"}));
  EXPECT_EQ(table->reads(2), std::set<std::string>{});
}

TEST(ExpressionTable, an_unknown_name_is_reported_with_the_nearest_one) {
  EXPECT_EQ(refusal("ils + 1"), "m.yaml:1:3: let 'x': unknown name 'ils'; did you mean 'isl'?\n");
  EXPECT_EQ(refusal("model = fp8"),
            "m.yaml:1:11: let 'x': unknown name 'fp8'; write text in single quotes; the names here "
            "are: isl, model, release\n");
  EXPECT_EQ(refusal("model = \"qwen\""),
            "m.yaml:1:11: let 'x': unknown name 'qwen'; write text in single quotes; the names "
            "here are: isl, model, release\n");
}

TEST(ExpressionTable, an_unknown_function_is_reported_with_the_nearest_one) {
  EXPECT_EQ(refusal("lenght(model)"),
            "m.yaml:1:3: let 'x': unknown function 'lenght'; did you mean 'length'?\n");
}

TEST(ExpressionTable, each_faulty_expression_is_reported_at_its_place) {
  EXPECT_EQ(diagnosis({{"a", "isl + foo_bar"},
                       {"b", "a + 1"},
                       {"c", "isl +"},
                       {"", "sum(isl)"},
                       {"d", "isl isl"}}),
            "m.yaml:1:9: let 'a': unknown name 'foo_bar'; write text in single quotes; the names "
            "here are: isl, model, release, b, c, d\n"
            "m.yaml:3:8: let 'c': the expression ends too early\n"
            "m.yaml:4:3: exclude: the function 'sum' is unavailable in expressions; available: "
            "abs, ceil, ceiling, coalesce, exp, floor, glob, ifnull, "
            "iif, instr, length, like, ln, log, log10, log2, lower, ltrim, max, min, mod, nullif, "
            "pow, power, replace, round, rtrim, sign, sqrt, substr, "
            "substring, trim, trunc, typeof, upper\n"
            "m.yaml:5:7: let 'd': not an SQL expression, at 'isl'\n");
}

TEST(ExpressionTable, an_expression_over_many_rows_is_refused) {
  const std::string place = "m.yaml:1:3: let 'x': ";
  EXPECT_EQ(refusal("(SELECT 1)"),
            place + "a subquery is not allowed; an expression sees one point\n");
  EXPECT_EQ(refusal("isl IN (SELECT isl FROM point)"),
            place + "a subquery is not allowed; an expression sees one point\n");
  EXPECT_EQ(refusal("EXISTS (SELECT 1)"),
            place + "a subquery is not allowed; an expression sees one point\n");
  EXPECT_EQ(refusal("max(isl)"), place +
                                     "max() of one value aggregates over points, but an expression "
                                     "sees one point; give it two values or more\n");
  EXPECT_EQ(refusal("max(isl, 2) OVER ()"),
            place + "a window function is not allowed; an expression sees one point\n");
  EXPECT_EQ(refusal("point.isl"),
            place + "a name cannot contain '.'; write the column's name alone\n");
}

TEST(ExpressionTable, cycles_are_reported_once_with_their_path) {
  EXPECT_EQ(refusal("x + 1"), "m.yaml:1:3: let 'x': it refers to itself\n");
  EXPECT_EQ(diagnosis({{"a", "b"}, {"b", "c + isl"}, {"c", "a"}, {"d", "a"}}),
            "m.yaml:1:3: let 'a': it depends on itself: a -> b -> c -> a\n");
  EXPECT_EQ(refusal("\"this expression\""), "m.yaml:1:3: let 'x': it refers to itself\n");
}

TEST(ExpressionTable, a_long_chain_of_doublings_is_computed_once_each) {
  std::vector<Named> doubling = {{"v0", "isl"}};
  for (int i = 1; i <= 50; ++i)
    doubling.push_back({fmt::format("v{}", i), fmt::format("v{0} + v{0}", i - 1)});
  EXPECT_TRUE(evaluate(doubling).ends_with(" 144115188075855872"));
}

TEST(ExpressionTable, a_value_that_cannot_be_computed_is_reported_at_its_expression) {
  EXPECT_EQ(evaluate({{"b", "a + 1"}, {"a", "abs(isl - 1)"}},
                     {std::int64_t{-9223372036854775807}, "", ""}),
            "m.yaml:2:3: let 'a': it cannot be computed: integer overflow");
}

TEST(ExpressionTable, a_fault_that_appears_only_in_evaluation_is_reported_with_the_others) {
  EXPECT_EQ(
      diagnosis(
          {{"a", "isl"}, {"b", "CASE WHEN a > 1 THEN 1 ELSE RAISE(IGNORE) END"}, {"c", "b + 1"}}),
      "m.yaml:2:31: let 'b': RAISE is not allowed in an expression\n");
}

TEST(ExpressionTable, text_cannot_grow_without_bound) {
  std::string replaced =
      "replace(model, 'q', "
      "'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
      "qqqqq')";
  for (int i = 0; i < 2; ++i)
    replaced = fmt::format(
        "replace({}, 'q', "
        "'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        "qqqqqqqq')",
        replaced);
  EXPECT_EQ(evaluate({{"x", fmt::format("length({})", replaced)}}),
            "m.yaml:1:3: let 'x': it cannot be computed: string or blob too big");
}

TEST(ExpressionTable, more_columns_than_sqlite_has_are_refused) {
  EXPECT_EQ(
      diagnosis(std::vector<Named>(1900, {"", "1"})),
      "m.yaml:1801:3: 3 columns and 1900 expressions are too many for one table; use fewer\n");
}

TEST(ExpressionTable, a_faulty_expression_is_not_suggested_its_own_name) {
  EXPECT_EQ(diagnosis({{"num_promts", "num_prompts + 1"}}),
            "m.yaml:1:3: let 'num_promts': unknown name 'num_prompts'; write text in single "
            "quotes; the names here are: isl, model, release\n");
  EXPECT_EQ(diagnosis({{"num_promts", "1"}, {"", "num_prompts + 1"}}),
            "m.yaml:2:3: exclude: unknown name 'num_prompts'; did you mean 'num_promts'?\n");
}

TEST(ExpressionTable, a_table_without_columns_has_no_names) {
  for (const char* sql : {"foo", "\"no column\""}) {
    ExpressionTable table;
    table.add({.what = "exclude", .sql = sql, .where = {"m.yaml", 1, 1}});
    Errors errors;
    EXPECT_FALSE(table.create(errors));
    EXPECT_TRUE(all(errors).starts_with("m.yaml:1:1: exclude: unknown name '")) << all(errors);
  }
}

TEST(ExpressionTable, faults_have_the_place_in_the_source_text) {
  Places folded("m.yaml", 4, 5);
  folded.add_piece(6, 7, 3);
  ExpressionTable table;
  table.add({.name = "x", .what = "let 'x'", .sql = "1 + 2 + foo", .where = folded});
  Errors errors;
  EXPECT_FALSE(table.create(errors));
  EXPECT_EQ(all(errors),
            "m.yaml:7:5: let 'x': unknown name 'foo'; write text in single quotes; the names here "
            "are: none\n");
}

// --- versions

TEST(ExpressionTable, a_version_compared_with_a_number_is_refused_at_the_number) {
  const auto at = [](int column, std::string_view number) {
    return fmt::format(
        "m.yaml:1:{0}: let 'x': it compares the version 'release' with the number {1}; write "
        "'{1}'\n",
        column, number);
  };
  EXPECT_EQ(refusal("release > 0.10"), at(13, "0.10"));
  EXPECT_EQ(refusal("0.9 < release"), at(3, "0.9"));
  EXPECT_EQ(refusal("isl > 1 AND Release = 1"), at(25, "1"));
  EXPECT_EQ(refusal("\"release\" <> .5"), at(16, ".5"));
  EXPECT_EQ(refusal("(release) >= (+0.14)"), at(18, "0.14"));
  EXPECT_EQ(refusal("(0.14) != release"), at(4, "0.14"));
  EXPECT_EQ(refusal("release IS NOT 0.9"), at(18, "0.9"));
  EXPECT_EQ(refusal("release IS NOT DISTINCT FROM 1"), at(32, "1"));
  EXPECT_EQ(refusal("release BETWEEN 0.9 AND '0.14'"), at(19, "0.9"));
  EXPECT_EQ(refusal("release NOT BETWEEN '0.9' AND 0.14"), at(33, "0.14"));
  EXPECT_EQ(refusal("0.9 BETWEEN release AND '2'"), at(3, "0.9"));
  EXPECT_EQ(refusal("release IN (0.10)"), at(15, "0.10"));
  EXPECT_EQ(refusal("release NOT IN ('0.9', 0.10)"), at(26, "0.10"));
  EXPECT_EQ(refusal("CASE release WHEN '0.9' THEN CASE isl WHEN 1 THEN 2 END WHEN 0.10 THEN 3 END"),
            at(64, "0.10"));
}

TEST(ExpressionTable, other_uses_of_versions_and_numbers_are_not_refused) {
  for (const char* sql :
       {"release > '0.10'", "length(release) > 5", "isl > 5 AND release = '1'",
        "release IN ('0.9', '1')", "release BETWEEN '1' AND '2' AND 5 > isl",
        "substr(model, 1, 2) < release", "release IS NULL", "isl IN (1, 2) OR release = model",
        "release LIKE '0.1%' AND 1", "'release' > 5", "CASE release WHEN '1' THEN 5 END",
        "length(release) = 3 AND release > '1'", "CASE isl WHEN 1 THEN release END",
        "iif(release > '1', 1, 2) = 2", "coalesce(release, '1')",
        "release IN (substr('0.9', 1, 3))"})
    EXPECT_EQ(refusal(sql), "") << sql;
}

TEST(ExpressionTable, a_version_that_would_be_compared_as_text_is_refused) {
  for (const auto& [sql, column] :
       std::vector<std::pair<std::string, int>>{{"coalesce(release, '0') < '0.9.5'", 10},
                                                {"'0.9.5' > ifnull(release, '1')", 18},
                                                {"CASE isl WHEN 1 THEN release END = '2'", 22},
                                                {"isl > 1 AND release || '' < '0.9'", 13},
                                                {"lower(trim(release)) IN ('1')", 12},
                                                {"release COLLATE binary < '0.9'", 1}})
    EXPECT_EQ(refusal(sql),
              fmt::format("m.yaml:1:{}: let 'x': the version 'release' is compared as text here, "
                          "due to a function, CASE, || or COLLATE; compare release directly, "
                          "and allow NULL with 'release IS NULL OR ...'\n",
                          column + 2))
        << sql;
}

TEST(ExpressionTable, a_let_that_copies_a_version_is_a_version) {
  ExpressionTable table;
  table.add_column("release", ColumnType::version);
  table.add({.name = "copy", .what = "let 'copy'", .sql = " release ", .where = {"m.yaml", 1, 1}});
  table.add({.name = {}, .what = "exclude", .sql = "copy < '0.14'", .where = {"m.yaml", 2, 1}});
  Errors errors;
  ASSERT_TRUE(table.create(errors));
  const ValueId inputs[] = {table.intern(std::string("0.9.0"))};
  ValueId results[2] = {};
  ASSERT_TRUE(table.evaluate(inputs, results));
  EXPECT_EQ(table.cell(results[1]), Cell(std::int64_t{1}));
}

TEST(ExpressionTable, a_computed_version_is_a_version) {
  ExpressionTable table;
  table.add({.name = "v",
             .what = "default of parameter 'v'",
             .sql = "'0.9'",
             .where = {"m.yaml", 1, 1},
             .type = ColumnType::version,
             .overridable = true});
  table.add({.what = "exclude", .sql = "v < '0.14'", .where = {"m.yaml", 2, 1}});
  table.add({.what = "exclude", .sql = "v < 0.14", .where = {"m.yaml", 3, 1}});
  Errors errors;
  EXPECT_FALSE(table.create(errors));
  EXPECT_EQ(
      all(errors),
      "m.yaml:3:5: exclude: it compares the version 'v' with the number 0.14; write '0.14'\n");
}

}  // namespace expression_table_test
}  // namespace orch::sql
