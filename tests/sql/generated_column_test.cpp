// What the schema check would find if the scan of expressions ever let one through.
#include "sql/generated_column.hpp"

#include <gtest/gtest.h>

namespace orch::sql {
namespace {

std::string made(const std::string& sql) {
  auto database = Database::open(":memory:");
  ExpressionGuard guard(database->handle());
  const ColumnDefinition reads[] = {{"isl", ColumnType::integer}};
  const auto column = GeneratedColumn::make(*database, guard, "point", reads, sql, ColumnType::any);
  return column ? "fine" : column.error().text();
}

TEST(GeneratedColumn, a_table_with_anything_but_our_columns_is_refused) {
  const std::string foreign = "the expression made a table that is not the one we wrote";
  EXPECT_EQ(made("isl + 1"), "fine");
  EXPECT_EQ(made("1) STORED, z AS (2"), foreign);
  EXPECT_EQ(made("1) VIRTUAL, z AS (2"), foreign);
  EXPECT_EQ(made("1) STORED NOT NULL, z AS (2"), foreign);
  EXPECT_EQ(made("1) STORED, \"the value \" AS (2"), foreign);
}

TEST(GeneratedColumn, an_index_is_refused_by_the_authorizer) {
  EXPECT_TRUE(made("1) STORED UNIQUE, z AS (2").starts_with("SQLite: not authorized, in: CREATE TABLE")) << made("1) STORED UNIQUE, z AS (2");
}

TEST(GeneratedColumn, another_statement_is_refused_by_the_authorizer) {
  EXPECT_EQ(made("1) STORED); DROP TABLE point; CREATE TABLE other (x AS (1"), "SQLite: not authorized, in:  DROP TABLE point; CREATE TABLE other (x AS (1) STORED)");
  EXPECT_EQ(made("1) STORED); ATTACH ':memory:' AS a; SELECT (1"), "SQLite: not authorized, in:  ATTACH ':memory:' AS a; SELECT (1) STORED)");
}

}  // namespace
}  // namespace orch::sql
