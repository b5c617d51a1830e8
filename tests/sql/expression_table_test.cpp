// Expressions in, cells or whole diagnostics out.
#include "sql/expression_table.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::sql {
namespace {

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
    table->add({.name = name, .what = name.empty() ? "exclude" : fmt::format("let '{}'", name), .sql = sql, .where = {"m.yaml", ++line, 3}});
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

// The results for one row, joined by spaces, or the diagnosis.
std::string evaluate(const std::vector<Named>& expressions, const std::vector<Cell>& row = {std::int64_t{128}, "qwen", "0.14.0"}) {
  Errors errors;
  auto table = table_with(expressions);
  if (!table->create(errors)) return all(errors);
  if (Status status = table->insert(row); !status) return status.error().text();
  std::string text;
  const Status status = table->read([&](std::size_t, std::span<const Cell> results) {
    for (const Cell& cell : results) text += (text.empty() ? "" : " ") + show(cell);
  });
  return status ? text : status.error().text();
}

TEST(ExpressionTable, evaluates_arithmetic_text_and_comparisons_over_columns) {
  EXPECT_EQ(evaluate({{"", "isl * 2 + 1"}, {"", "model || '-x'"}, {"", "isl > 100 AND model = 'qwen'"}, {"", "isl / 3.0 > 42"}}), "257 'qwen-x' 1 1");
  EXPECT_EQ(evaluate({{"", "CASE WHEN isl < 10 THEN 'a' ELSE 'b' END"}, {"", "model LIKE 'q%'"}, {"", "isl IN (1, 128)"}, {"", "1 / 0"}}), "'b' 1 1 NULL");
}

TEST(ExpressionTable, an_expression_reads_another_wherever_it_stands) {
  EXPECT_EQ(evaluate({{"c", "b + 1"}, {"b", "a + 1"}, {"a", "isl"}}), "130 129 128");
}

TEST(ExpressionTable, a_declared_type_converts_what_is_compared) {
  EXPECT_EQ(evaluate({{"", "isl = '128'"}, {"", "model = 5"}}, {std::int64_t{128}, "5", std::monostate{}}), "1 1");
}

TEST(ExpressionTable, versions_compare_part_by_part) {
  EXPECT_EQ(evaluate({{"", "release < '0.9.0'"}, {"", "release >= '0.14'"}, {"", "release = '0.14.00'"}, {"", "max(release, '0.9.1')"}}), "0 1 1 '0.14.0'");
}

TEST(ExpressionTable, an_inserted_value_stands_instead_of_an_overridable_expression) {
  ExpressionTable table;
  table.add_column("isl", ColumnType::integer);
  table.add({.name = "prompts", .what = "default", .sql = "isl * 2", .where = {}, .type = ColumnType::integer, .overridable = true});
  table.add({.name = "twice", .what = "let", .sql = "prompts * 2", .where = {}});
  Errors errors;
  ASSERT_TRUE(table.create(errors)) << all(errors);
  ASSERT_TRUE(table.insert(std::vector<Cell>{std::int64_t{8}, std::monostate{}}).ok());
  ASSERT_TRUE(table.insert(std::vector<Cell>{std::int64_t{8}, std::int64_t{3}}).ok());
  std::vector<std::string> rows;
  ASSERT_TRUE(table.read([&](std::size_t row, std::span<const Cell> cells) { rows.push_back(fmt::format("{}: {} {}", row, show(cells[0]), show(cells[1]))); }).ok());
  EXPECT_EQ(rows, (std::vector<std::string>{"0: 16 32", "1: 3 6"}));
}

TEST(ExpressionTable, reading_forgets_the_rows) {
  auto table = table_with({{"", "isl"}});
  Errors errors;
  ASSERT_TRUE(table->create(errors));
  std::string seen;
  for (std::int64_t batch = 1; batch <= 3; ++batch) {
    for (std::int64_t row = 0; row < 2; ++row) ASSERT_TRUE(table->insert(std::vector<Cell>{10 * batch + row, std::monostate{}, std::monostate{}}).ok());
    ASSERT_TRUE(table->read([&](std::size_t row, std::span<const Cell> cells) { seen += fmt::format("{}:{} ", row, show(cells[0])); }).ok());
  }
  EXPECT_EQ(seen, "0:10 1:11 0:20 1:21 0:30 1:31 ");
}

TEST(ExpressionTable, says_which_columns_an_expression_names_itself) {
  auto table = table_with({{"a", "ISL + \"isl\" + coalesce(NULL, 'model')"}, {"b", "a + length([model])"}, {"", "'isl'"}});
  Errors errors;
  ASSERT_TRUE(table->create(errors)) << all(errors);
  EXPECT_EQ(table->reads(0), (std::set<std::string>{"isl"}));
  EXPECT_EQ(table->reads(1), (std::set<std::string>{"a", "model"}));
  EXPECT_EQ(table->reads(2), std::set<std::string>{});
}

TEST(ExpressionTable, an_unknown_name_is_told_with_the_nearest_one) {
  EXPECT_EQ(refusal("ils + 1"), "m.yaml:1:3: let 'x': unknown name 'ils'; did you mean 'isl'?\n");
  EXPECT_EQ(refusal("model = fp8"),
            "m.yaml:1:3: let 'x': unknown name 'fp8'; text stands in single quotes, and the names here are: isl, model, release, x\n");
  EXPECT_EQ(refusal("model = \"qwen\""),
            "m.yaml:1:3: let 'x': unknown name 'qwen'; text stands in single quotes, and the names here are: isl, model, release, x\n");
}

TEST(ExpressionTable, an_unknown_function_is_told_with_the_nearest_one) {
  EXPECT_EQ(refusal("lenght(model)"), "m.yaml:1:3: let 'x': unknown function 'lenght'; did you mean 'length'?\n");
}

TEST(ExpressionTable, each_faulty_expression_is_told_at_its_own_place_and_sound_ones_are_not) {
  EXPECT_EQ(diagnosis({{"a", "isl + foo_bar"}, {"b", "a + 1"}, {"c", "isl +"}, {"", "sum(isl)"}, {"d", "isl isl"}}),
            "m.yaml:1:3: let 'a': unknown name 'foo_bar'; text stands in single quotes, and the names here are: isl, model, release, a, b, c, d\n"
            "m.yaml:3:3: let 'c': the expression ends too early\n"
            "m.yaml:4:3: exclude: the function 'sum' is not offered in expressions; these are: abs, ceil, ceiling, coalesce, exp, floor, glob, ifnull, "
            "iif, instr, length, like, ln, log, log10, log2, lower, ltrim, max, min, mod, nullif, pow, power, replace, round, rtrim, sign, sqrt, substr, "
            "substring, trim, trunc, typeof, upper\n"
            "m.yaml:5:3: let 'd': not an SQL expression, at \"isl\"\n");
}

TEST(ExpressionTable, what_looks_at_many_rows_is_refused) {
  const std::string place = "m.yaml:1:3: let 'x': ";
  EXPECT_EQ(refusal("(SELECT 1)"), place + "a subquery is not possible; an expression sees one point\n");
  EXPECT_EQ(refusal("isl IN (SELECT isl FROM point)"), place + "a subquery is not possible; an expression sees one point\n");
  EXPECT_EQ(refusal("EXISTS (SELECT 1)"), place + "a subquery is not possible; an expression sees one point\n");
  EXPECT_EQ(refusal("max(isl)"), place + "max() over one value would look at many points; an expression sees one point (give it two values or more)\n");
  EXPECT_EQ(refusal("max(isl, 2) OVER ()"), place + "a window function is not possible; an expression sees one point\n");
  EXPECT_EQ(refusal("point.isl"), place + "a name has no '.'; write the column's name alone\n");
}

TEST(ExpressionTable, loops_are_told_once_with_their_path) {
  EXPECT_EQ(refusal("x + 1"), "m.yaml:1:3: let 'x': it refers to itself\n");
  EXPECT_EQ(diagnosis({{"a", "b"}, {"b", "c + isl"}, {"c", "a"}, {"d", "a"}}), "m.yaml:1:3: let 'a': it depends on itself: a -> b -> c -> a\n");
  EXPECT_EQ(refusal("\"this expression\""), "m.yaml:1:3: let 'x': it refers to itself\n");
}

TEST(ExpressionTable, a_long_chain_of_doublings_is_computed_once_each) {
  std::vector<Named> doubling = {{"v0", "isl"}};
  for (int i = 1; i <= 50; ++i) doubling.push_back({fmt::format("v{}", i), fmt::format("v{0} + v{0}", i - 1)});
  EXPECT_TRUE(evaluate(doubling).ends_with(" 144115188075855872"));
}

TEST(ExpressionTable, a_value_that_cannot_be_computed_is_told_at_its_expression) {
  EXPECT_EQ(evaluate({{"b", "a + 1"}, {"a", "abs(isl - 1)"}}, {std::int64_t{-9223372036854775807}, "", ""}),
            "m.yaml:2:3: let 'a': it cannot be computed: integer overflow");
}

TEST(ExpressionTable, a_fault_that_shows_only_when_computed_is_told_among_others) {
  EXPECT_EQ(diagnosis({{"a", "isl"}, {"b", "CASE WHEN a > 1 THEN 1 ELSE RAISE(IGNORE) END"}, {"c", "b + 1"}}),
            "m.yaml:2:3: let 'b': SQLite refuses it: RAISE() may only be used within a trigger-program\n");
}

TEST(ExpressionTable, text_cannot_grow_without_bound) {
  std::string replaced = "replace(model, 'q', 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq')";
  for (int i = 0; i < 2; ++i) replaced = fmt::format("replace({}, 'q', 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq')", replaced);
  EXPECT_EQ(evaluate({{"x", fmt::format("length({})", replaced)}}), "m.yaml:1:3: let 'x': it cannot be computed: string or blob too big");
}

TEST(ExpressionTable, more_columns_than_sqlite_has_are_refused) {
  EXPECT_EQ(diagnosis(std::vector<Named>(1000, {"", "1"})), "m.yaml:951:3: 3 columns and 1000 expressions are too many for one table; use fewer\n");
}

// --- a corpus of ways out

struct Escape {
  std::string sql;
  std::string message;
};

class Escapes : public testing::TestWithParam<Escape> {};

TEST_P(Escapes, are_refused_with_words) {
  const std::string text = refusal(GetParam().sql);
  EXPECT_TRUE(text.starts_with("m.yaml:1:3: let 'x': " + GetParam().message)) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

const std::string k_open = "a '(' is never closed (in a YAML flow map or list, an expression with a comma needs quotes)\n";
const std::string k_comment = "a comment is not possible inside an expression; write it as a YAML comment, and 'a - -b' with a space\n";

INSTANTIATE_TEST_SUITE_P(ExpressionTable, Escapes, testing::Values(
    Escape{"1), z int", "a ')' closes nothing\n"},
    Escape{"1) check (isl < 5", "a ')' closes nothing\n"},
    Escape{"1)); --", "a ')' closes nothing\n"},
    Escape{"1) STORED, y AS (2", "a ')' closes nothing\n"},
    Escape{"(1", k_open},
    Escape{"coalesce(1, 2", k_open},
    Escape{"1, z int", "not an SQL expression, at \",\"\n"},
    Escape{"1, 2", "not an SQL expression, at \",\"\n"},
    Escape{"(1, 2)", "SQLite refuses it: row value misused\n"},
    Escape{"1 -- rest", k_comment},
    Escape{"1 /* rest */", k_comment},
    Escape{"1 /*", k_comment},
    Escape{"1; DROP TABLE point", "';' is not possible in an expression; write one expression\n"},
    Escape{"1;", "';' is not possible in an expression; write one expression\n"},
    Escape{"'open", "a ' is never closed\n"},
    Escape{"'it''s", "a ' is never closed\n"},
    Escape{"\"open", "a \" is never closed\n"},
    Escape{"`open", "a ` is never closed\n"},
    Escape{"[open", "a [ is never closed\n"},
    Escape{"$a(') || 'x", "'$' has no meaning in an expression; write names as they are\n"},
    Escape{"?1", "'?' has no meaning in an expression; write names as they are\n"},
    Escape{":isl", "':' has no meaning in an expression; write names as they are\n"},
    Escape{"@isl", "'@' has no meaning in an expression; write names as they are\n"},
    Escape{std::string("1\0)", 3), "a NUL byte is not possible in an expression\n"},
    Escape{"", "the expression is empty\n"},
    Escape{" \n\t", "the expression is empty\n"},
    Escape{std::string(1 << 20, '1'), "the expression has 1048576 bytes; at most 10000 are read\n"},
    Escape{"zeroblob(1e9)", "the function 'zeroblob' is not offered in expressions"},
    Escape{"randomblob(10)", "the function 'randomblob' is not offered in expressions"},
    Escape{"random()", "the function 'random' is not offered in expressions"},
    Escape{"datetime('now')", "the function 'datetime' is not offered in expressions"},
    Escape{"CURRENT_TIMESTAMP", "the function 'current_timestamp' is not offered in expressions"},
    Escape{"printf('%99999999d', 1)", "the function 'printf' is not offered in expressions"},
    Escape{"load_extension('x')", "the function 'load_extension' is not offered in expressions"},
    Escape{"sqlite_version()", "the function 'sqlite_version' is not offered in expressions"},
    Escape{"last_insert_rowid()", "the function 'last_insert_rowid' is not offered in expressions"},
    Escape{"fts3_tokenizer('a')", "the function 'fts3_tokenizer' is not offered in expressions"},
    Escape{"group_concat(isl)", "the function 'group_concat' is not offered in expressions"},
    Escape{"count(*)", "the function 'count' is not offered in expressions"},
    Escape{"row_number() OVER ()", "the function 'row_number' is not offered in expressions"},
    Escape{"min(isl) OVER (ORDER BY isl)", "a window function is not possible; an expression sees one point\n"},
    Escape{"isl -> '$'", "the function '->' is not offered in expressions"},
    Escape{"model MATCH 'x'", "the function 'match' is not offered in expressions"},
    Escape{"RAISE(ABORT, 'x')", "SQLite refuses it: RAISE() may only be used within a trigger-program\n"},
    Escape{"rowid", "unknown name 'rowid'; text stands in single quotes"},
    Escape{"\"given x\"", "unknown name 'given x'; text stands in single quotes"},
    Escape{"SELECT 1", "not an SQL expression, at \"SELECT\"\n"},
    Escape{"model > (model COLLATE missing)", "SQLite refuses it: no such collation sequence: missing\n"},
    Escape{"0xfffffffffffffffff", "SQLite refuses it: hex literal too big: 0xfffffffffffffffff\n"},
    Escape{std::string(2000, '(') + "1" + std::string(2000, ')'), "SQLite refuses it: parser stack overflow\n"}));

TEST(ExpressionTable, without_expressions_still_gives_every_row) {
  auto table = table_with({});
  Errors errors;
  ASSERT_TRUE(table->create(errors));
  const std::vector<Cell> row(3);
  ASSERT_TRUE(table->insert(row));
  ASSERT_TRUE(table->insert(row));
  std::size_t rows = 0;
  ASSERT_TRUE(table->read([&](std::size_t, std::span<const Cell> results) {
    EXPECT_TRUE(results.empty());
    ++rows;
  }));
  EXPECT_EQ(rows, 2u);
}

}  // namespace
}  // namespace orch::sql
