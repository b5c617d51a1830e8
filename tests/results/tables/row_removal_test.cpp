// Rows that go with all that refers to them.
#include "results/store/sample.hpp"
#include "results/tables/statements.hpp"

namespace orch {
namespace row_removal_test {

using namespace sample;

class RemovedRows : public testing::Test {
 protected:
  RemovedRows() { complete_run(folder_.path()); }
  std::string count(const std::string& table) {
    return rows(folder_.path(), "SELECT count(*) FROM " + table).front();
  }
  Status remove(const std::string& table, const std::string& column, std::int64_t id) {
    auto database = sql::Database::open((folder_.path() / "results.db").string());
    tables::Statements statements(*database);
    return tables::RowRemoval(statements).remove(table, column, id);
  }

  TemporaryFolder folder_;
};

TEST_F(RemovedRows, take_a_measurement_and_all_that_is_of_it) {
  ASSERT_EQ(count("measurement"), "2");
  const Status removed = remove("measurement", "id", 1);
  ASSERT_TRUE(removed.ok()) << removed.error().text();
  EXPECT_EQ(count("measurement"), "1");
  for (const char* table : {"metric", "metric_wide", "request", "answer_block", "server_counter"}) {
    EXPECT_EQ(count(std::string(table) + " WHERE measurement_id = 1"), "0") << table;
    EXPECT_NE(count(table), "0") << table << ": that of the other measurement stays";
  }
}

TEST_F(RemovedRows, take_the_points_of_a_run_and_leave_its_attempts) {
  ASSERT_TRUE(remove("point", "run_id", 1).ok());
  for (const char* table : {"point", "point_stage", "point_wide"}) EXPECT_EQ(count(table), "0");
  EXPECT_EQ(count("attempt"), "4");
  EXPECT_EQ(rows(folder_.path(), "PRAGMA foreign_key_check"), Rows{});
}

TEST_F(RemovedRows, know_tables_that_were_added_later) {
  {
    auto database = sql::Database::open((folder_.path() / "results.db").string());
    ASSERT_TRUE(database->execute(
        "CREATE TABLE remark (id INTEGER PRIMARY KEY, of INTEGER NOT NULL REFERENCES measurement);"
        "CREATE TABLE reply (remark_id INTEGER NOT NULL REFERENCES remark);"
        "INSERT INTO remark VALUES (7, 1), (8, 2); INSERT INTO reply VALUES (7), (8)"));
  }
  const Status removed = remove("measurement", "id", 1);
  ASSERT_TRUE(removed.ok()) << removed.error().text();
  EXPECT_EQ(rows(folder_.path(), "SELECT id FROM remark"), Rows{"8"});
  EXPECT_EQ(rows(folder_.path(), "SELECT remark_id FROM reply"), Rows{"8"});
}

}  // namespace row_removal_test
}  // namespace orch
