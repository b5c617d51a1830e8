// Names read from the database's catalog.
#include "analysis/report/support.hpp"
#include "results/query/table.hpp"

namespace orch {
namespace catalog_test {

using Catalog = ReportTest;

TEST_F(Catalog, lists_the_columns_of_a_view_in_the_order_of_its_declaration) {
  const std::vector<std::string> names = report::column_names(reader().database(), "failures");
  ASSERT_GE(names.size(), 2u);
  EXPECT_EQ(names[0], "experiment");
  EXPECT_EQ(names[1], "run");
}

TEST_F(Catalog, has_no_names_for_what_does_not_exist) {
  EXPECT_TRUE(report::column_names(reader().database(), "no'such").empty());
  EXPECT_TRUE(report::first_column(reader().database(), "SELECT nothing FROM nowhere").empty());
}

TEST_F(Catalog, takes_the_first_of_several_columns) {
  EXPECT_EQ(report::first_column(reader().database(), "VALUES ('a', 'b'), ('c', 'd')"),
            (std::vector<std::string>{"a", "c"}));
}

}  // namespace catalog_test
}  // namespace orch
