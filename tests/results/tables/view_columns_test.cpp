// Every column of every view is described once, and nothing else is.
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/store/sample.hpp"
#include "results/tables/views.hpp"

namespace orch {
namespace view_columns_test {

using namespace sample;

using Described = std::set<std::pair<std::string, std::string>>;  // view, column

Described described() {
  Described all;
  for (const tables::ViewColumn& column : tables::view_columns())
    for (const std::string& view : column.of_views())
      EXPECT_TRUE(all.emplace(view, column.name).second) << view << "." << column.name;
  return all;
}

TEST(ViewColumns, DescribeEveryColumnThatIsNoParameterOrMetric) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  const auto columns_of = [&](std::string_view table) {
    return rows(folder.path(), fmt::format("SELECT name FROM pragma_table_xinfo('{}')", table));
  };
  std::set<std::string> elsewhere;  // parameters and metrics
  for (const char* wide : {"point_wide", "metric_wide"})
    for (const std::string& column : columns_of(wide)) elsewhere.insert(column);
  for (const measure::MetricRow& metric : measure::metric_table())
    elsewhere.insert(std::string(metric.name));
  const Described known = described();
  Described present;
  for (const tables::View& view : tables::public_views())
    for (const std::string& column : columns_of(view.name)) {
      present.emplace(view.name, column);
      EXPECT_TRUE(elsewhere.contains(column) || known.contains({std::string(view.name), column}))
          << view.name << "." << column;
    }
  for (const auto& [view, column] : known)
    EXPECT_TRUE(present.contains({view, column})) << view << "." << column << " is no column";
}

TEST(ViewColumns, AreSortedByName) {
  const auto columns = tables::view_columns();
  EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

}  // namespace view_columns_test
}  // namespace orch
