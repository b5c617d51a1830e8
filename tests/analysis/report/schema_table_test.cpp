// The documentation of a database.
#include "analysis/report/describe.hpp"
#include "analysis/report/support.hpp"

namespace orch {
namespace schema_table_test {

using namespace sample;

class SchemaTable : public ReportTest {
 protected:
  std::string rows(report::Relations which, const std::string& name) {
    const auto table = report::schema_table(reader().database(), which, name);
    return table ? report::to_text(*table, report::Format::csv) : table.error().text();
  }
};

TEST_F(SchemaTable, describes_the_columns_of_a_view) {
  const std::string text = rows(report::Relations::views, "results");
  EXPECT_THAT(text, testing::StartsWith("view,column,type,meaning\n"
                                        "results,experiment,TEXT,`name` of the matrix\n"
                                        "results,run,INTEGER,"));
  EXPECT_THAT(text, testing::HasSubstr("\nresults,concurrency,ANY,parameter of the point\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nresults,ttft_ms,"));
  EXPECT_THAT(text, testing::HasSubstr("\nresults,ttft_ms_p99,ANY,p99 of ttft_ms\n"));
}

TEST_F(SchemaTable, describes_the_columns_of_a_table_also_those_of_later_versions) {
  const std::string text = rows(report::Relations::tables, "measurement");
  EXPECT_THAT(text, testing::HasSubstr("\nmeasurement,path,TEXT,\"folder of the record, under the "
                                       "store\"\n"));
  EXPECT_THAT(text,
              testing::HasSubstr("\nmeasurement,prefix_cache,TEXT,'cold' or 'warm'; NULL: not "
                                 "recorded\n"));
}

TEST_F(SchemaTable, leaves_no_column_of_a_view_without_a_meaning) {
  const auto table = report::schema_table(reader().database(), report::Relations::views);
  ASSERT_TRUE(table.ok());
  EXPECT_GT(table->rows.size(), 100u);
  for (const auto& row : table->rows)
    EXPECT_NE(std::get<std::string>(row[3]), "")
        << std::get<std::string>(row[0]) << "." << std::get<std::string>(row[1]);
}

TEST_F(SchemaTable, refuses_an_unknown_name_with_the_nearest) {
  EXPECT_EQ(rows(report::Relations::views, "result"), "no view 'result'; did you mean 'results'?");
  EXPECT_EQ(rows(report::Relations::tables, "results"), "no table 'results'");
}

}  // namespace schema_table_test
}  // namespace orch
