// The findings of the schema check for an expression that passed the scan by mistake.
#include "core/sql/generated_columns.hpp"

#include <gtest/gtest.h>

namespace orch::sql {
namespace generated_columns_test {

std::string outcome(const std::vector<std::string>& expressions) {
  auto database = Database::open(":memory:");
  ExpressionGuard guard(database->handle());
  const ColumnDefinition reads[] = {{"isl", ColumnType::integer}};
  std::vector<GeneratedColumn> generated;
  for (const std::string& sql : expressions)
    generated.push_back(
        {.column = {fmt::format("v{}", generated.size()), ColumnType::any}, .sql = sql});
  const auto columns = GeneratedColumns::make(*database, guard, "point", reads, generated);
  return columns ? "fine" : columns.error().text();
}

TEST(GeneratedColumns, a_table_with_other_columns_is_refused) {
  const std::string foreign = "the expression changes the definition of the generated table";
  EXPECT_EQ(outcome({"isl + 1"}), "fine");
  EXPECT_EQ(outcome({"1) STORED, z AS (2"}), foreign);
  EXPECT_EQ(outcome({"1) VIRTUAL, z AS (2"}), foreign);
  EXPECT_EQ(outcome({"1) STORED NOT NULL, z AS (2"}), foreign);
  EXPECT_EQ(outcome({"1) STORED, \"v0 \" AS (2"}), foreign);
}

TEST(GeneratedColumns, every_column_must_be_a_requested_one) {
  const std::string foreign = "the expression changes the definition of the generated table";
  EXPECT_EQ(outcome({"isl", "isl + v0", "v1 + 1"}), "fine");
  EXPECT_EQ(outcome({"isl", "1) STORED, z AS (2", "3"}), foreign);
  EXPECT_EQ(outcome({"1) STORED, z AS (2", "isl", "3"}), foreign);
  EXPECT_EQ(outcome({"isl", "1) VIRTUAL, z AS (2", "3"}), foreign);
  EXPECT_EQ(outcome({"1) STORED, v1 AS (2) VIRTUAL /*", "*/ , v2 AS (1"}), foreign);
  EXPECT_EQ(outcome({"1) STORED, z AS (2 /*", "*/"}), foreign);
  EXPECT_EQ(outcome({"1) VIRTUAL, v1 AS (2 /*", "*/"}), foreign);
}

TEST(GeneratedColumns, an_index_is_refused_by_the_authorizer) {
  const std::string unique = outcome({"1) STORED UNIQUE, z AS (2"});
  EXPECT_TRUE(unique.starts_with("SQLite: not authorized, in: CREATE TABLE")) << unique;
}

TEST(GeneratedColumns, another_statement_is_refused_by_the_authorizer) {
  EXPECT_EQ(outcome({"1) STORED); DROP TABLE point; CREATE TABLE other (x AS (1"}),
            "SQLite: not authorized, in:  DROP TABLE point; CREATE TABLE other (x AS (1) STORED)");
  EXPECT_EQ(outcome({"1) STORED); ATTACH ':memory:' AS a; SELECT (1"}),
            "SQLite: not authorized, in:  ATTACH ':memory:' AS a; SELECT (1) STORED)");
}

}  // namespace generated_columns_test
}  // namespace orch::sql
