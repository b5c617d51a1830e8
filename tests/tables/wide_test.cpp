// Parameters and metrics become columns of the views when their names first appear.
#include "tables/wide.hpp"

#include "base/statistic_names.hpp"
#include "matrix/name_rules.hpp"
#include "measure/metrics.hpp"
#include "store/sample.hpp"

namespace orch {
namespace {

using namespace sample;

TEST(Wide, a_new_metric_becomes_a_column_without_migration) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  EXPECT_EQ(rows(folder.path(),
                 "SELECT count(*) FROM pragma_table_info('results') WHERE name = 'power_w'"),
            (Rows{"0"}));
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json measured = measurement(10, 100);
    measured["metrics"]["power_w"] = {{"mean", 300}, {"max", 350}};
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT power_w, power_w_max FROM results"), (Rows{"300.0|350.0"}));
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{std::to_string(newest_version())});
}

TEST(Wide, hostile_metric_names_reach_no_sql_and_are_reported_in_warnings) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json measured = measurement(10, 100);
    measured["metrics"]["x\" ANY); DROP TABLE metric; --"] = 1;
    measured["metrics"]["Upper"] = 1;
    measured["metrics"][std::string(65, 'a')] = 1;
    measured["metrics"]["concurrency"] = 5;  // a parameter's name
    measured["metrics"]["valid"] = 1;        // a column of the views
    measured["metrics"]["select"] = 7;       // a keyword, quoted by us
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT concurrency, ttft_ms, \"select\" FROM results"),
            (Rows{"1|10.0|7.0"}));
  EXPECT_EQ(
      rows(folder.path(), "SELECT warnings FROM results"),
      (Rows{"metric 'Upper' was left out: a name is [a-z][a-z0-9_]*, at most 64 characters; "
            "metric '" +
            std::string(64, 'a') +
            "' was left out: a name is [a-z][a-z0-9_]*, at most 64 characters; "
            "metric 'x\" ANY); DROP TABLE metric; --' was left out: a name is [a-z][a-z0-9_]*, at "
            "most 64 characters; "
            "'concurrency' is not a column of results: that name is taken, or the store has 1900 "
            "columns; "
            "'valid' is not a column of results: that name is taken, or the store has 1900 "
            "columns"}));
}

TEST(Wide, a_parameter_may_have_the_name_of_a_column_that_is_not_reserved) {
  const TemporaryFolder folder;
  complete_run(folder.path(),
               {.concurrencies = {1}, .more = {{"repeats", integer(7)}, {"attempt", text("own")}}});
  EXPECT_EQ(rows(folder.path(), "SELECT repeats, attempt, ttft_ms FROM results"),
            (Rows{"7|own|10.0"}));
  EXPECT_EQ(rows(folder.path(), "SELECT repeats, attempt FROM results_all"), (Rows{"7|own"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT name FROM pragma_table_info('results') WHERE name LIKE 'repeats%'"),
            (Rows{"repeats"}));
}

TEST(Wide, a_parameter_with_the_name_of_a_metric_is_refused_and_nothing_is_written) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  store::Store store = open_store(folder.path());
  const auto begun = store.begin_run(
      make_plan({.concurrencies = {1}, .more = {{"ttft_ms", integer(1)}}}), run_info());
  ASSERT_FALSE(begun.ok());
  EXPECT_EQ(begun.error().text(),
            "parameter 'ttft_ms' has the name of a metric in this store; rename the parameter");
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM run"), (Rows{"1"}));
}

TEST(Wide, no_parameter_can_have_the_name_of_a_metric_or_its_statistic) {
  std::vector<std::string> metrics(measure::k_derived_metrics.begin(),
                                   measure::k_derived_metrics.end());
  for (const measure::MetricRow& row : measure::metric_table()) metrics.emplace_back(row.name);
  for (const std::string& metric : metrics) {
    EXPECT_EQ(matrix::refuse_column_name(metric),
              "this is the name of a metric; choose another name")
        << metric;
    for (const std::string_view statistic : k_suffixed_statistics)
      EXPECT_EQ(matrix::refuse_column_name(fmt::format("{}_{}", metric, statistic)),
                "this is the name of a metric; choose another name")
          << metric << " " << statistic;
  }
}

}  // namespace
}  // namespace orch
