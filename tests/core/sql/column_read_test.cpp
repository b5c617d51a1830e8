// Which columns a statement reads, and which words it names.
#include "core/sql/query_guard.hpp"

#include <gtest/gtest.h>

namespace orch::sql {
namespace column_read_test {

Database database() {
  auto opened = Database::open(":memory:");
  EXPECT_TRUE(opened
                  ->execute("CREATE TABLE t(tool TEXT, x INTEGER); CREATE TABLE other(tool TEXT);"
                            "CREATE VIEW v AS SELECT tool, x FROM t;"
                            "CREATE VIEW above AS SELECT x, tool AS by FROM v")
                  .ok());
  return std::move(opened).value();
}

TEST(ColumnRead, FindsAColumnWhereverTheStatementReadsIt) {
  Database all = database();
  for (const char* sql :
       {"SELECT tool FROM v", "SELECT x FROM v WHERE TOOL = 'a'", "SELECT * FROM v",
        "SELECT count(*) FROM v a JOIN other b ON a.tool = b.tool",
        "WITH w AS (SELECT x, tool FROM v) SELECT x FROM w ORDER BY tool", "SELECT \"tool\" FROM v",
        "SELECT a.x FROM v a JOIN v b USING (x, tool)"})
    EXPECT_TRUE(reads_column(all, sql, "v", "tool")) << sql;
}

TEST(ColumnRead, FindsNoColumnOfAnotherTableNorWithinAnotherView) {
  Database all = database();
  for (const char* sql :
       {"SELECT x FROM v", "SELECT tool FROM other", "SELECT tool FROM t", "SELECT by FROM above",
        "SELECT 'tool' FROM v", "SELECT nothing FROM v", "SELECT a.x FROM v a JOIN v b USING (x)"})
    EXPECT_FALSE(reads_column(all, sql, "v", "tool")) << sql;
}

TEST(ColumnRead, LeavesTheConnectionAsItWas) {
  Database all = database();
  EXPECT_TRUE(reads_column(all, "SELECT tool FROM v", "v", "tool"));
  EXPECT_TRUE(all.execute("CREATE TABLE later(x INTEGER)").ok());
}

TEST(ColumnRead, NamesAreFoundOutsideStringsAndComments) {
  for (const char* sql : {"select tool from t", "select r.TOOL from t r", "select \"tool\" from t",
                          "select 'it''s', tool", "/* a */tool -- b", "x=tool"})
    EXPECT_TRUE(names_identifier(sql, "tool")) << sql;
  for (const char* sql : {"select 'tool' from t", "select x -- tool", "select /* tool */ x",
                          "select tools, my_tool", "select 'a''tool'", "", "select 'tool"})
    EXPECT_FALSE(names_identifier(sql, "tool")) << sql;
}

TEST(ColumnRead, WordsAreInLowerCaseAndOutsideStringsAndComments) {
  EXPECT_EQ(words_of("SELECT a.\"B\" FROM t -- c\nWHERE x = 'd' /* e */"),
            (std::vector<std::string>{"select", "a", "b", "from", "t", "where", "x"}));
}

}  // namespace column_read_test
}  // namespace orch::sql
