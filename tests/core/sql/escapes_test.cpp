// A corpus of attempts to escape from an expression: each must fail at its place with its whole
// message.
#include "core/sql/expression_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::sql {
namespace escapes_test {

// The expression x of a table, from line 1, column 3 on.
std::unique_ptr<ExpressionTable> table_with(const std::string& sql) {
  auto table = std::make_unique<ExpressionTable>();
  table->add_column("isl", ColumnType::integer);
  table->add_column("model", ColumnType::text);
  table->add_column("release", ColumnType::version);
  table->add({.name = "x", .what = "let 'x'", .sql = sql, .where = {"m.yaml", 1, 3}});
  return table;
}

std::string refusal(const std::string& sql) {
  Errors errors;
  const bool created = table_with(sql)->create(errors);
  EXPECT_EQ(created, errors.empty());
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

// The result of one row for an expression that was created.
std::string computed(const std::string& sql, const std::string& model) {
  auto table = table_with(sql);
  Errors errors;
  if (!table->create(errors)) return errors.front().text();
  const ValueId inputs[] = {table->intern(std::int64_t{1}), table->intern(model), k_null};
  ValueId result = k_null;
  const Status status = table->evaluate(inputs, std::span(&result, 1));
  return status ? "fine" : status.error().text();
}

struct Escape {
  std::string sql;
  int column;
  std::string message;
};

class Escapes : public testing::TestWithParam<Escape> {};

TEST_P(Escapes, are_refused_with_a_message) {
  const auto& [sql, column, message] = GetParam();
  EXPECT_EQ(refusal(sql), fmt::format("m.yaml:1:{}: let 'x': {}\n", column, message)) << sql;
}

const std::string k_open =
    "a '(' is never closed (in a YAML flow map or list, an expression with a comma needs quotes)";
const std::string k_comment =
    "a comment is not allowed inside an expression; write it as a YAML comment, and 'a--b' as "
    "'a - -b'";
const std::string k_subquery = "a subquery is not allowed; an expression sees one point";
const std::string k_window = "a window function is not allowed; an expression sees one point";

std::string not_offered(std::string_view function) {
  return fmt::format(
      "the function '{}' is unavailable in expressions; available: abs, ceil, ceiling, coalesce, "
      "exp, floor, glob, ifnull, iif, instr, length, "
      "like, ln, log, log10, log2, lower, ltrim, max, min, mod, nullif, pow, power, replace, "
      "round, rtrim, sign, sqrt, substr, substring, trim, "
      "trunc, typeof, upper",
      function);
}

std::string unknown(std::string_view name) {
  return fmt::format(
      "unknown name '{}'; write text in single quotes; the names here are: isl, model, "
      "release",
      name);
}

INSTANTIATE_TEST_SUITE_P(
    ExpressionTable, Escapes,
    testing::Values(
        // a hexadecimal number has no exponent: what follows is a comment
        Escape{"0xe-- a comment\n", 6, k_comment},
        Escape{"0xe--(\n) STORED, z int as (0xe--)\n", 6, k_comment},
        Escape{"1), z int", 4, "a ')' closes nothing"},
        Escape{"1) check (isl < 5", 4, "a ')' closes nothing"},
        Escape{"1)); --", 4, "a ')' closes nothing"},
        Escape{"1) STORED, y AS (2", 4, "a ')' closes nothing"}, Escape{"(1", 3, k_open},
        Escape{"coalesce(1, 2", 11, k_open}, Escape{"((1) + (2", 10, k_open},
        Escape{"1, z int", 4, "not an SQL expression, at ','"},
        Escape{"1, 2", 4, "not an SQL expression, at ','"},
        Escape{"(1, 2)", 3, "a list of values in parentheses is not a value; write one value"},
        Escape{"1 -- rest", 5, k_comment}, Escape{"1 /* rest */", 5, k_comment},
        Escape{"1 /*", 5, k_comment}, Escape{"1 - --isl", 7, k_comment},
        Escape{"1; DROP TABLE point", 4,
               "';' is not allowed in an expression; write one expression"},
        Escape{"1;", 4, "';' is not allowed in an expression; write one expression"},
        Escape{"'open", 3, "a ' is never closed"}, Escape{"'it''s", 3, "a ' is never closed"},
        Escape{"isl = 'it''s' + 'x", 19, "a ' is never closed"},
        Escape{"\"open", 3, "a \" is never closed"}, Escape{"`open", 3, "a ` is never closed"},
        Escape{"[open", 3, "a [ is never closed"},
        Escape{"$a(') || 'x", 3, "'$' is not allowed in an expression; write names without it"},
        Escape{"?1", 3, "'?' is not allowed in an expression; write names without it"},
        Escape{":isl", 3, "':' is not allowed in an expression; write names without it"},
        Escape{"@isl", 3, "'@' is not allowed in an expression; write names without it"},
        Escape{"isl # 2", 7, "'#' is not allowed in an expression; write names without it"},
        Escape{std::string("1\0)", 3), 4, "a NUL byte is not allowed in an expression"},
        Escape{"", 3, "the expression is empty"}, Escape{" \n\t", 3, "the expression is empty"},
        Escape{"zeroblob(1e9)", 3, not_offered("zeroblob")},
        Escape{"length(randomblob(1e9))", 10, not_offered("randomblob")},
        Escape{"isl + random()", 9, not_offered("random")},
        Escape{"datetime('now')", 3, not_offered("datetime")},
        Escape{"strftime('%s', 'now')", 3, not_offered("strftime")},
        Escape{"CURRENT_TIMESTAMP", 3, not_offered("current_timestamp")},
        Escape{"printf('%99999999d', 1)", 3, not_offered("printf")},
        Escape{"format('%99999999d', 1)", 3, not_offered("format")},
        Escape{"load_extension('x')", 3, not_offered("load_extension")},
        Escape{"readfile('/etc/passwd')", 3, not_offered("readfile")},
        Escape{"sqlite_version()", 3, not_offered("sqlite_version")},
        Escape{"last_insert_rowid()", 3, not_offered("last_insert_rowid")},
        Escape{"changes()", 3, not_offered("changes")},
        Escape{"fts3_tokenizer('a')", 3, not_offered("fts3_tokenizer")},
        Escape{"hex(model)", 3, not_offered("hex")},
        Escape{"quote(model)", 3, not_offered("quote")},
        Escape{"char(1, 2)", 3, not_offered("char")},
        Escape{"unhex('00')", 3, not_offered("unhex")},
        Escape{"group_concat(isl)", 3, not_offered("group_concat")},
        Escape{"count(*)", 3, not_offered("count")}, Escape{"sum(isl)", 3, not_offered("sum")},
        Escape{"max(isl)", 3,
               "max() of one value aggregates over points, but an expression sees one point; give "
               "it two values or more"},
        Escape{"avg(isl)", 3, not_offered("avg")}, Escape{"total(isl)", 3, not_offered("total")},
        Escape{"row_number() OVER ()", 3, not_offered("row_number")},
        Escape{"min(isl) OVER (ORDER BY isl)", 3, k_window},
        Escape{"max(isl, 2) OVER w", 3, k_window},
        Escape{"max(isl, 2) FILTER (WHERE isl)", 3,
               "SQLite refuses it: FILTER may not be used with non-aggregate max()"},
        Escape{"isl -> '$'", 7, not_offered("->")}, Escape{"isl ->> '$'", 7, not_offered("->>")},
        Escape{"model MATCH 'x'", 9, not_offered("match")},
        Escape{"model REGEXP 'x'", 9, not_offered("regexp")},
        Escape{"json_extract(model, '$')", 3, not_offered("json_extract")},
        Escape{"RAISE(ABORT, 'x')", 3, "RAISE is not allowed in an expression"},
        Escape{"CASE WHEN isl THEN RAISE(IGNORE) END", 22, "RAISE is not allowed in an expression"},
        Escape{"rowid", 3, unknown("rowid")}, Escape{"oid", 3, unknown("oid")},
        Escape{"_rowid_", 3, unknown("_rowid_")}, Escape{"\"given x\"", 3, unknown("given x")},
        Escape{"\"expression 0\"", 3, unknown("expression 0")},
        Escape{"\"the row\"", 3, unknown("the row")}, Escape{"\"point\"", 3, unknown("point")},
        Escape{"point", 3, unknown("point")}, Escape{"sqlite_master", 3, unknown("sqlite_master")},
        Escape{"point.isl", 3, "a name cannot contain '.'; write the column's name alone"},
        Escape{"main.point.isl", 3, "a name cannot contain '.'; write the column's name alone"},
        Escape{"isl.x", 3, unknown("isl.x")},
        Escape{"SELECT 1", 3, "not an SQL expression, at 'SELECT'"},
        Escape{"(SELECT 1)", 3, k_subquery},
        Escape{"isl IN (SELECT isl FROM point)", 3, k_subquery},
        Escape{"isl IN point", 3, k_subquery}, Escape{"EXISTS (SELECT 1)", 3, k_subquery},
        Escape{"EXISTS (WITH a AS (SELECT 1) SELECT * FROM a)", 3, k_subquery},
        Escape{"(VALUES (1))", 3, k_subquery}, Escape{"isl IN (VALUES (1))", 3, k_subquery},
        Escape{"model > (model COLLATE missing)", 26,
               "SQLite refuses it: no such collation sequence: missing"},
        Escape{"model COLLATE nocase > missing_name", 26, unknown("missing_name")},
        Escape{"x", 3, "it refers to itself"}, Escape{"isl + x", 9, "it refers to itself"},
        Escape{"\"this expression\"", 3, "it refers to itself"},
        Escape{"model = \"qwen\"", 11, unknown("qwen")},
        Escape{"model = `qwen`", 11, unknown("qwen")},
        Escape{"model = [qwen]", 11, unknown("qwen")},
        Escape{"model = \"isl\" + \"qwen\"", 19, unknown("qwen")},
        Escape{"isl = 0xfffffffffffffffff", 9,
               "SQLite refuses it: hex literal too big: 0xfffffffffffffffff"}));

INSTANTIATE_TEST_SUITE_P(
    Mistakes, Escapes,
    testing::Values(
        Escape{"isl isl", 7, "not an SQL expression, at 'isl'"},
        Escape{"isl +", 8, "the expression ends too early"},
        Escape{"isl +   ", 8, "the expression ends too early"},
        Escape{"isl = = 2", 9, "not an SQL expression, at '='"},
        Escape{"= 2", 3, "not an SQL expression, at '='"},
        Escape{"isl > ", 8, "the expression ends too early"},
        Escape{"isl BETWEEN 1", 16, "the expression ends too early"},
        Escape{"CASE WHEN isl THEN 1", 23, "the expression ends too early"},
        Escape{"isl IN", 9, "the expression ends too early"},
        Escape{"isl ISNULL NOTNULL 2", 22, "not an SQL expression, at '2'"},
        Escape{"NOT", 6, "the expression ends too early"},
        Escape{"x'0g'", 3, "SQLite refuses it: unrecognized token: \"x'0g'\""},
        Escape{"x'00' = 5 5", 13, "not an SQL expression, at '5'"},
        Escape{"isl + ils", 9, "unknown name 'ils'; did you mean 'isl'?"},
        Escape{"isl + lenght(model)", 9, "unknown function 'lenght'; did you mean 'length'?"},
        Escape{"lenght(model) > 1 AND ils", 3, "unknown function 'lenght'; did you mean 'length'?"},
        Escape{"abs()", 3, "SQLite refuses it: wrong number of arguments to function abs()"},
        Escape{"abs(1, 2)", 3, "SQLite refuses it: wrong number of arguments to function abs()"},
        Escape{"coalesce(1)", 3,
               "SQLite refuses it: wrong number of arguments to function coalesce()"},
        Escape{"substr()", 3, "SQLite refuses it: wrong number of arguments to function substr()"},
        Escape{"isl AS y", 7, "not an SQL expression, at 'AS'"},
        Escape{"1 STORED", 5, "not an SQL expression, at 'STORED'"},
        Escape{"1 COLLATE", 12, "the expression ends too early"},
        Escape{"DEFAULT", 3, "not an SQL expression, at 'DEFAULT'"},
        Escape{"*", 3, "not an SQL expression, at '*'"},
        Escape{"isl.*", 7, "not an SQL expression, at '*'"}, Escape{"count", 3, unknown("count")},
        Escape{"isl OR PRAGMA table_info(point)", 17, "not an SQL expression, at 'table_info'"},
        Escape{"ATTACH 'x' AS y", 10, "not an SQL expression, at ''x''"},
        Escape{"isl IS NOT", 13, "the expression ends too early"},
        Escape{"1e", 3, "SQLite refuses it: unrecognized token: \"1e\""},
        Escape{"1abc", 3, "SQLite refuses it: unrecognized token: \"1abc\""},
        Escape{"isl'x'", 6, "not an SQL expression, at ''x''"},
        Escape{"état + 1", 3, unknown("état")}));

TEST(EscapesInBulk, long_and_deep_expressions_are_refused_or_computed) {
  const std::string place = "m.yaml:1:3: let 'x': ";
  const std::string deep = "nested too deep; compute a part of it under 'let'\n";
  EXPECT_EQ(refusal(std::string(10'001, '1')),
            place + "the expression has 10001 bytes; at most 10000 are read\n");
  EXPECT_EQ(refusal(std::string(4999, '(') + "1" + std::string(4999, ')')), place + deep);
  EXPECT_EQ(refusal(std::string(10'000, '(')), "m.yaml:1:10002: let 'x': " + k_open + "\n");
  std::string sum = "isl";
  for (int i = 0; i < 2000; ++i) sum += "+isl";
  EXPECT_EQ(refusal(sum), place + deep);
  EXPECT_EQ(refusal(std::string(5000, 'z')), place + unknown(std::string(60, 'z') + "...") + "\n");
  EXPECT_EQ(refusal("isl IN (" + std::string(4000, '1') + ")"), "");
}

TEST(EscapesInBulk, values_that_grow_during_evaluation_are_bounded) {
  const std::string place = "m.yaml:1:3: let 'x': it cannot be computed: ";
  EXPECT_EQ(computed("replace(replace(replace(model, 'a', model), 'a', model), 'a', model)",
                     std::string(100, 'a')),
            place + "string or blob too big");
  EXPECT_EQ(computed("model LIKE model", std::string(2000, '%')),
            place + "LIKE or GLOB pattern too complex");
  EXPECT_EQ(computed("model LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b'", std::string(60'000, 'a'))
                .substr(0, 20),
            "fine");
  EXPECT_EQ(computed("model LIKE 'a' ESCAPE 'ab'", "a"),
            place + "ESCAPE expression must be a single character");
  EXPECT_EQ(computed("abs(-9223372036854775807 - isl)", ""), place + "integer overflow");
}

}  // namespace escapes_test
}  // namespace orch::sql
