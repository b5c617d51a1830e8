#include "results/tables/statements.hpp"

#include <gtest/gtest.h>

namespace orch::tables {
namespace statements_test {

struct StatementsTest : testing::Test {
  sql::Database database = *sql::Database::open(":memory:");
  Statements statements{database};

  void SetUp() override {
    ASSERT_TRUE(statements.run("CREATE TABLE t (a INTEGER, b TEXT)").ok());
    ASSERT_TRUE(statements.run("INSERT INTO t VALUES (?, ?)", 1, std::string("x")).ok());
    ASSERT_TRUE(
        statements.run("INSERT INTO t VALUES (?, ?)", 2, std::optional<std::string>()).ok());
  }
};

TEST_F(StatementsTest, GiveTheFirstColumnOfTheFirstRowOrNothing) {
  EXPECT_EQ(*statements.integer("SELECT a FROM t WHERE b = ?", std::string("x")), 1);
  EXPECT_EQ(*statements.integer("SELECT a FROM t WHERE a = ?", 9), std::nullopt);
  EXPECT_EQ(*statements.text("SELECT b FROM t WHERE a = ?", 2), std::nullopt);
  EXPECT_EQ(*statements.real("SELECT a / 2.0 FROM t WHERE a = ?", 1), 0.5);
}

TEST_F(StatementsTest, PrepareEachTextOnce) {
  const auto first = statements.get("SELECT 1");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*statements.get("SELECT 1"), *first);
  EXPECT_NE(*statements.get("SELECT 2"), *first);
}

TEST_F(StatementsTest, VisitEveryRow) {
  std::int64_t sum = 0;
  ASSERT_TRUE(statements
                  .rows("SELECT a FROM t",
                        [&](sql::Statement& row) { sum += row.column_optional_int(0).value(); })
                  .ok());
  EXPECT_EQ(sum, 3);
}

TEST_F(StatementsTest, ReportAFaultyText) {
  EXPECT_FALSE(statements.run("SELECT nothing FROM nowhere").ok());
}

}  // namespace statements_test
}  // namespace orch::tables
